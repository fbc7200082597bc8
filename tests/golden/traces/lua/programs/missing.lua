-- A module that is nowhere: a message of many lines.
local function start()
  local http = require("shop.http")
  return http
end

local server = start()
print(server)

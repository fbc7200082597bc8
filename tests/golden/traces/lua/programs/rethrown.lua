-- Caught, told more of, raised anew; a coroutine's error printed with its own traceback.
local function read(path)
  local file = assert(io.open(path))
  return file:read("a")
end

local worker = coroutine.create(function()
  local ok, err = pcall(read, "/nonexistent/orders.txt")
  if not ok then
    error("worker 7: " .. err)
  end
end)

local ok, err = coroutine.resume(worker)
if not ok then
  print(debug.traceback(worker, "2024-05-01 10:00:00 [error] job failed: " .. tostring(err)))
end
print("done")

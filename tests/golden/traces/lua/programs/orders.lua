-- A method, an upvalue, a field and a module's function on one stack; the root is arithmetic on a missing field.
local stock = {}

function stock.price(order)
  return order.amount * order.rate
end

local function charge(order)
  return stock.price(order) + 1
end

local Order = {}
Order.__index = Order

function Order:pay()
  local total = charge(self)
  return total
end

local function run(list)
  for _, order in ipairs(list) do
    local paid = order:pay()
    print(paid)
  end
end

run({ setmetatable({ amount = 3, rate = 2 }, Order), setmetatable({ amount = 4 }, Order) })

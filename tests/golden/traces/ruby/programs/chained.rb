# Three causes, one raised in a rescue within a block, the last in a method of an anonymous struct.
require_relative "lib/stock"

class CheckoutError < StandardError; end

def checkout(order)
  order.fetch(:lines).each do |line|
    Shop::Stock.new.reserve(line)
  rescue Shop::OutOfStock
    raise CheckoutError, "订单 #{order[:id]} 无法提交\n  line 2 of the message"
  end
end

checkout({ id: 4711, lines: [{ sku: "A-7" }] })

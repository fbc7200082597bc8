# error_highlight and did_you_mean write below the message.
class Basket
  def total
    @items.map { |item| item.prise * 2 }.sum
  end

  def initialize
    @items = [Item.new(3)]
  end
end

Item = Struct.new(:price)
Basket.new.total

# A test that errs and one that fails, under minitest.
require "minitest/autorun"
require_relative "lib/stock"

class StockTest < Minitest::Test
  def test_reserve = Shop::Stock.new.reserve({ sku: "D-1" })
  def test_find = assert_equal(2, 1 + 2)
end

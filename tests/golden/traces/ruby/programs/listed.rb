# Backtraces in JSON, on one line and on several.
require "json"
require_relative "lib/stock"

begin
  Shop::Stock.new.reserve({ sku: "C-9" })
rescue StandardError => e
  record = { time: "2024-05-07T10:00:00Z", class: e.class.name, message: e.message, backtrace: e.backtrace }
  puts JSON.generate(record), JSON.pretty_generate(record)
end

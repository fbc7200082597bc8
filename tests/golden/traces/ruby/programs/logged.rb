# What Logger makes of an exception, twice, and a backtrace printed by hand.
require "logger"
require_relative "lib/stock"

logger = Logger.new($stderr)
def work = Shop::Stock.new.reserve({ sku: "B-8" })

begin
  work
rescue StandardError => e
  logger.error(e)
  logger.warn("#{e.class}: #{e.message}\n#{e.backtrace.join("\n")}")
  logger.info("next order")
  warn "#{e.message} (#{e.class})", e.backtrace
  warn e.full_message(highlight: true, order: :bottom)
end

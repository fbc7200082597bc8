# Loggers of Ruby: what each prints as a record. Run by run.sh.
require "json"
require "logger"
require "active_support"
require "active_support/core_ext"
require "lograge"

class PaymentError < StandardError; end

def pay(order)
  raise PaymentError, "order #{order} is not paid"
end

puts "# the standard library's Logger, with a formatter to JSON"
log = Logger.new($stdout)
log.formatter = proc do |severity, time, progname, message|
  said = message.is_a?(Exception) ? { message: message.message, exception: message.class.name, backtrace: message.backtrace } : { message: message }
  "#{JSON.generate({ severity: severity, time: time.utc.iso8601, progname: progname }.merge(said))}\n"
end
log.progname = "shop"
begin
  pay(42)
rescue PaymentError => e
  log.error("payment of order 42 failed: #{e.message}")
  log.error(e)
  puts "# the standard library's Logger, as it is"
  Logger.new($stdout, progname: "shop").error(e)
end

puts "# lograge"
data = {
  method: "POST", path: "/orders/42/pay", format: :html, controller: "OrdersController", action: "pay", status: 500,
  error: "PaymentError: order 42 is not paid", duration: 58.33, view: 40.43, db: 15.26
}
puts Lograge::Formatters::KeyValue.new.call(data)
puts Lograge::Formatters::Json.new.call(data)
puts "# lograge, with the exception as ActiveSupport hands it on"
puts Lograge::Formatters::KeyValue.new.call(data.except(:error).merge(exception: ["PaymentError", "order 42 is not paid"]))
puts Lograge::Formatters::Json.new.call(data.except(:error).merge(exception: ["PaymentError", "order 42 is not paid"]))

# A template, an eval, a gem of the standard library, a nameless class of exceptions.
require "erb"
require "json"

begin
  ERB.new("<p><%= user.name %></p>").tap { |erb| erb.filename = "views/user.html.erb" }.result
rescue NameError => e
  warn e.full_message(highlight: false)
end

begin
  eval("JSON.parse('[1,')", binding, "rules/price.rule", 12)
rescue JSON::ParserError => e
  warn e.full_message(highlight: false)
end

raise Class.new(StandardError), "没有名字的异常"

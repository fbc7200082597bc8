# A named thread and a nameless one die; the main thread joins the second.
Thread.new { raise ArgumentError, "worker 7 gave up" }.tap { |thread| thread.name = "importer" }
sleep 0.2
begin
  Thread.new { [3].each_slice(1) { |part| Integer(part.first.to_s + "x") } }.join
rescue ArgumentError
  raise IOError
end

# Killed while asleep, within ensure.
def wait
  sleep 30
ensure
  $stderr.flush
end

Thread.new { sleep 0.3; Process.kill("INT", Process.pid) }
wait

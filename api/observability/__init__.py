"""What operators see of a running service: log lines, metrics, spans."""

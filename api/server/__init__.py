"""The running service: connections, limits, the engine in use, the work of each request, the shutdown."""

"""What the command line does with incidents: asked of a running service, or of the home in this process, by the same routes."""

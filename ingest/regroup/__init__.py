"""What moves when fingerprints change: incidents and crash groups that come together or apart."""

"""What was saved since the snapshot was built: incidents and what readers confirmed, searched beside it."""

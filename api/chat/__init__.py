"""The chat platforms: read questions as each platform sends them, and post answers into the thread."""

"""The chat tools: questions come in as their platforms send them, answers go into the thread."""

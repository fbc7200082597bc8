"""Answers and traces as people read them: terminal, HTML, side by side, in both languages."""

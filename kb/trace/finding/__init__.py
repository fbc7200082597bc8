"""Where traces are in a text, and what their lines are in: envelopes are taken off before a runtime reads."""

"""Where traces stand in a text, and what their lines stand in: envelopes are taken off before a runtime reads."""

"""What of a text or a trace is held as numbers: words, frames, facets, and how common each is."""

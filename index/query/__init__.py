"""What is understood of a text: its traces, its words, the problems in it, and where each part of it is."""

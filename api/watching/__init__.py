"""`kb watch`: follow logs, search for each trace as it appears, and report each known incident once."""

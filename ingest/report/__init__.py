"""What a run leaves for people: a page that needs nothing but a browser, and the same as JSON."""

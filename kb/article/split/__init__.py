"""One problem or several: where an article is cut, and into what."""

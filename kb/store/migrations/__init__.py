"""How a database became what it is: one module for each version, never changed once it was released."""

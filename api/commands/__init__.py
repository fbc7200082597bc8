"""The commands of `kb` that belong to the doors; each module is one, loaded when called."""

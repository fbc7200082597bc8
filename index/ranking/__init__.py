"""How much a text and an incident agree: features, log-odds, probabilities, and incidents that belong together."""

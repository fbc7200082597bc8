"""The stated cause and fix of a problem: which sentences say them, and what stands around these."""

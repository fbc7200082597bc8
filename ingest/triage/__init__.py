"""Many crash reports at once: which are known incidents, and which groups are nobody's yet."""

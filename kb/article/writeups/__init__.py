"""The write-up of an incident, as `corpus/` and curators keep it: written, read again, checked."""

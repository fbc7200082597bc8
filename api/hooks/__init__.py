"""Alerts of other systems, answered with the nearest incidents, and posted where the house talks."""

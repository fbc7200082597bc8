"""Run: python django-settings-not-configured.py (Python 3.11, Django 5.1)."""

from django.contrib.auth.models import User  # noqa: F401

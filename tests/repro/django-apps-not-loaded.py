"""Run: python django-apps-not-loaded.py (Python 3.11, Django 5.1)."""

from django.conf import settings

settings.configure(INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes"])
from django.contrib.auth.models import User  # noqa: E402, F401

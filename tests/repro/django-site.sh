#!/bin/sh
# Run: sh django-site.sh (Python 3.11, Django 5.1). Shows django-disallowed-host and django-no-such-table.
dir=$(mktemp -d) && cd "$dir" && django-admin startproject shop . && sed -i "s/ALLOWED_HOSTS = \[\]/ALLOWED_HOSTS = ['shop.example.com']/" shop/settings.py
python -c '
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "shop.settings"
import django
django.setup()
from django.test import Client
Client(SERVER_NAME="10.0.3.17").get("/")'
python manage.py shell -c "from django.contrib.auth.models import User; User.objects.count()"

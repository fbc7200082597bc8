# sh tests/repro/django-migrations-and-csrf.sh   (Django 5.2): a table without its migration, a history out of order, a form without a token
set +e; PY=${PYTHON:-python3}; cd "$(mktemp -d)" && $PY -m django startproject site_ . && $PY manage.py startapp shop
cat >> site_/settings.py <<'P'
INSTALLED_APPS += ["shop"]
DEBUG = False
ALLOWED_HOSTS = ["testserver"]
P
printf 'from django.db import models\nclass Order(models.Model):\n    name = models.CharField(max_length=9)\n' > shop/models.py
printf 'from django.urls import path\nfrom django.http import HttpResponse\nurlpatterns = [path("", lambda r: HttpResponse("x"))]\n' > site_/urls.py
$PY manage.py migrate -v0
$PY manage.py shell -c "from shop.models import Order; print(Order.objects.count())" 2>&1 | tail -30
$PY manage.py makemigrations -v0; $PY manage.py migrate -v0
$PY manage.py shell -c "from django.db import connection as c; c.cursor().execute(\"delete from django_migrations where app='shop'\")"
$PY manage.py migrate 2>&1 | tail -4
$PY manage.py shell -c "from django.db import connection as c; c.cursor().execute(\"delete from django_migrations where app='contenttypes'\")"
$PY manage.py migrate 2>&1 | tail -3
$PY manage.py shell -c "
from django.test import Client
r = Client(enforce_csrf_checks=True).post('/', {'a': 1}); print(r.status_code)" 2>&1 | tail -3

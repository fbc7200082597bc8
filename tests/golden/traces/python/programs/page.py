"""Django's page for developers, as its copy-and-paste view prints it."""

import django
from django.conf import settings
from django.http import HttpResponse
from django.test import RequestFactory
from django.views.debug import ExceptionReporter

settings.configure(DEBUG=True, SECRET_KEY="x", ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], USE_TZ=True)
django.setup()
urlpatterns = []


def pay(request):
    orders = {7: 10}
    return HttpResponse(orders[int(request.GET["order"])])


request = RequestFactory().get("/pay/", {"order": "42"})
try:
    pay(request)
except KeyError as error:
    page = ExceptionReporter(request, type(error), error, error.__traceback__).get_traceback_text()
    print(page.partition("GET:")[0])

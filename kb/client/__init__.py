"""The service, asked from Python: `Client`, and `AsyncClient` with the same methods to be awaited.

with Client("https://kb.example.org", key="…") as kb:
answer = kb.search(traceback.format_exc())
if answer["verdict"] == "known":
print(answer["matches"][0]["incident"]["fix"])
"""

from kb.client.addresses import INCIDENTS, address
from kb.client.answered import Patience
from kb.client.asking import Client, Incidents
from kb.client.awaiting import AsyncClient, AsyncIncidents
from kb.client.failures import Declined, Foreign, Unreachable

__all__ = [
    "INCIDENTS",
    "AsyncClient",
    "AsyncIncidents",
    "Client",
    "Declined",
    "Foreign",
    "Incidents",
    "Patience",
    "Unreachable",
    "address",
]

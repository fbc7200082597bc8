"""The service from Python: `Client`, and `AsyncClient` with the same methods to await.

with Client("https://kb.example.org", key="…") as kb:
answer = kb.search(traceback.format_exc())
if answer["verdict"] == "known":
print(answer["matches"][0]["incident"]["fix"])
"""

from kb.client.async_client import AsyncClient, AsyncIncidents, AsyncTriage
from kb.client.calls import INCIDENTS, address
from kb.client.protocol import Declined, Foreign, Patience, Unreachable
from kb.client.sync_client import Client, Incidents, Triage

__all__ = [
    "INCIDENTS",
    "AsyncClient",
    "AsyncIncidents",
    "AsyncTriage",
    "Client",
    "Declined",
    "Foreign",
    "Incidents",
    "Patience",
    "Triage",
    "Unreachable",
    "address",
]

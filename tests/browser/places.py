"""Where browsers look at each page, by its route; `tests/test_registered.py` names a page that is neither here nor in ELSEWHERE."""

from collections.abc import Mapping

KNOWN = "/incidents/flink-checkpoint-disk-full"
PLACES: Mapping[str, tuple[str, ...]] = {
    "/": ("/",),
    "/chats": ("/chats",),
    "/dashboard": ("/dashboard",),
    "/docs": ("/docs",),
    "/drafts": ("/drafts",),
    "/incidents": ("/incidents", "/incidents?values=component", "/incidents?component=flink&text=disk"),
    "/incidents/{incident_id:path}": (KNOWN, "/incidents/hostile"),
    "/incidents/{incident_id:path}/edit": (f"{KNOWN}/edit",),
    "/incidents/{incident_id:path}/history": (f"{KNOWN}/history",),
    "/map": ("/map", "/map?component=flink"),
    "/rejected": ("/rejected",),
    "/review": ("/review",),
    "/searches": ("/searches", "/searches?verdict=known", "/searches?verdict=unknown"),
    "/triage": ("/triage",),
    "/write": ("/write",),
}
"""As an administrator, who sees everything of a page."""
ELSEWHERE: Mapping[str, str] = {
    "/a/{ref}": "tests/browser/test_links.py",
    "/chat/{ref}": "tests/api/chat/test_page.py",
    "/login": "tests/browser/test_fingers.py",
    "/triage/{run}": "tests/browser/test_triage.py",
    "/a/{ref}/delete": "leads to the page of the link",
    "/login/openid": "leads to the provider",
    "/login/openid/back": "leads to where one came from",
}
"""Pages that need something of their own, with the test that looks at them, and what shows none."""
EVERY = tuple(place for places in PLACES.values() for place in places)

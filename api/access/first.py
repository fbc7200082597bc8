"""The first key: made by the first start, so that there is somebody who may make others."""

from api.render.console import note
from api.settings import ServiceSettings
from kb.store import Actor, Role, Store

START = Actor("start", "first start", Role.ADMIN)


def hand_over(settings: ServiceSettings) -> None:
    """In a store that never had a key, make one that may everything, and show it: on the terminal, once, and in no log line.

    StoreError when the store cannot be used. To be called before there are workers.
    """
    with Store.open(settings.store) as store:
        made = store.keys.first("first start", actor=START)
    if made is not None:
        key, secret = made
        note(f"The first key, which may do everything ({key.role}); it is not shown again. Writing asks for it:")
        note(f"    {secret}")
        note(
            "Use it as KB_KEY, in `Authorization: Bearer …`, or to log in on the page; `kb keys` makes and revokes others."
        )

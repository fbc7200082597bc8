"""The pages: paste → answer, incidents read and written, what became of them, and what went wrong. Server-rendered; nothing needs JavaScript."""

from fastapi import FastAPI

from api.pages import (
    answer,
    changes,
    dashboard,
    docs,
    drafts,
    editor,
    incident,
    links,
    lists,
    maps,
    opinions,
    past,
    rejected,
    review,
    searches,
    triage,
)
from api.pages.failures import failure
from api.pages.rendering import Pages, the_pages
from index.rejected import RejectedDocuments

__all__ = ["install", "the_pages"]


def install(app: FastAPI) -> None:
    """Add the pages, and make their ``failure`` the app's answer to what goes wrong."""
    app.state.pages = Pages()
    app.state.failure = failure
    app.state.link_rate = links.link_rate()
    app.state.maps = maps.MapPages()
    app.state.rejected = RejectedDocuments(app.state.settings.home)
    for room in (
        answer,
        dashboard,
        docs,
        drafts,
        editor,
        opinions,
        links,
        lists,
        maps,
        rejected,
        searches,
        review,
        triage,
        past,
        changes,
        incident,
    ):  # the last takes whatever follows `/incidents/`
        app.include_router(room.router)

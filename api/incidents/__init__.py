"""What the command line does with incidents: asked of a running service, or of the home in this process, by the same routes.

The service over a home is imported when it is first asked for: who asks one at `KB_URL` needs no web framework.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from api.incidents.inside import home_service

__all__ = ["home_service"]


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module("api.incidents.inside"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

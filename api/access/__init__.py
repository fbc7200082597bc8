"""Who asks: the caller of a request, and what a route needs them to be."""

from api.access.caller import Caller, TheCaller, caller, needed_by, needs, within
from api.access.refusals import forbidden, key_needed
from api.access.scopes import Scope

__all__ = ["Caller", "Scope", "TheCaller", "caller", "forbidden", "key_needed", "needed_by", "needs", "within"]

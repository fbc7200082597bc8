"""Error lines of servers, cluster tools and clients: one table out of those beside it."""

from kb.trace.messages import browsers, cloud, kubernetes, launchers, network, servers
from kb.trace.messages.form import Form

FORMS: tuple[Form, ...] = (
    *kubernetes.FORMS,
    *servers.FORMS,
    *network.FORMS,
    *cloud.FORMS,
    *browsers.FORMS,
    *launchers.FORMS,
)
"""Of several forms that match one line, the first one holds: the narrow ones stand before the wide ones."""

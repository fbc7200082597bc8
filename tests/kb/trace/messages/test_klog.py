"""klog's records, by themselves and behind syslog's header: information is no error unless it says that something failed, a warning is none beside an error. Each row was written before the rule."""

import pytest

from kb.trace import parse

SYSLOG = "Sep 21 10:02:42 node1 kubelet[4101]: "
TOOK = "0921 10:02:42.117196    4101 fsHandler.go:135] du and find on following dirs took 3.2s: [/var/lib/docker/overlay2/x], will not log again for this container unless duration exceeds 5s"
CNI = "0921 10:02:43.117196    4101 cni.go:237] Unable to update cni config: no networks found in /etc/cni/net.d"
WAITS = "0921 10:02:43.117196     140 token.go:223] The till ConfigMap does not yet contain a token, will try again"
SAYS = "0921 10:02:43.117196    4101 x.go:135] "
EVENT = '0921 10:02:43.117196    4101 event.go:294] "Event occurred" object="shop/till-0" kind="Pod" type="Warning" reason="FailedScheduling" message="0/3 nodes are available"'


@pytest.mark.parametrize("before", ["", SYSLOG], ids=["alone", "syslog"])
@pytest.mark.parametrize(
    ("lines", "messages"),
    [
        (["I" + TOOK], []),
        (["I" + TOOK, "I" + TOOK.replace(":42.", ":48.")], []),
        (["I" + CNI], [CNI.partition("] ")[2]]),
        (["W" + CNI], ["Unable to update cni config: no networks found in /etc/cni/net.d"]),
        (["W" + CNI, 'E0921 10:02:44.117196    4101 kubelet.go:2187] node "till" not found'], ['node "till" not found']),
        (["I" + TOOK, 'E0921 10:02:44.117196    4101 kubelet.go:2187] node "till" not found'], ['node "till" not found']),
        (["I" + WAITS], ["The till ConfigMap does not yet contain a token, will try again"]),
        (["I" + EVENT], ["0/3 nodes are available"]),
        (["I" + SAYS + 'secrets "till" is forbidden: User "x" lacks access'], ['secrets "till" is forbidden: User "x" lacks access']),
        (["I" + SAYS + "open /etc/till.conf: no such file or directory"], ["open /etc/till.conf: no such file or directory"]),
        (["I" + SAYS + "Got error from server: Unauthorized"], ["Got error from server: Unauthorized"]),
        (["I" + SAYS + "No connection could be made; request aborted with error"], ["No connection could be made; request aborted with error"]),
        (["I" + SAYS + "Stopping container with 30s timeout"], []),
        (["I" + SAYS + "Session f1eb44 closed after 447 s"], []),
        (["I" + SAYS + "Listening on 8443 without error"], []),
    ],
    ids=["info", "two", "failure", "warning", "warning-and-error", "info-and-error", "waits", "event", "forbidden", "no file", "unauthorized", "aborted", "a wait", "closed", "no error"],
)  # fmt: skip
def test_klog_says_by_its_letter_what_is_an_error(before: str, lines: list[str], messages: list[str]) -> None:
    text = "\n".join(before + line for line in lines)
    assert [chain.root.message for chain in parse(text)] == messages

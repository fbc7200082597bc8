"""The wire shape: the keys that other programs read, and nothing lost on the way."""

import json

from kb.trace import Level, fingerprints, parse
from kb.trace.wire import chain_from_dict, chain_to_dict

TEXT = 'Exception in thread "main" a.R(a.Inner): user 7\n\tat a.B.y(B.java:3)\nCaused by: java.io.IOException\n\tat a.C.z(C.java:4)\n\t... 1 more'


def test_shape() -> None:
    (chain,) = parse(TEXT)
    data = json.loads(json.dumps(chain_to_dict(chain)))
    assert set(data) == {"runtime", "thread", "head_truncated", "span", "notes", "exceptions", "fingerprints"}
    assert data["fingerprints"] == {level.value: fingerprints(chain)[level].digest for level in Level}
    outer, cause = data["exceptions"]
    assert {key: value for key, value in outer.items() if key != "frames"} == {
        "type": "a.R",
        "wrapped_type": "a.Inner",
        "message": "user 7",
        "template": "user <int>",
        "relation": None,
        "parent": None,
        "elided": 0,
    }
    assert (cause["relation"], cause["parent"], cause["elided"], cause["template"]) == ("cause", 0, 1, None)
    assert outer["frames"] == [
        {"module": "a.B", "function": "y", "filename": "B.java", "lineno": 3, "column": None, "in_app": True, "raw": "at a.B.y(B.java:3)"}
    ]  # fmt: skip


def test_round_trip_through_json() -> None:
    (chain,) = parse(TEXT)
    assert chain_from_dict(json.loads(json.dumps(chain_to_dict(chain)))) == chain

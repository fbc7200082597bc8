"""For Schemathesis: what write-ups in Markdown look like. OpenAPI can only say that they are texts."""

import json

import schemathesis
from hypothesis import strategies as st

_LINE = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z"), max_codepoint=0xFFFF), min_size=1).map(
    lambda text: text[:200]
)
_WORDS = st.text(
    st.sampled_from("abcdefghijklmnopqrstuvwxyz ABC 0123456789 日志里没有磁盘空间 .,"), min_size=1, max_size=80
)
_HEADINGS = ("Root cause", "Fix")


@st.composite
def writeup(draw: st.DrawFn) -> bytes:
    """A title as YAML takes it, what happened, and some of the other sections."""
    head = ["---", f"title: {json.dumps(draw(_LINE))}", "---"]
    body = [
        f"## {name}\n\nIt says {draw(_WORDS)}."
        for name in ("Symptom", *filter(lambda _: draw(st.booleans()), _HEADINGS))
    ]
    return "\n\n".join(["\n".join(head), *body]).encode() + b"\n"


schemathesis.openapi.media_type("text/markdown", writeup())

"""A script's own name: without ending, version and the content hash that a bundler put into it."""

import re
from itertools import pairwise

SCRIPT_END = re.compile(
    r"(?:\.(?:bundle|chunk|min|prod|dev|development|production|esm|umd|cjs|global|es5|legacy|d))*"
    r"\.(?:[cm]?[jt]sx?|vue|svelte|astro|jsbundle|bundle|jsc|hbc|coffee|html?|es6?|gs|mdx|marko)$"
)
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,8}$")
# Hashes and versions in a bundle's name: main.3f2a1c9b.js, index-BxH3k9_a.js, jquery-3.6.0.js, 3f2a1c9b.js
_HEX = r"(?=[a-f]{0,40}\d)[0-9a-f]{6,64}|[a-f]{8}|[a-f]{16}|[a-f]{20}"
_HASHED = re.compile(rf"^(?P<stem>.+?)[.~_-](?:{_HEX})(?=$|[.~_-])")
_CODED = re.compile(r"^(?P<stem>.+?)[.-](?P<code>[A-Za-z0-9_-]{8})$")
VERSIONED = re.compile(r"[.@_-]v?\d{1,9}(?:\.\d{1,9}){1,4}(?:[-+.](?:alpha|beta|rc|canary|next|dev|pre)[\w.-]{0,40})?$")
_ALL_HASH = re.compile(rf"(?:{_HEX}|\d{{1,20}}|[A-Z2-7]{{8}})$")


def ending_of(last: str) -> str:
    """The ending of a script's name, with its dot; "" for what is no script."""
    found = _EXTENSION.search(last)
    return found[0] if found is not None and SCRIPT_END.search(last) else ""


def stem_of(last: str, *, is_address: bool) -> str:
    """A script's name without its ending, version and content hash."""
    stem = SCRIPT_END.sub("", last)
    if not is_address and stem == last:
        return last
    before = ""
    while stem != before:
        before = stem
        found = _HASHED.match(stem)
        if found is not None:
            stem = found["stem"] + stem[found.end() :]
        coded = _CODED.match(stem)
        if coded is not None and _is_code(coded["code"], is_address=is_address):
            stem = coded["stem"]
        stem = re.sub(r"[.-](?:bundle|chunk|min|prod|dev|development|production)$", "", stem)
        stem = VERSIONED.sub("", stem) or stem
    return "<chunk>" if _ALL_HASH.match(stem) and (is_address or not stem.isdigit()) else stem


def _is_code(code: str, *, is_address: bool) -> bool:
    """Whether eight characters are a hash of esbuild or rollup and not a word."""
    if re.fullmatch(r"[A-Z2-7]{8}", code):
        return any(c.isdigit() for c in code) or is_address
    if not is_address:
        return False
    turns = sum(a.isalpha() and b.isalpha() and a.isupper() != b.isupper() for a, b in pairwise(code))
    has_digit = any(c.isdigit() for c in code)
    return (has_digit and any(c.isupper() for c in code)) or turns >= 3

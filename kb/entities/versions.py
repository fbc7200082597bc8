"""Versions that a text names: ``Flink 1.13.2``, ``JDK 8u202``, ``CDH 6.3``, ``spark-core_2.12-3.1.1.jar``."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import re2

from kb.entities.components import Component, table_of

MOST = 12
"""Versions of one incident that are kept."""
_LONGEST = 20_000
_RUNTIMES = {
    "jdk": "jdk", "openjdk": "jdk", "jre": "jdk", "java": "jdk", "java version": "jdk", "python": "python", "scala": "scala",
    "cdh": "cdh", "cdp": "cdp", "hdp": "hdp", "emr": "emr", "php": "php", "ruby": "ruby", "golang": "go", "go": "go", "node": "nodejs",
    "centos": "centos", "ubuntu": "ubuntu", "debian": "debian", "rhel": "rhel", "cuda": "cuda", "glibc": "glibc", "gcc": "gcc",
    "openssl": "openssl", ".net": "dotnet", ".net core": "dotnet", ".net framework": "dotnet framework", "kernel": "linux",
}  # fmt: skip
"""What is no component and has versions: word → how it is shown."""
_NUMBER = r"v?(\d{1,4}(?:\.\d{1,6}){1,3}(?:[._-](?:\d{1,4}|RELEASE|Final|GA|SNAPSHOT|SP\d{1,2}|(?:alpha|beta|rc|m|p|u|cdh|hdp|hotfix)(?:\.?\d{1,4}){0,4}))?)"
_WHOLE = {"jdk", "openjdk", "java", "jre", "cdh", "hdp", "centos", "ubuntu", "debian", "rhel"}
"""Words after which a whole number is a version."""
_JAR = re2.compile(
    r"\b([a-zA-Z][a-zA-Z0-9]{1,30}(?:[-_.][a-zA-Z][a-zA-Z0-9]{0,30}){0,7})(?:_2\.1[0-3])?-(\d{1,4}(?:\.\d{1,6}){1,3}(?:[.-][A-Za-z][A-Za-z0-9.]{0,20}?)?)\.jar\b"
)
_PRIVATE = re.compile(r"0\.0\.0\.0|(?:10|127|172|192)\.\d+\.\d+\.\d+|\d{3,}\..*|(?:19|20)\d\d\..*|0\d.*")


def versions_of(text: str, house: Sequence[Component] = ()) -> tuple[str, ...]:
    """The distinct versions that a text names, as ``name number``, in its order. Addresses and dates are none."""
    readable = text[:_LONGEST].encode("utf-8", "replace").decode()
    named, whole, shown = _patterns(tuple(house))
    found = [
        (one.start(), f"{shown[_flat(one[1])]} {one[2]}") for one in named.finditer(readable) if _is_version(one[2])
    ]
    found += [(one.start(), f"{shown[_flat(one[1])]} {one[2]}") for one in whole.finditer(readable)]
    found += [(one.start(), f"{one[1]} {one[2]}") for one in _JAR.finditer(readable)]
    return tuple(dict.fromkeys(version for _, version in sorted(found)))[:MOST]


def artifacts_of(text: str, words: Iterable[str]) -> tuple[str, ...]:
    """Versions of the jars in a trace whose names begin with one of the words: most of the others are everybody's."""
    first = {word.split()[0] for word in words}
    found = (f"{one[1]} {one[2]}" for one in _JAR.finditer(text[:_LONGEST].encode("utf-8", "replace").decode()))
    return tuple(dict.fromkeys(one for one in found if re.split(r"[-_. ]", one.lower(), maxsplit=1)[0] in first))[:MOST]


def _is_version(number: str) -> bool:
    return _PRIVATE.fullmatch(number) is None


def _flat(word: str) -> str:
    return " ".join(word.lower().split())


@lru_cache(maxsize=4)
def _patterns(house: tuple[Component, ...]) -> tuple[Any, Any, dict[str, str]]:
    """A pattern for words with a number of parts, one for those with a whole number, and how each word is shown."""
    shown = {**table_of(house).words, **_RUNTIMES}
    options = re2.Options()
    options.case_sensitive, options.log_errors = False, False
    between = r"(?:[ ]?(?:version|ver|版本)?(?:号|为|是)?[ :：=]{0,2}|[-_/])"
    named = rf"({_any(shown)}){between}{_NUMBER}"
    whole = rf"\b({_any(_WHOLE)})[ -]?(\d{{1,2}}(?:u\d{{1,3}})?)(?:[^0-9A-Za-z._-]|\.[^0-9]|\z)"
    return re2.compile(named, options), re2.compile(whole, options), shown


def _any(words: Iterable[str]) -> str:
    ordered = sorted(words, key=len, reverse=True)
    return "|".join((r"\b" if word[0].isalnum() else "") + re2.escape(word) for word in ordered)

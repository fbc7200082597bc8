"""A document taken apart → the incident it tells of."""

import re
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath

from kb.article.blocks import Block, Document, Kind, plain
from kb.article.frontmatter import day_of, list_of, text_of
from kb.article.sections import Section, sections, without_chrome
from kb.article.stated import stated
from kb.article.traces import Found, traces_of
from kb.article.vocabulary import Role, heading_roles
from kb.incident import Incident, Source
from kb.language import detect
from kb.record import read_chains, scrub, short_hash, slug

_SYMPTOM_LIMIT = 600
_URL_KEYS = ("url", "link", "source_url", "original_url", "canonical_url", "source", "origin", "from", "permalink")
_SOURCE_LINE = re.compile(
    r"(?:原文(?:链接|地址)?|本文(?:链接|地址)|转载自|转自|来源|original(?: post| article)?|source|originally published at)\W{0,8}?(https?://[^\s)>\]\"'，。]{4,500})",
    re.IGNORECASE,
)
_CODE_LINE = re.compile(r"\s*(?:at\s+[\w.$]+[.(]|Caused by:|[{}<>$#|]|\.\.\. \d+ )|.*[;{}]\s*\Z")


def incident_of(document: Document, name: str) -> Incident | None:
    """The one incident of a document, or None when it has no words and no trace."""
    document = Document(document.text, without_chrome(document.blocks), document.title, document.meta)
    found = traces_of(document)
    title = title_of(document, found, name)
    parts = sections(document.blocks, title)
    is_trace = _trace_lines(found)
    main = next((one for one in found if any(raised.stack.frames for raised in one.chain.exceptions)), None)
    cause, fix = stated(parts, is_trace, _trace_lines([main]) if main else is_trace)
    symptom = _symptom(parts, is_trace)
    prose = _prose(parts, is_trace, [title, *filter(None, (symptom, cause, fix))])
    if not found and not prose and symptom is None and cause is None and fix is None:
        return None
    traces = tuple(one.text for one in found)
    shown = "\n".join(filter(None, (title, symptom, cause, fix, prose)))
    incident = Incident(
        id=text_of(document.meta, "id") or default_id(name),
        title=title,
        lang=detect(plain(shown)),
        source=Source(path=name, url=_url(document, name)),
        component=text_of(document.meta, "component", "product"),
        versions=list_of(document.meta, "versions"),
        symptom=symptom,
        root_cause=cause,
        fix=fix,
        traces=traces,
        chains=read_chains(traces),
        prose=prose,
        tags=list_of(document.meta, "tags", "tag", "keywords", "categories", "category"),
        created=day_of(document.meta.get("created") or document.meta.get("date") or document.meta.get("pubdate")),
    )
    return scrub(incident)


def default_id(name: str) -> str:
    """The id of a document that states none: readable, and unique by the hash of its path."""
    return f"{slug(PurePosixPath(name).stem)}-{short_hash(name)}"


def title_of(document: Document, found: tuple[Found, ...], name: str) -> str:
    """The title: stated, else the first heading that is one, else the head of the first trace, else the first words, else the name."""
    stated = text_of(document.meta, "title") or document.title
    if stated:
        return plain(stated).strip() or stated
    headings = [block for block in document.blocks if block.kind is Kind.HEADING and plain(block.text).strip()]
    top = min((block.level for block in headings), default=0)
    for block in headings:
        words = " ".join(plain(block.text).split())
        if (
            block.level == top
            and not (block is not headings[0] and block.level > 1)
            and (block.level == 1 or not heading_roles(words))
        ):
            return words[:300]
    stem = PurePosixPath(name).stem
    if re.search(r"[\u4e00-\u9fff]{2}", stem) or len(re.findall(r"[A-Za-z]{2,}", stem)) >= 3:
        return " ".join(re.split(r"[\s_]+|(?<=\w)-(?=\w)", stem))
    for one in found:
        head = one.text.strip().split("\n", 1)[0].strip()
        if head:
            return head[:200]
    for block in document.blocks:
        words = " ".join(plain(block.text).split())
        if words and block.kind is not Kind.CODE and not (block.kind is Kind.HEADING and heading_roles(words)):
            return words[:120]
    return PurePosixPath(name).stem or name or "untitled"


def _url(document: Document, name: str) -> str:
    stated = text_of(document.meta, *_URL_KEYS)
    if stated and stated.startswith(("http://", "https://")):
        return stated
    for block in (*document.blocks[:6], *document.blocks[-6:]):
        if block.kind is not Kind.CODE and (found := _SOURCE_LINE.search(block.text[:2_000])):
            return found[1]
    return name


def _trace_lines(found: Iterable[Found]) -> Callable[[str], bool]:
    lines = {line.strip() for one in found for line in one.text.splitlines() if line.strip()}
    return lambda line: line.strip() in lines


def _symptom(parts: tuple[Section, ...], is_trace: Callable[[str], bool]) -> str | None:
    """The stated symptom, else the first words of the document that are no section of another role."""
    for part in parts:
        if Role.SYMPTOM in part.roles and (words := _words(part.blocks, is_trace, _SYMPTOM_LIMIT)):
            return words
    for part in parts:
        before = _before_trace(part, is_trace)
        if before and (words := _words(before, is_trace, _SYMPTOM_LIMIT)) and len(words) >= 20:
            return words
    for part in parts:
        if (not part.roles or part.roles[0] in {Role.TRACE, Role.BACKGROUND}) and (
            words := _words(part.blocks, is_trace, _SYMPTOM_LIMIT)
        ):
            return words
    return None


def _before_trace(part: Section, is_trace: Callable[[str], bool]) -> tuple[Block, ...]:
    """The last blocks of words before the first trace, when it stands in this section."""
    for at, block in enumerate(part.blocks):
        if any(is_trace(line) for line in block.text.split("\n")):
            words = [one for one in part.blocks[:at] if one.kind is not Kind.CODE]
            return tuple(words[-2:])
    return ()


def _words(blocks: Iterable[Block], is_trace: Callable[[str], bool], limit: int) -> str | None:
    taken: list[str] = []
    size = 0
    for block in blocks:
        if block.kind is Kind.CODE:
            continue
        text = _without_traces(block.text, is_trace)
        if not text or (taken and size + len(text) > limit):
            if taken:
                break
            continue
        taken.append(text if len(text) <= 2 * limit else text[: 2 * limit])
        size += len(text)
    return "\n".join(taken) or None


def _without_traces(text: str, is_trace: Callable[[str], bool]) -> str:
    lines = (line for line in text.split("\n") if not is_trace(line))
    kept = "\n".join(plain(line).strip() for line in lines if not _CODE_LINE.match(line)).strip()
    return kept if re.search(r"\w", kept) else ""


def _prose(parts: tuple[Section, ...], is_trace: Callable[[str], bool], taken: list[str]) -> str:
    """Every word that is no code, no trace and no list of links, and was not taken as title, symptom, cause or fix."""
    said = {" ".join(line.split()) for text in taken for line in plain(text).split("\n")} - {""}
    inner = sorted((one for one in said if len(one) >= 12), key=len, reverse=True)[:12]
    lines: list[str] = []
    for part in parts:
        if Role.REFERENCE in part.roles:
            continue
        if part.title and not part.labelled and " ".join(part.title.split()) not in said:
            lines.append(part.title)
        for block in part.blocks:
            if block.kind is Kind.CODE:
                continue
            for line in _without_traces(block.text, is_trace).split("\n"):
                rest = " ".join(line.split())
                for one in inner:
                    rest = rest.replace(one, "")
                if re.search(r"\w", rest) and rest not in said:
                    lines.append(rest.strip())
    return "\n".join(lines)

"""JSON records: their messages and stack traces, kept as text or as lists of frames."""

import json
import re
from collections import deque
from collections.abc import Callable, Iterator

from kb.trace.finding.fields import Leaf, Node, Tree, json_tree, object_in
from kb.trace.finding.mapped_text import MappedPiece, Unwrapped, Unwrapper
from kb.trace.finding.needles import has_needle

# Stacks that a record keeps as a list: of lines, or of objects such as ``{"file": ..., "line": ..., "function": ...}``.
#
# They are put into the form in which their runtime prints them, since the readers of traces know that one.

Line = tuple[str, int, int]
"""A line of the trace, and the place in the record that it was made of."""

_LISTS = ("stacktrace", "stack", "stacktracestring", "extendedstacktrace", "backtrace", "traceback", "trace", "frames", "steparray", "parsedstack", "applicationtrace")  # fmt: skip
_TYPES = ("exctype", "errortype", "exceptiontype", "exceptionclass", "errorclass", "class", "classname", "kind", "name", "type", "exception", "typename")  # fmt: skip
_MESSAGES = ("excvalue", "errormessage", "exceptionmessage", "message", "value", "msg")
_CAUSES = ("cause", "previous", "innererror", "innerexception")
_FILES = ("filename", "file", "filepath", "path")
_NUMBERS = ("line", "lineno", "linenumber")
_FUNCTIONS = ("function", "method", "methodname", "name", "func")
_CLASSES = ("class", "classname", "declaringclass")

_MOST_VISITED = 2_000
_MOST_CAUSES = 16
_PYTHON = re.compile(r'\s*+File "')
_RUBY = re.compile(r"\S[^\n]{0,1000}?:\d{1,7}:in [`'‘“]")
_JAVA = re.compile(r"[\w.$<>/@-]{3,400}+\([\w$. -]{1,200}+(?::\d{1,7})?\)\s*\Z")
_PLACE = re.compile(r"(?P<file>\S[^\n]{0,1000}\.php):(?P<line>\d{1,7})\Z")
_NUMBERED = re.compile(r"#\d{1,4} (?:\{main\}|\[internal function\]|[^\s()]{1,500}\(\d{1,7}\))")
_HEADLESS = re.compile(r"(?: |\\t){0,8}+(?:at |File \\{1,2}\"|#0 )")
_AT = re.compile(r"\s*+(?:at\s|#\d)|[^\s@]{0,300}@\S{1,1000}:\d")


def stack_in(tree: Tree) -> list[Line]:
    """Return the lines of the trace that a record keeps as a list, its head and its causes with it; [] if it keeps none."""
    for owner, frames, others in _owners(tree):
        lines = _trace(owner, frames, others)
        if lines:
            return lines
    return []


def _owners(tree: Tree) -> Iterator[tuple[Tree, list[Node], list[Node]]]:
    """Objects that hold a list of frames, the list, and the objects behind theirs in a list; outer ones first."""
    waiting: deque[tuple[Tree, list[Node]]] = deque([(tree, [])])
    for _ in range(_MOST_VISITED):
        if not waiting:
            return
        node, others = waiting.popleft()
        frames = _frames(node)
        if frames:
            yield node, frames, others
        for inner in (*node.values(), *_dotted(node)):
            if isinstance(inner, dict):
                waiting.append((inner, []))
            elif isinstance(inner, list) and inner and isinstance(inner[0], dict):
                waiting.append((inner[0], inner[1:_MOST_CAUSES]))


def _dotted(node: Tree) -> list[Tree]:
    """Return the objects that dotted names stand for: ``error.type`` and ``error.stack_trace`` are fields of one."""
    made: dict[str, Tree] = {}
    for key, value in node.items():
        before, _, last = key.rpartition(".")
        if before:
            made.setdefault(before, {})[last] = value
    return list(made.values())


def _frames(node: Tree) -> list[Node]:
    """Return the frames that an object holds: a list, or a text that begins with a frame and so lacks type and message."""
    held = [node[name] for name in _LISTS if name in node]
    texts = [one for one in held if isinstance(one, Leaf) and one.is_text and one.text]
    for text in texts:
        if _leaf(node, _TYPES) is not None and _HEADLESS.match(text.text) is not None:
            return [text]
    if any("\\n" in one.text for one in texts):  # the trace as it was printed is there, too
        return []
    return next((one for one in held if isinstance(one, list) and one), [])


def _trace(owner: Tree, frames: list[Node], others: list[Node]) -> list[Line]:
    form = _form_of(frames)
    if form is None:
        return []
    blocks, seen = [form(owner, frames)], 0
    inner = [one for one in others if isinstance(one, dict) and "iscause" in one]
    while not inner and seen < _MOST_CAUSES:
        cause = next((one for name in _CAUSES if isinstance(one := owner.get(name), dict)), None)
        if cause is None:
            break
        owner, seen = cause, seen + 1
        blocks.append(_caused(form, cause))
    if form is not _as_python:
        return [line for block in blocks for line in block]
    blocks += [_as_python(one, _frames(one)) for one in inner]
    causal = "The above exception was the direct cause of the following exception:"
    joint: list[Line] = [("", *blocks[0][0][1:]), (causal, *blocks[0][0][1:]), ("", *blocks[0][0][1:])]
    lines = blocks.pop()
    while blocks:  # Python prints the cause first
        lines = [*lines, *joint, *blocks.pop()]
    return lines


Form = Callable[[Tree, list[Node]], list[Line]]


def _form_of(frames: list[Node]) -> Form | None:
    """Return how the runtime prints them; None for a list that is no stack."""
    texts = [one.value for one in frames[:3] if isinstance(one, Leaf) and one.is_text]
    if texts:
        for pattern, form in (
            (_PYTHON, _as_python),
            (_RUBY, _as_ruby),
            (_JAVA, _as_java),
            (_PLACE, _as_php),
            (_NUMBERED, _as_php),
            (_AT, _as_printed),
        ):
            if any(pattern.match(text) for text in texts):
                return form
        return None
    file, number, function, _ = next((_parts(one) for one in frames if isinstance(one, dict)), ("", "", "", ""))
    if not function and not (file and number):
        return None
    forms: dict[str, Form] = {"py": _as_python, "php": _as_php, "rb": _as_ruby, "cs": _as_dotnet, "go": _as_go}
    forms |= dict.fromkeys(("java", "kt", "scala", "groovy", "clj"), _as_java)
    return forms.get(file.rpartition(".")[2], _as_printed)


def _caused(form: Form, cause: Tree) -> list[Line]:
    lines = form(cause, _frames(cause))
    if form is _as_php or not lines:
        return [(f"[previous exception] {lines[0][0]}", *lines[0][1:]), *lines[1:]] if lines else []
    return [(f"Caused by: {lines[0][0]}", *lines[0][1:]), *lines[1:]]


def _head(owner: Tree) -> Line:
    kind, message = _leaf(owner, _TYPES), _leaf(owner, _MESSAGES)
    if kind is None:
        return ("", 0, 0)
    text = kind.value + (f": {message.value}" if message is not None and message.value else "")
    leaves = [kind, message] if message is not None else [kind]
    return (text, min(one.begin for one in leaves), max(one.end for one in leaves))


def _as_python(owner: Tree, frames: list[Node]) -> list[Line]:
    head, lines = (
        _head(owner),
        _printed(frames, lambda file, line, name, _: f'  File "{file}", line {line}, in {name or "?"}'),
    )
    start = lines[0][1] if lines else head[1]
    return [("Traceback (most recent call last):", start, start), *lines, *([head] if head[0] else [])]


def _as_ruby(owner: Tree, frames: list[Node]) -> list[Line]:
    lines = _printed(frames, lambda file, line, name, _: f"{file}:{line}:in `{name or '<main>'}'")
    kind, message = _leaf(owner, _TYPES), _leaf(owner, _MESSAGES)
    if not lines or kind is None:
        return lines
    text, begin, end = lines[0]
    first = (f"{text}: {message.value if message is not None else kind.value} ({kind.value})", begin, end)
    return [first, *((f"\tfrom {text}", begin, end) for text, begin, end in lines[1:])]


def _as_java(owner: Tree, frames: list[Node]) -> list[Line]:
    lines = _printed(
        frames,
        lambda file, line, name, owner: f"{f'{owner}.' if owner else ''}{name}({file}{f':{line}' if line else ''})",
    )
    head = _head(owner)
    body = [(text if text.lstrip().startswith("at ") else f"\tat {text}", begin, end) for text, begin, end in lines]
    return [*([head] if head[0] else []), *body]


def _as_php(owner: Tree, frames: list[Node]) -> list[Line]:
    lines = _printed(
        frames,
        lambda file, line, name, owner: f"{file}({line}): {f'{owner}->' if owner else ''}{name or '{closure}'}()",
    )
    texts = [_PLACE.sub(r"\g<file>(\g<line>)", text) for text, _, _ in lines]
    kind, message, file = (_leaf(owner, names) for names in (_TYPES, _MESSAGES, ("file",)))
    number = _leaf(owner, ("line",))
    where = "" if file is None else file.value if number is None else f"{file.value}:{number.value}"
    code = _leaf(owner, ("code",))
    head = (
        f"[object] ({kind.value}(code: {code.value if code is not None else 0}): {message.value if message is not None else ''} at {where})"
        if kind is not None
        else ""
    )
    place = (kind.begin, kind.end) if kind is not None else (0, 0)
    body = [
        (text if text.startswith("#") else f"#{at} {text}", begin, end)
        for at, (text, (_, begin, end)) in enumerate(zip(texts, lines, strict=True))
    ]
    return [(head, *place), ("[stacktrace]", *place), *body] if head else body


def _as_dotnet(owner: Tree, frames: list[Node]) -> list[Line]:
    lines = _printed(frames, lambda file, line, name, _: f"   at {name}() in {file}:line {line}")
    head = _head(owner)
    return [*([head] if head[0] else []), *lines]


def _as_go(owner: Tree, frames: list[Node]) -> list[Line]:
    lines = _printed(frames, lambda file, line, name, _: f"{name}\n\t{file}:{line}")
    head = _head(owner)
    return [*([head] if head[0] else []), *lines]


def _as_printed(owner: Tree, frames: list[Node]) -> list[Line]:
    """Lines that are a runtime's own already, or V8's form for frames whose runtime is not known."""
    lines = _printed(frames, lambda file, line, name, _: f"    at {name or '<anonymous>'} ({file}:{line or 0}:0)")
    head = _head(owner)
    return [*([head] if head[0] and lines and _AT.match(lines[0][0]) else []), *lines]


def _printed(frames: list[Node], form: Callable[[str, str, str, str], str]) -> list[Line]:
    lines: list[Line] = []
    for frame in frames:
        if isinstance(frame, Leaf):
            lines += [(text, frame.begin, frame.end) for text in frame.value.rstrip().split("\n")]
        elif isinstance(frame, dict):
            leaves = [one for one in frame.values() if isinstance(one, Leaf)]
            if leaves:
                lines.append((form(*_parts(frame)), leaves[0].begin, leaves[-1].end))
    return lines


def _parts(frame: Tree) -> tuple[str, str, str, str]:
    """File, line, function and class of a frame; '' for what it lacks."""
    found = [_leaf(frame, names) for names in (_FILES, _NUMBERS, _FUNCTIONS, _CLASSES)]
    file, line, function, owner = ("" if one is None or one.value == "null" else one.value for one in found)
    return file, line, function, owner


def _leaf(node: Tree, names: tuple[str, ...]) -> Leaf | None:
    return next((one for name in names if isinstance(one := node.get(name), Leaf) and one.value != "null"), None)


_STRING = re.compile(
    r'"(?P<text>[^"\\]*+(?:\\.[^"\\]*+)*+)(?:"(?P<colon>[ \t]*+:)?|\\?\Z)'
)  # the last one may be cut off
_LINE_KEYS = ("log", "MESSAGE", "message", "msg", "line", "textPayload", "@message", "body")
_STACKED = re.compile(
    r'"(?:[\w.]{1,40}\.)?(?:[sS]tack_?[tT]race(?:String)?|[sS]tack|extendedStackTrace|back_?trace|trace_?back|trace|frames|stepArray|parsedStack)" ?: ?'
    r'(?:\[ {0,8}+["{]|"(?: |\\t){0,8}+(?:at |File \\{1,2}"|#0 ))'
)
"""A stack as a list, of lines or of objects; or as a text without the line of type and message."""
_MAYBE_STACKED = re.compile(r'": ?(?:\[ {0,8}+["{]|"(?: |\\t){0,8}+(?:at |File |#0 ))')
"""The same under any name: three times as fast, and most lines have none."""
_BREAK = re.compile(r"(?:\\\\|\\(?!n|r\\n)[\s\S]|[^\\])*+(?P<mark>(?:\\r)?\\n|$)")


def record_of(line: str) -> Unwrapper | None:
    """Return how a JSON record and those like it are opened; None where the line is none, or none that tells."""
    if ("\\n" in line or _is_stacked(line)) and _from_record(line, 0) is not None:
        return Unwrapper(_from_record, is_whole=line.startswith("{") and line.rstrip().endswith("}"))
    field = _from_field(line, 0)
    if field is not None and has_needle("".join(piece.text for piece in field[1])):
        return Unwrapper(_from_field, is_on_every_line=True)
    if _from_values(line, 0) is not None:
        return Unwrapper(_from_values, is_whole=True)
    return Unwrapper(_from_field, is_on_every_line=True) if field is not None else None


def _from_record(line: str, at: int) -> Unwrapped | None:
    """Return a record of which one field holds a whole trace: the field alone is read."""
    if _is_stacked(line) and (lines := _from_list(line, at)):
        return "", lines
    start = line.find('{"')
    if start < 0 and not line.lstrip().startswith('"') and "{ " not in line:
        return None
    pieces: list[MappedPiece] = []
    whole: list[str] = []
    for found in _STRING.finditer(line, max(start, 0)):
        if found["colon"] or "\\n" not in found["text"]:
            continue
        fields = _decoded(line, found.start("text"), found.end("text"))
        value = "\n".join(text for text, _, _ in fields)
        if ("\n" not in value.strip() and "\\n" not in value) or any(value.strip() in other for other in whole[:8]):
            continue
        if not has_needle(value):
            continue
        whole.append(value)
        pieces += [MappedPiece(text + "\n", at + begin, at + end) for text, begin, end in fields]
        pieces.append(MappedPiece("\n", pieces[-1].end, pieces[-1].end))
    return ("", pieces) if pieces else None


def _is_stacked(line: str) -> bool:
    return _MAYBE_STACKED.search(line) is not None and _STACKED.search(line) is not None


def _from_list(line: str, at: int) -> list[MappedPiece]:
    """Return the trace that a record keeps as a list; [] where the list is no stack.

    All of its lines have one place, since type and message may be behind the frames.
    """
    start = object_in(line)
    found = stack_in(json_tree(line, start)[0]) if start >= 0 else []
    begin, end = min((one[1] for one in found), default=0), max((one[2] for one in found), default=0)
    return [MappedPiece(text + "\n", at + begin, at + end) for text, _, _ in found]


def _from_field(line: str, at: int) -> Unwrapped | None:
    """Return a record that holds one line of the log in one field."""
    body = line.strip()
    if not body.startswith("{") or not body.endswith("}"):
        return None
    named = [key for key in _LINE_KEYS if f'"{key}"' in line]
    values: dict[str, tuple[int, int]] = {}
    key = ""
    for found in _STRING.finditer(line) if named else ():
        if found.lastgroup == "colon":
            key = found[1]
        elif key in named and key not in values:
            values[key] = found.span(1)
            if key == named[0]:  # no better one can follow
                break
    chosen = next((key for key in named if key in values), None)
    if chosen is None:
        return None
    begin, end = values[chosen]
    # docker cuts a line after 16 KB: only the last part has the line break
    is_partial = body.startswith('{"log":"') and '"stream":"' in body and not line.endswith("\\n", begin, end)
    fields = _decoded(line, begin, end)
    while len(fields) > 1 and not fields[-1][0]:
        fields.pop()
    last = len(fields) - 1
    return "", [
        MappedPiece(text + ("" if number == last and is_partial else "\n"), at + first, at + stop)
        for number, (text, first, stop) in enumerate(fields)
    ]


def _from_values(line: str, at: int) -> Unwrapped | None:
    """Return a record of which a field holds an error of one line: each such value is a line, without the names and marks around it."""
    is_record = line.rstrip().endswith("}")  # a line that goes on is several, joined
    start = 0 if line.lstrip().startswith('"') else object_in(line) if is_record else -1
    if start < 0:
        return None
    pieces: list[MappedPiece] = []
    behind = -1
    for found in _STRING.finditer(line, start):
        is_value = 0 <= behind <= found.start() and not line[behind : found.start()].strip()
        behind = found.end() if found["colon"] else -1
        if not is_value or not found[0].endswith('"'):  # one that is not closed goes on in the next line
            continue
        value = _plain(found["text"])
        if has_needle(value):
            pieces.append(MappedPiece(value + "\n", at + found.start("text"), at + found.end("text")))
            pieces.append(MappedPiece("\n", pieces[-1].end, pieces[-1].end))
    return ("", pieces) if pieces else None


def _decoded(line: str, begin: int, end: int) -> list[tuple[str, int, int]]:
    """Return the lines of a JSON string, decoded, each with where it is on the record's line."""
    found = []
    if line.find("\\\\", begin, end) < 0:  # no escaped escapes: every \\n is a break
        while (stop := line.find("\\n", begin, end)) >= 0:
            found.append((_plain(line[begin:stop].removesuffix("\\r")), begin, stop))
            begin = stop + 2
        return [*found, (_plain(line[begin:end]), begin, end)]
    while True:
        piece = _BREAK.match(line, begin, end)
        stop = piece.start("mark") if piece is not None else end
        found.append((_plain(line[begin:stop]), begin, stop))
        if piece is None or (piece.end() >= end and not piece["mark"]):
            return found
        begin = piece.end()


def _plain(text: str) -> str:
    if "\\" in text:
        text = text.replace("\\t", "\t") if "\\\\" not in text else text
    if "\\" not in text:
        return text
    try:
        return str(json.loads(f'"{text}"', strict=False)).replace("\r", " ")
    except ValueError:
        return text.replace("\\t", "\t").replace('\\"', '"')

"""Cuts a search result that Jira exported as CSV: one issue to a row, headers that come again and again."""

import csv
import io
import json
import re
from collections.abc import Iterator

from ingest.quality import Reason
from ingest.sources.exports.records import DamagedError, Record
from ingest.sources.formats import DocumentFormat
from ingest.sources.listing import MAX_DOCUMENT
from kb.article.decode import decode

_SAMPLE = 64 << 10
_MOST_BROKEN = 1_000
_KEYS = ("Issue key", "Key")
_TYPE = "Issue Type"
_TITLE = "Summary"
_CHINESE = {
    "概要": _TITLE,
    "问题关键字": "Issue key",
    "问题类型": _TYPE,
    "描述": "Description",
    "环境": "Environment",
    "状态": "Status",
    "解决结果": "Resolution",
    "创建日期": "Created",
    "影响版本": "Affects Version/s",
    "修复的版本": "Fix Version/s",
    "修复版本": "Fix Version/s",
    "模块": "Component/s",
    "标签": "Labels",
    "评论": "Comment",
    "备注": "Comment",
    "注释": "Comment",
}
"""What Jira calls its columns where it speaks Chinese."""
_CUSTOM = re.compile(r"自定义字段\s?[(（](.{1,200})[)）]\Z")


def is_jira_header(line: str) -> bool:
    """Whether the first line of a table is that of an export of Jira, in English or in Chinese."""
    names = {_in_english(cell.strip().strip('"')).lower() for cell in re.split(r"[,;\t]", line)}
    return _TITLE.lower() in names and not names.isdisjoint(name.lower() for name in (*_KEYS, _TYPE))


def _in_english(header: str) -> str:
    custom = _CUSTOM.match(header)
    return f"Custom field ({custom[1]})" if custom else _CHINESE.get(header, header)


def cut_csv(stream: io.BufferedReader) -> Iterator[Record]:
    """Every row as ``{"row": {header: [cell, …]}}``; after a broken one, reading goes on in the next line. Raises `DamagedError`."""
    csv.field_size_limit(MAX_DOCUMENT)
    rows = csv.reader(_lines(stream), delimiter=_delimiter(stream.peek(_SAMPLE)[:_SAMPLE]), strict=True)
    headers: list[str] = []
    broken = 0
    while broken < _MOST_BROKEN:
        try:
            cells = next(rows, None)
        except csv.Error as error:
            broken += 1
            yield Record(
                f"#line-{rows.line_num}", b"", DocumentFormat.JIRA, rows.line_num, Reason.INVALID_RECORD, str(error)
            )
            continue
        if cells is None:
            return
        if not headers:
            headers = [_in_english(header.strip()) for header in cells]
        elif any(cell.strip() for cell in cells):
            yield _record(headers, cells, rows.line_num)
    raise DamagedError(f"more than {_MOST_BROKEN:,} rows are no CSV")


def _record(headers: list[str], cells: list[str], line: int) -> Record:
    row: dict[str, list[str]] = {}
    for header, cell in zip(headers, cells, strict=False):
        if cell:
            row.setdefault(header, []).append(cell)
    data = json.dumps({"row": row}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    key = next((row[name][0] for name in _KEYS if name in row), "")
    if len(cells) > len(headers):
        detail = f"{len(cells)} cells below {len(headers)} headers"
        return Record(f"#{key or line}", data, DocumentFormat.JIRA, line, Reason.INVALID_RECORD, detail)
    if len(data) > MAX_DOCUMENT:
        return Record(f"#{key or line}", b"", DocumentFormat.JIRA, line, Reason.TOO_LARGE, f"{len(data):,} bytes")
    return Record(f"#{key or line}", data, DocumentFormat.JIRA, line)


def _delimiter(head: bytes) -> str:
    header = head.partition(b"\n")[0]
    return max((",", ";", "\t"), key=lambda sign: header.count(sign.encode()))


def _lines(stream: io.BufferedReader) -> Iterator[str]:
    """The lines as text. The encoding is that of the first of them: exports do not change it midway."""
    encoding = _encoding(stream.peek(_SAMPLE)[:_SAMPLE])
    for line in io.TextIOWrapper(io.BufferedReader(_Bounded(stream)), encoding, errors="replace", newline=""):
        yield line.replace("\0", "")


def _encoding(head: bytes) -> str:
    noted = next((note for note in decode(head).notes if note.startswith("decoded as ")), "")
    named = noted.removeprefix("decoded as ").partition(",")[0]
    return "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else named or "utf-8-sig"


class _Bounded(io.RawIOBase):
    """Refuses a line that never ends."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._since = 0

    def readable(self) -> bool:
        return True

    def readinto(self, target: bytearray | memoryview) -> int:  # type: ignore[override]
        view = memoryview(target)
        data = self._stream.read1(len(view))
        self._since = len(data) - data.rfind(b"\n") if b"\n" in data else self._since + len(data)
        if self._since > MAX_DOCUMENT:
            raise DamagedError(f"a line is longer than {MAX_DOCUMENT:,} bytes")
        view[: len(data)] = data
        return len(data)

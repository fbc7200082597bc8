"""A text of one line that is a native function or fault: somebody pasted the one name that a tool showed."""

import re

from kb.trace.model import Frame, RaisedException, StackTrace
from kb.trace.runtimes.native.frames import frame_of
from kb.trace.runtimes.native.heads import head_of
from kb.trace.runtimes.native.mangled import demangled
from kb.trace.runtimes.native.printed import function_of
from kb.trace.runtimes.native.signature import signature

_LONGEST = 1_000
# Words that stand before the name of a C++ function: specifiers, built-in types, and one type of one's own
_TYPE = r"(?:(?:static|virtual|inline|explicit|constexpr|const|volatile|extern|friend|typename|struct|class|enum|unsigned|signed|long|short|int|void|bool|char|wchar_t|char(?:8|16|32)_t|double|float|auto|size_t|u?int(?:8|16|32|64)_t|decltype\(auto\)|__cdecl|__stdcall|__thiscall|__fastcall|public:|private:|protected:)[*& ]{1,4})"
_OWN_TYPE = re.compile(r"(?:[A-Za-z_]\w{0,60}::){0,6}[A-Za-z_]\w{0,60}(?:<.*>)?(?:::\w{1,60})?[ ]?[*&]{0,2}[ ]")
_SPECIFIERS = re.compile(rf"{_TYPE}{{0,8}}")
_NAME = re.compile(r"(?:[A-Za-z_~$(<{`]|'lambda)")
_OBJECTIVE_C = re.compile(
    r"[-+]\[[A-Za-z_]\w{0,200}(?:\([\w ]{0,100}\))? [\w:]{1,300}\](?:_block_invoke(?:_\d{1,5})?)?$"
)
_BEHIND = re.compile(r"(?:[ ]?(?:const|volatile|&&?|noexcept|\[clone [^\[\]]{1,80}\]|\[with [^\n]{1,400}\]))*$")


def named_in(line: str) -> RaisedException | None:
    """The function or fault that the line is; None for a sentence."""
    line = line.strip()
    if len(line) > _LONGEST:
        return None
    head = head_of(line)
    is_databases = head is not None and head.is_report and (head.type or "").startswith(("DB::", "Poco::"))
    if head is not None and head.type is not None and not is_databases:
        return RaisedException(head.type, head.message)
    printed = frame_of(line)
    if printed is not None:
        return RaisedException(None, None, StackTrace((printed.frame,)))
    if not is_function(line):
        return None
    return RaisedException(None, None, StackTrace((Frame(function_of(line) or line, raw=line),)))


def is_function(line: str) -> bool:
    """Whether the whole line is one C++ or Objective-C function, mangled or in full."""
    if " " not in line and demangled(line) is not None:
        return True
    if _OBJECTIVE_C.match(line):
        return True
    if "::" not in line or "::h" in line or "{{" in line:
        return False
    found = signature(line)
    if found is None or "::" not in found.name or found.is_plain:
        return False
    begin = line.find(found.printed)
    before, behind = line[:begin], line[begin + len(found.printed) :]
    if not _is_type(before) or not _NAME.match(found.printed):
        return False
    if behind[:1] == "(":
        closing = behind.rfind(")")
        behind = behind[closing + 1 :] if closing > 0 else "x"
    return (
        _BEHIND.match(behind) is not None
        and re.fullmatch(r"[\w:~$<>=!+\-*/%^&|,\[\]()\"' .{}#]+", found.name) is not None
    )


def _is_type(text: str) -> bool:
    rest = text[_SPECIFIERS.match(text).end() :] if text else ""  # type: ignore[union-attr]
    if not rest:
        return True
    return _OWN_TYPE.fullmatch(rest) is not None

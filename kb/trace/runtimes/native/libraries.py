"""Which libraries, source files and functions belong to the platform, to a framework, to the application."""

import re
from functools import lru_cache

from kb.trace.rules import names

_SPLIT = re.compile(r"[/\\]")
# libfoo.so.1.2.3, libc-2.31.so, libfoo-1.2.dylib, foo.1.dylib, MSVCR120.dll keeps its number: it is a name
_VERSION = re.compile(
    r"(?:[-.]\d{1,6}(?:\.\d{1,6}){0,5})(?=\.(?:so|dylib)\b)|(?<=\.so)(?:\.\d{1,6}){1,5}$|(?<=[a-zA-Z_])(?:\.\d{1,4}){1,3}(?=\.dylib$)"
)
_PLATFORM_PATH = re.compile(
    r"^(?:\.{0,2}/)*(?:sysdeps|nptl|csu|debug|misc|stdlib|signal|string|malloc|elf|assert|libio|posix|iconv|stdio-common|sunrpc|dlfcn|rt)/"
    r"|/sysdeps/|/glibc[-/]|/libstdc\+\+-v3/|/include/c\+\+/\d|/libcxx(?:abi)?/|/compiler-rt/|/sanitizer_common/|/libsanitizer/|^asan_\w+\.(?:cpp|cc)|^sanitizer_\w+\.(?:cpp|cc|inc)"
    r"|/bionic/libc/|vctools\\crt|\\crt\\(?:src|vcruntime|ucrt)|minkernel\\|\\MSVC\\[\d.]+\\include\\|/v1/(?:__\w+|[a-z_]+)(?:/|$)|onecore\\|/Xcode\S*/usr/include/",
    re.IGNORECASE,
)
_PLATFORM_FOLDER = re.compile(
    r"^(?:/usr/lib/system/|/System/Library/|/apex/com\.android\.|/system/(?:lib|bin|framework)|C:\\Windows\\)",
    re.IGNORECASE,
)


@lru_cache(maxsize=4_096)
def lasting_library(name: str) -> str:
    """The library without its version: ``libssl.so.1.1`` is ``libssl.so``, ``libc-2.31.so`` is ``libc.so``."""
    name = _SPLIT.split(name)[-1]
    for _ in range(3):
        shorter = _VERSION.sub("", name)
        if shorter == name or not shorter.strip("."):
            break
        name = shorter
    return name


@lru_cache(maxsize=16_384)
def library_rank(name: str) -> int:
    """0 an own library, 1 a framework's, 2 the platform's; by the bundled lists."""
    plain = lasting_library(name).lower()
    if plain in names("native_platform_libraries"):
        return 2
    return 1 if plain in names("native_framework_libraries") else 0


@lru_cache(maxsize=16_384)
def function_rank(name: str) -> int:
    """The same for a function: ``std::vector::at`` belongs to the platform wherever it was compiled in."""
    name = name.lstrip(" ")
    if name in names("native_platform") or name in names("native_machinery"):
        return 2
    return 1 if name in names("native_framework") else 0


def is_platform_file(path: str) -> bool:
    """Whether a source file belongs to the C or C++ library."""
    return _PLATFORM_PATH.search(path[:1_000]) is not None


def is_own(function: str | None, module: str | None, filename: str | None) -> bool:
    """Whether a frame is the application's, as far as function, library path and source file tell; not if nothing does."""
    if not (function or module or filename):
        return False
    if module and (library_rank(module) or _PLATFORM_FOLDER.match(module)):
        return False
    if filename and is_platform_file(filename):
        return False
    return not (function and function_rank(function))

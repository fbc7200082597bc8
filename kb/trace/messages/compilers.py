"""How compilers and linkers print an error.

The shapes are those of the tools' own documentation: GNU Coding Standards, 4.4 "Formatting Error Messages" (``file:line:column: error: …``,
``program: error: …``), MSBuild's canonical errors (``origin : error CODE: text``), rustc's ``error[CODE]: …``.
"""

import re

from kb.trace.messages.form import MessageForm, Severity

_PLACE = r"(?:[A-Za-z]:[\\/][^:\n]{1,400}|:?[^\s:]{1,400}):\d{1,7}(?::\d{1,5})?(?:[-.]\d{1,7}(?:[.:]\d{1,5})?)?: "
"""``src/main.c:5:20: ``, ``C:\\src\\Main.java:5: ``"""

_MESSAGE = r"(?P<message>\S.*)"

FORMS: tuple[MessageForm, ...] = (
    # ld: `undef.c:(.text+0xf): undefined reference to `open_store'`, `/usr/bin/ld: a.o: undefined reference to symbol 'x'`
    MessageForm(
        "ld",
        re.compile(
            r"(?:[^\s:]{0,200}\bld(?:\.\w{1,10})?: )?(?:[^\s:]{1,300}:){0,3}(?:\(\.[^()\n]{1,200}\):)?[ ]?"
            r"(?P<message>(?:undefined reference to|multiple definition of|relocation truncated to fit:|relocation R_\w{1,40} against|unresolvable \S{1,60} relocation) \S.*)"
        ),
    ),
    MessageForm("ld", re.compile(r"ld: (?P<message>symbol\(s\) not found for architecture \S.*)"), Severity.SUMMARY),
    MessageForm(
        "ld", re.compile(r"Undefined symbols for architecture [\w-]{1,20}:"), below=re.compile(r"(?P<message>\"\S.*)")
    ),
    # `/usr/bin/ld: cannot find -lcryptopp`, `ld: framework not found Billing`
    MessageForm(
        "ld",
        re.compile(
            r"(?:[^\s:]{0,200}[/-])?ld(?:\.(?:bfd|gold))?: (?:error: |fatal error: )?"
            r"(?P<message>(?:cannot (?:find|open)|framework not found|library not found for|library '|[^\s:]{1,300}: (?:file not recognized|undefined|in function `[^']{1,200}': undefined)|final link failed|unrecognized|file not found|invalid) ?\S.*)"
        ),
    ),
    MessageForm(
        "gcc", re.compile(r"collect2: (?:fatal )?error: (?P<message>ld (?:returned|terminated) .*)"), Severity.SUMMARY
    ),
    # clang, swiftc: `clang: error: linker command failed with exit code 1`
    MessageForm(
        "clang",
        re.compile(
            r"[\w./+-]{1,200}: (?:fatal )?error: (?P<message>(?:linker|link|unable to execute|clang frontend|swift-frontend)[\w ]{0,60} command failed .*)"
        ),
        Severity.SUMMARY,
    ),
    # rustc quotes the linker in a note: `= note: rust-lld: error: undefined symbol: x`
    MessageForm(
        "lld",
        re.compile(r"(?:= note: )?(?:ld\.lld|ld64\.lld|rust-lld|lld-link|wasm-ld|mold): (?:fatal )?error: " + _MESSAGE),
    ),
    # dart before the next: `lib/main.dart:10:15: Error: The getter 'total' isn't defined`
    MessageForm("dart", re.compile(r"[^\s:]{1,400}\.dart:\d{1,7}:\d{1,5}: Error: " + _MESSAGE)),
    # gcc, clang, javac, scalac, swiftc, and what prints like them: `main.c:5:20: error: …`, `config.h:1:10: fatal error: …`
    MessageForm("compiler", re.compile(_PLACE + r"(?:fatal |internal compiler )?error: " + _MESSAGE)),
    MessageForm("compiler", re.compile(_PLACE + r"warning: " + _MESSAGE), Severity.WARNING),
    # meson, bazel's Starlark: `meson.build:2:0: ERROR: Dependency "x" not found`
    MessageForm("meson", re.compile(r"[^\s:]{0,400}\bmeson\.(?:build|options):\d{1,7}:\d{1,5}: ERROR: " + _MESSAGE)),
    # kotlinc under Gradle: `e: file:///src/Main.kt:12:5 Unresolved reference: x`, before 1.8 `e: C:\src\Main.kt: (51, 62): Unresolved…`
    MessageForm(
        "kotlinc",
        re.compile(r"e: (?:file://)?[^\n]{1,400}?\.kts?:(?:\d{1,7}:\d{1,5}:? | \(\d{1,7}, \d{1,5}\): )" + _MESSAGE),
    ),
    MessageForm(
        "kotlinc",
        re.compile(r"w: (?:file://)?[^\n]{1,400}?\.kts?:(?:\d{1,7}:\d{1,5}:? | \(\d{1,7}, \d{1,5}\): )" + _MESSAGE),
        Severity.WARNING,
    ),
    # MSBuild's canonical form: csc, cl, link, NuGet, and tsc without colours. `Program.cs(12,23): error CS1061: … [Shop.csproj]`, `x.obj : error LNK2019: …`
    MessageForm(
        "msbuild",
        re.compile(
            r"(?:\d{1,3}>)?(?:[^\s:][^\n]{0,400}? ?: )?(?:fatal )?error (?P<type>MSB3073|MSB3721|MSB4018|LNK1120|CS5001X): (?P<message>(?:[^\[\n]|\[(?![^\[\]\n]{1,200}(?:proj|sln)\]))++)"
        ),
        Severity.SUMMARY,
    ),
    MessageForm(
        "msbuild",
        re.compile(
            r"(?:\d{1,3}>)?(?:(?:[A-Za-z]:)?[^\s:][^:\n]{0,400}?[ ]?: |[^\s:]{1,400}:\d{1,7}:\d{1,5} - )?(?:fatal )?error (?P<type>[A-Z]{1,10}\d{2,5}) ?: "
            r"(?P<message>(?:[^\[\n]|\[(?![^\[\]\n]{1,200}(?:proj|sln)\]))++)"
        ),
    ),
    # the error list of Visual Studio, copied: columns with tabs between
    MessageForm(
        "msbuild", re.compile(r"Error\s(?P<type>(?:LNK|CS|BC|MSB|NU|FS|C)\d{3,5})\s(?P<message>[^\s][^\t\n]*)")
    ),
    MessageForm("msbuild", re.compile(r"Build (?P<message>FAILED\.)$"), Severity.SUMMARY),
    MessageForm("nvcc", re.compile(r"nvcc (?:fatal|error) {0,4}: " + _MESSAGE)),
    MessageForm(
        "xcodebuild",
        re.compile(
            r"(?:❌ {1,3})?(?:[^\s:]{1,400}: )?error: (?P<message>[^\n]{3,2000}?) \(in target '[^'\n]{1,200}' from project '[^'\n]{1,200}'\)$"
        ),
    ),
    # xcpretty marks errors, Flutter names Xcode
    MessageForm(
        "xcodebuild",
        re.compile(r"(?:❌ {1,3}(?:[^\s:]{1,400}:\d{1,7}:\d{1,5}: )?(?:error: )?|Error \(Xcode\): )" + _MESSAGE),
    ),
    # rustc and cargo
    # cargo's chain of causes: `error: failed to parse manifest at `…``, `Caused by:`, the reason
    MessageForm(
        "cargo",
        re.compile(
            r"error: failed to (?:parse (?:manifest|lock file) at|load (?:manifest|source) for|get `[^`]{1,200}` as a dependency|read `|determine package fingerprint)"
        ),
        below=re.compile(
            r"(?!Caused by:|failed to (?:parse manifest|load source|get `|load manifest)|Unable to update |\.\.\.)(?P<message>\S.*)"
        ),
    ),
    MessageForm(
        "cargo",
        re.compile(
            r"(?:error|warning): (?P<message>could not compile `.*|aborting due to .*|process didn't exit successfully: .*|test failed, to rerun .*|\d{1,5} jobs? failed.*"
            r"|linking with `[^`]{1,200}` failed: .*|failed to run custom build command for .*|build failed.*|failed to compile `.*)"
        ),
        Severity.SUMMARY,
    ),
    MessageForm("rustc", re.compile(r"error\[(?P<type>E\d{4})\]: " + _MESSAGE)),
    MessageForm("rustc", re.compile(r"warning(?:\[\w{1,40}\])?: " + _MESSAGE), Severity.WARNING),
    # go build and vet: `./main.go:5:2: imported and not used: "os"`; a log line of Go has no column
    MessageForm("go", re.compile(r"(?:vet: )?[^\s:]{1,400}\.go:\d{1,7}:\d{1,5}: " + _MESSAGE)),
    MessageForm("go", re.compile(r"\w{1,200}_test\.go:\d{1,7}: " + _MESSAGE)),
    MessageForm("go", re.compile(r"(?P<message>--- FAIL: \S.*|FAIL\t\S.*)"), Severity.SUMMARY),
    MessageForm(
        "go",
        re.compile(
            r"go: (?!downloading |finding |found |extracting |creating |added |upgraded |downgraded |removed |to add |warning)(?P<message>\S+ ?\S.*)"
        ),
    ),
    # go mod tidy: `github.com/spf13/cobra: module github.com/spf13/cobra: Get "http://…": dial tcp …`
    MessageForm(
        "go",
        re.compile(
            r"(?:[\w./@~-]{1,300}: )?(?P<message>(?:module [\w./@~-]{1,300}: (?:Get \"|reading |git )|cannot find (?:module providing )?package |no required module provides package )\S.*)"
        ),
    ),
    MessageForm("go", re.compile(r"(?P<message>package [\w./-]{1,300} is not in (?:GOROOT|std)\b.*)")),
    # GCC in Chinese: `pay.c:3:10: 致命错误：shop.h：没有那个文件或目录`, `gcc: 致命错误：没有输入文件`; warnings are `警告：`
    MessageForm(
        "gcc", re.compile(r"(?:[^\s:]{1,300}:\d{1,7}:(?:\d{1,5}:)?|[\w+.-]{1,60}:) ?(?:致命)?错误[:：] ?" + _MESSAGE)
    ),
    # GNU Coding Standards, 4.4: `program: error: text`; xcrun, argparse, ninja, configure. configure repeats itself: `error: in `/src'`
    MessageForm(
        "cli",
        re.compile(r"(?!(?:the|this|an|and|warning|remote)\b)[\w./+-]{1,200}: (?:fatal )?error: (?!in `)" + _MESSAGE),
    ),
)
"""Tried in this order; the first form that fits a line decides what the line is."""

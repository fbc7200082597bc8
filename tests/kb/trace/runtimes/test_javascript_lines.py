"""JavaScript: which lines are frames, which of them only within a trace, and what is none."""

import pytest

from kb.trace.runtimes.javascript.frames import frame_of, inner_frame_of

# line → function, file, line, column
FRAMES = {
    "named": ("    at f (/srv/a.js:2:1)", "f", "/srv/a.js", 2, 1),
    "file-only": ("    at bootstrap_node.js:357:29", None, "bootstrap_node.js", 357, 29),
    "blanks": ("at    Script.run    (vm.js:25:33)  ", "Script.run", "vm.js", 25, 33),
    "alias": (
        "    at PipeConnectWrap.afterConnect [as oncomplete] (net.js:1068:10)",
        "PipeConnectWrap.afterConnect",
        "net.js",
        1068,
        10,
    ),
    "alias-symbol": ("    at Foo.x [as [Symbol.iterator]] (/a/b.js:1:2)", "Foo.x", "/a/b.js", 1, 2),
    "async": (
        "    at async Loader.import (internal/modules/esm/loader.js:178:24)",
        "Loader.import",
        "internal/modules/esm/loader.js",
        178,
        24,
    ),
    "async-file": ("    at async file:///srv/x.mjs:3:7", None, "file:///srv/x.mjs", 3, 7),
    "async-index": ("    at async Promise.all (index 0)", "Promise.all", "index 0", None, None),
    "new": ("    at new Foo (/srv/a.ts:9:1)", "new Foo", "/srv/a.ts", 9, 1),
    "object": ("    at Object.<anonymous> (/srv/a.js:2:1)", "Object.<anonymous>", "/srv/a.js", 2, 1),
    "extension": (
        "    at Module._extensions..js (node:internal/modules/cjs/loader:1623:10)",
        "Module._extensions..js",
        "node:internal/modules/cjs/loader",
        1623,
        10,
    ),
    "eval": ("    at eval (eval at build (/srv/t.js:7:7), <anonymous>:8:13)", "eval", "/srv/t.js", 7, 7),
    "eval-nested": (
        "    at eval (eval at <anonymous> (eval at g (/fuzz/T.js:7:7)), <anonymous>:4:23)",
        "eval",
        "/fuzz/T.js",
        7,
        7,
    ),
    "eval-nested-places": (
        "    at baz (eval at foo (eval at speak (http://localhost:8080/file.js:21:17), <anonymous>:1:1), <anonymous>:2:3)",
        "baz",
        "http://localhost:8080/file.js",
        21,
        17,
    ),
    "eval-no-function": (
        "    at eval (eval at file:///srv/o.js:3:3, <anonymous>:3:7)",
        "eval",
        "file:///srv/o.js",
        3,
        3,
    ),
    "native": ("    at Array.forEach (native)", "Array.forEach", "native", None, None),
    "anonymous-native": ("    at new Uint8Array (<anonymous>)", "new Uint8Array", "<anonymous>", None, None),
    "anonymous-alone": ("    at <anonymous>", None, "<anonymous>", None, None),
    "anonymous-place": ("    at <anonymous>:1:11", None, "<anonymous>", 1, 11),
    "no-file": ("    at handler (:3:10)", "handler", None, 3, 10),
    "page": ("    at f (http://shop.example/:1:2)", "f", "http://shop.example/", 1, 2),
    "index": ("    at HTMLButtonElement.onclick ((index):12:5)", "HTMLButtonElement.onclick", "(index)", 12, 5),
    "query": (
        "    at f (https://shop.example/static/app.js?v=1.2#x:3:4)",
        "f",
        "https://shop.example/static/app.js",
        3,
        4,
    ),
    "app": ("    at f (app:///src/x.js:1:2)", "f", "app:///src/x.js", 1, 2),
    "webpack": ("    at g (webpack:///./src/y.ts:3:4)", "g", "webpack:///./src/y.ts", 3, 4),
    "webpack-query": ("    at g (webpack:///./src/y.vue?abcd:3:4)", "g", "webpack:///./src/y.vue", 3, 4),
    "webpack-layer": (
        "    at g (webpack-internal:///(rsc)/./src/app/page.tsx:3:4)",
        "g",
        "webpack-internal:///(rsc)/./src/app/page.tsx",
        3,
        4,
    ),
    "webpack-name": (
        "    at ./src/index.js (http://localhost:3000/main.js:12:1)",
        "./src/index.js",
        "http://localhost:3000/main.js",
        12,
        1,
    ),
    "blob": ("    at f (blob:https://h.example/1f0c-44:1:2)", "f", "blob:https://h.example/1f0c-44", 1, 2),
    "windows": (r"    at f (C:\Program Files (x86)\app\a.js:1:2)", "f", r"C:\Program Files (x86)\app\a.js", 1, 2),
    "windows-url": ("    at file:///C:/app/a.mjs:1:2", None, "file:///C:/app/a.mjs", 1, 2),
    "windows-bare": (r"    at C:\app\node_modules\x\a.js:1:2", None, r"C:\app\node_modules\x\a.js", 1, 2),
    "blank-in-path": ("    at f (/home/a b/c.js:1:2)", "f", "/home/a b/c.js", 1, 2),
    "no-extension": ("    at Object.<anonymous> (/srv/bin/www:85:10)", "Object.<anonymous>", "/srv/bin/www", 85, 10),
    "hermes": ("    at render (address at index.android.bundle:1:234567)", "render", "index.android.bundle", 1, 234567),
    "edge": (
        "   at Anonymous function (http://path/to/file.js:47:21)",
        "Anonymous function",
        "http://path/to/file.js",
        47,
        21,
    ),
    "edge-eval": ("   at eval code (eval code:4:18)", "eval code", "eval code", 4, 18),
    "edge-old": ("    at bar http://192.168.31.8:8000/c.js:2:9", "bar", "http://192.168.31.8:8000/c.js", 2, 9),
    "dump": ("    at inner (/srv/t.js:1:45) {", "inner", "/srv/t.js", 1, 45),
    "list": ("        at /srv/t.js:4:40,", None, "/srv/t.js", 4, 40),
    "chinese": ("    at 结算.付款 (/srv/订单.js:4:40)", "结算.付款", "/srv/订单.js", 4, 40),
    "private": ("    at #find (/srv/t.js:4:40)", "#find", "/srv/t.js", 4, 40),
    "getter": ("    at Store.get all [as all] (/srv/t.js:4:40)", "Store.get all", "/srv/t.js", 4, 40),
    "repl": ("    at REPL1:1:1", None, "REPL1", 1, 1),
    "vm": ("    at evalmachine.<anonymous>:1:6", None, "evalmachine.<anonymous>", 1, 6),
    "escaped": ("    at Object.&lt;anonymous&gt; (/srv/a.js:2:1)", "Object.<anonymous>", "/srv/a.js", 2, 1),
    "log-prefix": ("2024-05-06 07:08:09.124 ERROR [shop]     at f (/srv/a.js:2:1)", "f", "/srv/a.js", 2, 1),
    "quoted": ('    at f (/srv/a.js:2:1)",', "f", "/srv/a.js", 2, 1),
    "one-number": ("    at f (a.js:12)", "f", "a.js", 12, None),
    "wasm": ("    at add (wasm://wasm/0001b2c6:wasm-function[12]:0x1a2)", None, None, None, None),
    "gecko": ("checkout@https://s/a.js:1:2", "checkout", "https://s/a.js", 1, 2),
    "gecko-anonymous": ("@https://s/a.js:1:2", None, "https://s/a.js", 1, 2),
    "gecko-inner": ("f/g/<@https://s/a.js:1:2", "f/g/<", "https://s/a.js", 1, 2),
    "gecko-async": ("async*later@https://s/a.js:1:2", "later", "https://s/a.js", 1, 2),
    "gecko-callback": ("promise callback*f/</<@https://s/a.js:1:2", "f/</<", "https://s/a.js", 1, 2),
    "gecko-eval": ("foo@http://localhost/file.js line 26 > eval:2:96", "foo", "http://localhost/file.js", 26, None),
    "gecko-evals": (
        "baz@http://localhost/file.js line 26 > eval line 2 > eval:1:30",
        "baz",
        "http://localhost/file.js",
        26,
        None,
    ),
    "gecko-resource": (
        "render@resource://path/data/content/bundle.js:5529:16",
        "render",
        "resource://path/data/content/bundle.js",
        5529,
        16,
    ),
    "gecko-at-in-url": (
        "who@http://localhost:5000/misc/@stuff/foo.js:3:9",
        "who",
        "http://localhost:5000/misc/@stuff/foo.js",
        3,
        9,
    ),
    "gecko-at-in-name": ('obj["@fn"]@http://h/a.js:1:29', None, None, None, None),
    "gecko-old": ("foo@file:///path/to/file.js:41", "foo", "file:///path/to/file.js", 41, None),
    "jsc-global": ("global code@http://h/a.js:40:3", "global code", "http://h/a.js", 40, 3),
    "jsc-native": ("forEach@[native code]", "forEach", "[native code]", None, None),
    "jsc-file": ("f@/tmp/q.js:1:34", "f", "/tmp/q.js", 1, 34),
    "react-native": (
        "render@http://localhost:8081/index.bundle?platform=ios&dev=true:1:56",
        "render",
        "http://localhost:8081/index.bundle",
        1,
        56,
    ),
}
NO_FRAME = {
    "malformed-bracket": "    at (b[c]d):e.js:2:1",
    "malformed-column": "    at Script.run (vm.js:25:foo)",
    "malformed-line": "    at Script.run (vm.js:foo:33)",
    "malformed-tail": "    at Script.run (vm.js:25:33) at",
    "malformed-closed": "at bootstrap_node.js:357:29)",
    "malformed-closed-apart": "at bootstrap_node.js:357:29 )",
    "malformed-number": " at Foo (1234)",
    "malformed-numbers": " at Foo (1234:25)",
    "malformed-end": " at vm.js:25:",
    "malformed-double": " at vm.js::25",
    "no-at": " bootstrap_node.js:357:29",
    "java": "    at a.b.C.m(C.java:12)",
    "java-blank": "    at a.b.C.m (C.java:12)",
    "kotlin-columns": "    at a.b.C.m (C.kt:12:3)",
    "dotnet": "   at Acme.Pay.Run(Order order) in C:\\src\\Pay.cs:line 42",
    "mono": "  at Acme.Pay.Run (System.Object o) [0x00001] in <abc>:0",
    "python": '  File "a.py", line 3, in f',
    "prose": "we met at 10:22:33 in the office",
    "prose-brackets": "job started at node three (10:22:33)",
    "address": "connected at 10.0.0.7:6379:1",
    "mail": "write to bob@example.com:25:3",
    "git": "git@github.com:acme/shop.git",
    "image": "docker.io/library/node@sha256:2e1b:20",
    "ssh": "root@10.0.0.7:22:1",
    "email-log": "user=bob@shop.example login at 2024-05-06T07:08:09",
    "lua": "\t/srv/a.lua:3: in function 'f'",
    "ruby": "/srv/a.rb:3:in `f'",
}


@pytest.mark.parametrize(("line", "function", "file", "lineno", "column"), FRAMES.values(), ids=FRAMES.keys())
def test_lines_to_frames(
    line: str, function: str | None, file: str | None, lineno: int | None, column: int | None
) -> None:
    frame = frame_of(line)
    if function is None and file is None:
        assert frame is None
        return
    assert frame is not None
    assert (frame.function, frame.filename, frame.lineno, frame.column) == (function, file, lineno, column)
    assert frame.raw == line.strip()


@pytest.mark.parametrize("line", NO_FRAME.values(), ids=NO_FRAME.keys())
def test_what_is_no_frame(line: str) -> None:
    assert frame_of(line) is None


INNER = {
    "firefox-console": ("    pay https://s/a.js:12", "pay", "https://s/a.js", 12),
    "chrome-console": ("pay @ a.js:12", "pay", "a.js", 12),
    "chrome-anonymous": ("(anonymous) @ main.js:3", "(anonymous)", "main.js", 3),
    "safari-console": ("pay — a.js:12:3", "pay", "a.js", 12),
    "vitest": (" ❯ total src/cart.ts:2:31", "total", "src/cart.ts", 2),
    "vitest-file": (" ❯ src/cart.test.ts:5:6", None, "src/cart.test.ts", 5),
    "bundle": ("value@26:1363", "value", None, 26),
    "url": ("http://path/to/file.js:22:15", None, "http://path/to/file.js", 22),
    "native": ("[native code]", None, "[native code]", None),
    "no-place": ("inner@", "inner", "<eval>", None),
}


@pytest.mark.parametrize(("line", "function", "file", "lineno"), INNER.values(), ids=INNER.keys())
def test_lines_that_are_frames_within_a_trace_only(
    line: str, function: str | None, file: str | None, lineno: int | None
) -> None:
    assert frame_of(line) is None
    frame = inner_frame_of(line)
    assert frame is not None
    assert (frame.function, frame.filename, frame.lineno) == (function, file, lineno)

"""JavaScript: lines to frames and heads, scripts to lasting places, whole traces, and what is none."""

import time

import pytest

from kb.trace import Frame, Level, fingerprints, frame_key, normalize, parse
from kb.trace.model import RaisedException, Relation
from kb.trace.runtimes import javascript
from kb.trace.runtimes.javascript.frames import frame_of, inner_frame_of
from kb.trace.runtimes.javascript.heads import head_of, weak_head_of
from kb.trace.runtimes.javascript.messages import normal_message
from kb.trace.runtimes.javascript.names import function_of, loose_key, normal_frame, rank
from kb.trace.runtimes.javascript.places import place_of

RUNTIME = javascript.RUNTIME

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


HEADS = {
    "plain": ("TypeError: x", "TypeError", "x", None, False),
    "bare": ("Error", "Error", None, None, False),
    "code": ("MyError [ERR_X]: msg", "MyError", "msg", "ERR_X", False),
    "dump": ("Error: x {", "Error", "x", None, True),
    "brackets": (
        "[AggregateError: All promises were rejected] {",
        "AggregateError",
        "All promises were rejected",
        None,
        True,
    ),
    "brackets-alone": ("[Error: x]", "Error", "x", None, False),
    "circular": ("<ref *1> Error: x", "Error", "x", None, False),
    "uncaught": ("Uncaught TypeError: x", "TypeError", "x", None, False),
    "promise": ("Uncaught (in promise) TypeError: x", "TypeError", "x", None, False),
    "warning": ("(node:12) UnhandledPromiseRejectionWarning: Error: x", "Error", "x", None, False),
    "deprecation": (
        "(node:12) [DEP0005] DeprecationWarning: Buffer() is deprecated",
        "DeprecationWarning",
        "Buffer() is deprecated",
        None,
        False,
    ),
    "rejection": ("Unhandled rejection SequelizeDatabaseError: x", "SequelizeDatabaseError", "x", None, False),
    "rejected": ("Unhandled Rejection at: Promise Promise { <rejected> Error: x", "Error", "x", None, False),
    "console": ("app.js:12 Uncaught TypeError: x", "TypeError", "x", None, False),
    "log": ("2024-01-02 10:00:00,123 ERROR [main] shop - TypeError: x", "TypeError", "x", None, False),
    "logger-like": ("read: TypeError: null has no properties", "TypeError", "null has no properties", None, False),
    "deno": ("error: Uncaught (in promise) Error: x", "Error", "x", None, False),
    "bun": ("error: TypeError: x", "TypeError", "x", None, False),
    "next": (" ⨯ Error: x", "Error", "x", None, False),
    "gjs": (
        "(gjs:1): Gjs-CRITICAL **: 07:08:09.123: JS ERROR: TypeError: n is undefined",
        "TypeError",
        "n is undefined",
        None,
        False,
    ),
    "jsc": ("Exception: TypeError: x", "TypeError", "x", None, False),
    "gyp": ("gyp ERR! stack Error: `make` failed", "Error", "`make` failed", None, False),
    "dom": (
        "DOMException [DataCloneError]: f could not be cloned",
        "DOMException",
        "f could not be cloned",
        "DataCloneError",
        False,
    ),
    "full-width": ("Error：订单不存在", "Error", "订单不存在", None, False),
    "braces-in-message": ("Error: got { a: 1 }", "Error", "got { a: 1 }", None, False),
    "trace": ("Trace: here", "Trace", "here", None, False),
}


@pytest.mark.parametrize(("line", "type_", "message", "code", "opens"), HEADS.values(), ids=HEADS.keys())
def test_heads(line: str, type_: str, message: str | None, code: str | None, opens: bool) -> None:  # noqa: FBT001
    head = head_of(line)
    assert head is not None
    assert (head.type, head.message, head.code, head.opens) == (type_, message, code, opens)


@pytest.mark.parametrize(
    "line",
    [
        "Caused by: x",
        "Expected: 1",
        "error: something is bad",
        "at Error: x",
        "the Error was handled",
        "",
        "    ",
        "Errors: 0, warnings: 2",
    ],
)
def test_what_is_no_head(line: str) -> None:
    assert head_of(line) is None


def test_a_class_without_a_telling_name_is_a_head_right_above_frames_only() -> None:
    assert head_of("NotFound: no order 7") is None
    found = weak_head_of("NotFound: no order 7")
    assert found is not None
    assert (found.type, found.message) == ("NotFound", "no order 7")
    assert weak_head_of("Expected: 1") is None


# file → module, rank
PLACES = {
    "local": ("/srv/a.js", "a", 0),
    "relative": ("a.js", "a", 0),
    "sources": ("/home/ci/shop/src/orders/pay.ts", "orders/pay", 0),
    "sources-elsewhere": ("/app/src/orders/pay.ts", "orders/pay", 0),
    "build": ("/app/dist/orders/pay.js", "orders/pay", 0),
    "docker-root": ("/usr/src/app/pay.js", "pay", 0),
    "lambda": ("/var/task/pay.js", "pay", 0),
    "index": ("/srv/shop/orders/index.js", "orders/index", 0),
    "index-of-root": ("/srv/shop/index.js", "index", 0),
    "release": ("/srv/releases/20240506/orders.js", "orders", 0),
    "windows": (r"C:\shop\src\orders\pay.ts", "orders/pay", 0),
    "file-url": ("file:///app/src/orders/pay.ts", "orders/pay", 0),
    "file-url-windows": ("file:///C:/shop/src/orders/pay.ts", "orders/pay", 0),
    "app-url": ("app:///src/orders/pay.js", "orders/pay", 0),
    "webpack": ("webpack:///./src/orders/pay.ts", "orders/pay", 0),
    "webpack-name": ("webpack://shop/./src/orders/pay.ts", "orders/pay", 0),
    "webpack-query": ("webpack:///./src/orders/Pay.vue?1a2b", "orders/Pay", 0),
    "webpack-internal": ("webpack-internal:///./src/orders/pay.ts", "orders/pay", 0),
    "webpack-layer": ("webpack-internal:///(rsc)/./src/orders/pay.ts", "orders/pay", 0),
    "webpack-package": (
        "webpack:///./node_modules/react-dom/cjs/react-dom.production.min.js",
        "react-dom/cjs/react-dom",
        1,
    ),
    "webpack-own": ("webpack:///webpack/bootstrap", "webpack/webpack/bootstrap", 1),
    "turbopack": ("turbopack:///[project]/src/orders/pay.ts", "orders/pay", 0),
    "package": ("/srv/node_modules/express/lib/r.js", "express/lib/r", 1),
    "package-pnpm": ("/srv/node_modules/.pnpm/express@4.18.2/node_modules/express/lib/r.js", "express/lib/r", 1),
    "package-pnpm-peers": (
        "/srv/node_modules/.pnpm/next@14.1.0_react@18.2.0/node_modules/next/dist/server/x.js",
        "next/dist/server/x",
        1,
    ),
    "package-yarn": (
        "/srv/.yarn/cache/express-npm-4.18.2-bb15ff679a-10.zip/node_modules/express/lib/r.js",
        "express/lib/r",
        1,
    ),
    "package-yarn-virtual": (
        "/srv/.yarn/__virtual__/x-virtual-8f1d/0/cache/x-npm-1.0.0-ab.zip/node_modules/@acme/x/a.js",
        "@acme/x/a",
        1,
    ),
    "package-windows": (r"C:\srv\node_modules\express\lib\r.js", "express/lib/r", 1),
    "package-nested": ("/srv/node_modules/a/node_modules/b/c.js", "b/c", 1),
    "package-global": ("/root/.nvm/versions/node/v20.1.0/lib/node_modules/npm/lib/cli.js", "npm/lib/cli", 1),
    "package-asar": ("/opt/App/resources/app.asar/node_modules/ws/lib/socket.js", "ws/lib/socket", 1),
    "vite-deps": ("http://localhost:5173/node_modules/.vite/deps/react-dom_client.js", "react-dom_client", 1),
    "vite-chunk": ("http://localhost:5173/node_modules/.vite/deps/chunk-ABCD2345.js", "chunk", 1),
    "unpkg": ("https://unpkg.com/react-dom@17.0.2/umd/react-dom.production.min.js", "react-dom/umd/react-dom", 1),
    "jsdelivr": ("https://cdn.jsdelivr.net/npm/vue@2.6.14/dist/vue.js", "vue/dist/vue", 1),
    "cdnjs": ("https://cdnjs.cloudflare.com/ajax/libs/jquery/3.6.0/jquery.min.js", "jquery/jquery", 1),
    "cdnjs-other-version": ("https://cdnjs.cloudflare.com/ajax/libs/jquery/3.7.1/jquery.min.js", "jquery/jquery", 1),
    "jquery-site": ("https://code.jquery.com/jquery-3.6.0.min.js", "jquery", 1),
    "esm-sh": ("https://esm.sh/v135/react-dom@18.2.0/es2022/react-dom.mjs", "react-dom/es2022/react-dom", 1),
    "deno": ("https://deno.land/std@0.100.0/async/pool.ts", "std/async/pool", 1),
    "address": ("https://shop.example/a.js", "a", 0),
    "address-folders": ("https://shop.example/static/js/orders/pay.js", "orders/pay", 0),
    "address-version": ("https://shop.example/v1.2.3/orders/pay.js", "orders/pay", 0),
    "address-hash": ("https://shop.example/7d6d00eae0ceccdc7ee689659585d95f/orders/pay.js", "orders/pay", 0),
    "hash-hex": ("https://shop.example/assets/main.3f2a1c9b.js", "main", 0),
    "hash-other": ("https://cdn.shop.example/assets/main.90aa77ef.js", "main", 0),
    "hash-chunk": ("https://shop.example/static/js/main.3f2a1c9b.chunk.js", "main", 0),
    "hash-rollup": ("https://shop.example/assets/index-BxH3k9_a.js", "index", 0),
    "hash-rollup-letters": ("https://shop.example/assets/index-DiwrgTda.js", "index", 0),
    "hash-esbuild": ("https://shop.example/main-QZKJ5BPX.js", "main", 0),
    "hash-next": ("https://shop.example/_next/static/chunks/pages/orders-3f2a1c9b7d.js", "pages/orders", 0),
    "hash-md5": ("https://shop.example/js/app-7d6d00eae0ceccdc7ee689659585d95f.js", "app", 0),
    "hash-only": ("https://shop.example/assets/3f2a1c9b.js", "<chunk>", 0),
    "numbered-chunk": ("https://shop.example/js/2.3f2a1c9b.chunk.js", "<chunk>", 0),
    "vendor": ("https://shop.example/js/vendors~main.3f2a1c9b.js", "vendors~main", 1),
    "vendor-vue": ("https://shop.example/js/chunk-vendors.3f2a1c9b.js", "chunk-vendors", 1),
    "word-is-no-hash": ("https://shop.example/js/user-settings.js", "user-settings", 0),
    "application-may-be-called-so": ("/srv/shop/src/analytics/tracker.ts", "analytics/tracker", 0),
    "encoded": ("https://shop.example/_next/static/chunks/pages/order/%5Bid%5D-3f2a1c9b7d.js", "pages/order/[id]", 0),
    "page": ("https://shop.example/checkout/17", None, 0),
    "page-root": ("http://shop.example/", None, 0),
    "blob": ("blob:https://h.example/1f0c-44", None, 0),
    "extension": ("chrome-extension://hdokiejnpimakedhajhdlcegeplioahd/content.js", "chrome-extension/content", 1),
    "extension-firefox": (
        "moz-extension://2f8e6c1a-1b1c-4d0e-9d5b-0d6a8a4f1e11/content.js",
        "moz-extension/content",
        1,
    ),
    "node": ("node:internal/modules/cjs/loader", "node:internal/modules/cjs/loader", 2),
    "node-old": ("internal/modules/cjs/loader.js", "node:internal/modules/cjs/loader", 2),
    "node-bare": ("net.js", "node:net", 2),
    "node-events": ("node:events", "node:events", 2),
    "deno-core": ("ext:core/01_core.js", "ext:core/01_core", 2),
    "repl": ("REPL1", "<console>", 0),
    "vm": ("evalmachine.<anonymous>", "<console>", 0),
    "bundle": ("http://localhost:8081/index.bundle", "index", 0),
    "hermes": ("index.android.bundle", "index.android", 0),
    "react-server": ("about://React/Server/file:///srv/shop/src/orders/pay.ts", "orders/pay", 0),
}


@pytest.mark.parametrize(("file", "module", "expected_rank"), PLACES.values(), ids=PLACES.keys())
def test_lasting_places(file: str, module: str | None, expected_rank: int) -> None:
    where = place_of(file)
    assert (where.module, where.rank) == (module, expected_rank)
    again = place_of(where.filename)
    assert (again.module, again.filename, again.rank) == (where.module, where.filename, where.rank)


FUNCTIONS = {
    "plain": ("pay", "pay"),
    "method": ("Foo.Bar.baz", "Foo.Bar.baz"),
    "receiver": ("Object.pay", "pay"),
    "receivers": ("Object.exports.pay", "pay"),
    "window": ("Window.pay", "pay"),
    "new": ("new Object.Foo", "new Foo"),
    "extension": ("Object.Module._extensions..js", "_extensions..js"),
    "anonymous": ("<anonymous>", None),
    "anonymous-of-object": ("Object.<anonymous>", None),
    "anonymous-of-element": ("HTMLDocument.<anonymous>", None),
    "gecko-child": ("f/g/<", "f/g"),
    "gecko-numbered-child": ("f/<[2]", "f"),
    "global": ("global code", None),
    "module-of-webpack": ("./src/index.js", None),
    "numbered-module": ("8273", None),
    "callee": ("_callee2$", None),
    "getter": ("get total", "total"),
    "counter": ("handle$1", "handle"),
    "alias": ("Foo.x [as y]", "Foo.x"),
}


@pytest.mark.parametrize(("name", "expected"), FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_lasting_names_of_functions(name: str, expected: str | None) -> None:
    assert function_of(name) == expected
    assert function_of(expected) == expected


MESSAGES = {
    "v8": ("Cannot read properties of undefined (reading 'id')", "Cannot read properties of undefined (reading 'id')"),
    "v8-old": ("Cannot read property 'id' of undefined", "Cannot read properties of undefined (reading 'id')"),
    "jsc": ("undefined is not an object (evaluating 'u.id')", "Cannot read properties of undefined (reading 'id')"),
    "jsc-index": ("null is not an object (evaluating 'a.b[0].c')", "Cannot read properties of null (reading 'c')"),
    "jsc-call": (
        "undefined is not an object (evaluating 'u.id()')",
        "Cannot read properties of undefined (reading 'id')",
    ),
    "gecko": ('can\'t access property "id", u is undefined', "Cannot read properties of undefined (reading 'id')"),
    "gecko-old": ("u is undefined", "Cannot read properties of undefined"),
    "gecko-null": ("null has no properties", "Cannot read properties of null"),
    "edge": (
        "Unable to get property 'id' of undefined or null reference",
        "Cannot read properties of undefined (reading 'id')",
    ),
    "set": ("Cannot set properties of null (setting 'id')", "Cannot set properties of null (setting 'id')"),
    "set-old": ("Cannot set property 'id' of null", "Cannot set properties of null (setting 'id')"),
    "undefined": ("x is not defined", "x is not defined"),
    "undefined-jsc": ("Can't find variable: x", "x is not defined"),
    "undefined-hermes": ("Property 'x' doesn't exist", "x is not defined"),
    "function": ("a.b is not a function", "a.b is not a function"),
    "function-jsc": ("a.b is not a function. (In 'a.b()', 'a.b' is undefined)", "a.b is not a function"),
    "deep": ("too much recursion", "Maximum call stack size exceeded"),
    "json": ("Unexpected token < in JSON at position <int>", "Unexpected token in JSON"),
    "json-new": ('Unexpected token <quoted>, "<!DOCTYPE "... is not valid JSON', "Unexpected token in JSON"),
    "json-gecko": (
        "JSON.parse: unexpected character at line <int> column <int> of the JSON data",
        "Unexpected token in JSON",
    ),
    "json-end": ("JSON Parse error: Unexpected EOF", "Unexpected end of JSON input"),
    "fetch": ("NetworkError when attempting to fetch resource.", "Failed to fetch"),
    "own": ("order 7 is gone", "order 7 is gone"),
}


@pytest.mark.parametrize(("message", "expected"), MESSAGES.values(), ids=MESSAGES.keys())
def test_one_wording_for_all_engines(message: str, expected: str) -> None:
    reworded = normal_message(RaisedException("TypeError", message))
    assert reworded == expected
    assert normal_message(RaisedException("TypeError", reworded)) == expected


def _types(text: str) -> list[tuple[str | None, str | None, int | None]]:
    return [(e.type, e.relation, e.parent) for e in parse(text)[0].exceptions]


def _same(level: Level, *texts: str) -> bool:
    return len({fingerprints(parse(text)[0])[level].digest for text in texts}) == 1


DUMP = """\
/srv/t.js:9
  throw x;
  ^

Error: 内部错误 42
    at outer (/srv/t.js:9:1)
    at a (/srv/t.js:1:1)
    ... 2 lines matching cause stack trace ...
    at d (/srv/t.js:4:1) {
  code: 'EFOO',
  detail: {
    retry: true
  },
  [cause]: TypeError: 根因
      at inner (/srv/t.js:20:1)
      at a (/srv/t.js:1:1)
      at b (/srv/t.js:2:1)
      at c (/srv/t.js:3:1)
      at d (/srv/t.js:4:1)
}

Node.js v20.20.2
after
"""


def test_node_prints_causes_and_properties_behind_the_frames() -> None:
    (chain,) = parse(DUMP)
    outer, cause = chain.exceptions
    assert [f.function for f in outer.stack.frames] == ["outer", "a", "b", "c", "d"]
    assert outer.elided == 2
    assert (cause.type, cause.relation, cause.parent) == ("TypeError", Relation.CAUSE, 0)
    assert chain.root is cause
    assert chain.notes == ("Error has code: 'EFOO'",)
    assert DUMP[chain.span[0] : chain.span[1]] == DUMP.removesuffix("\nafter\n")


def test_frames_that_the_cause_does_not_have_are_not_restored() -> None:
    (chain,) = parse(
        "Error: x\n    at f (/srv/a.js:1:2)\n    ... 4 lines matching cause stack trace ...\n    at g (/srv/a.js:2:2)\n"
    )
    assert [f.function for f in chain.exceptions[0].stack.frames] == ["f", "g"]
    assert chain.notes == ("4 frames are the cause's, too, and were not printed",)


GROUP = """\
[AggregateError: All promises were rejected] {
  [errors]: [
    Error: a
        at /srv/t.js:4:40,
    RangeError: b
        at /srv/t.js:4:71 {
      [cause]: SyntaxError: c
          at JSON.parse (<anonymous>)
    },
    [TypeError: d]
  ]
}
"""


def test_members_of_a_group() -> None:
    assert _types(GROUP) == [
        ("AggregateError", None, None),
        ("Error", Relation.GROUPED, 0),
        ("RangeError", Relation.GROUPED, 0),
        ("SyntaxError", Relation.CAUSE, 2),
        ("TypeError", Relation.GROUPED, 0),
    ]


CHAINS = {
    "caused-by": (
        "Error: x\n    at f (/a.js:1:2)\nCaused by: TypeError: y\n    at g (/a.js:1:2)\n",
        ["Error", "TypeError"],
    ),
    "driver-error": (
        "QueryFailedError: x\n    at f (/a.js:1:2) {\n  driverError: error: y\n      at g (/a.js:1:2) {\n    length: 1\n  }\n}\n",
        ["QueryFailedError", "Error"],
    ),
    "old-node": ("{ Error: x\n    at f (/a.js:1:2)\n  errno: -2,\n  code: 'E' }\n", ["Error"]),
    "deno": (
        "error: Uncaught AggregateError: x\n    Error: a\n        at file:///a.ts:1:2\n    at file:///a.ts:5:6\n",
        ["AggregateError", "Error"],
    ),
    "message-lines": ("Error: x\nsecond line\n    at f (/a.js:1:2)\n", ["Error"]),
    "two-traces-first": ("Error: x\n    at f (/a.js:1:2)\nTypeError: y\n    at g (/a.js:1:2)\n", ["Error"]),
    "below-told-class": ("NotFound: x\n    at f (/a.js:1:2)\n", ["NotFound"]),
    "joined": ("TypeError: boom at f (/srv/a.js:1:2) at async g (/srv/b.js:3:4)", ["TypeError"]),
    "escaped": ('{"stack":"TypeError: x\\n    at f (/srv/a.js:1:2)\\n    at g (/srv/b.js:3:4)"}', ["TypeError"]),
    "wrapped": ("Error: x\n    at f (/srv/very/long/\nwrapped.js:1:2)\n    at g (/b.js:1:2)\n", ["Error"]),
    "dots": ("Error: x\n    at f (/a.js:1:2)\n    ...\n    at g (/b.js:1:2)\n", ["Error"]),
    "dump-alone": (
        "[UnhandledPromiseRejection: x] {\n  code: 'ERR_UNHANDLED_REJECTION'\n}\n",
        ["UnhandledPromiseRejection"],
    ),
    "group-alone": (
        "[AggregateError: x] {\n  [errors]: [ [Error: a], [RangeError: b] ]\n}\n",
        ["AggregateError", "Error", "RangeError"],
    ),
    "frames-alone": ("    at f (/a.js:1:2)\n    at g (/b.js:1:2)\n", [None]),
}


@pytest.mark.parametrize(("text", "types"), CHAINS.values(), ids=CHAINS.keys())
def test_whole_traces(text: str, types: list[str | None]) -> None:
    chain = parse(text)[0]
    assert chain.runtime == "javascript"
    assert [e.type for e in chain.exceptions] == types


@pytest.mark.parametrize("name", ["joined", "wrapped", "dots", "escaped"])
def test_mangled_traces_keep_both_frames(name: str) -> None:
    (exception,) = parse(CHAINS[name][0])[0].exceptions
    assert [f.function for f in exception.stack.frames] == ["f", "g"]


def test_a_syntax_error_has_the_place_that_node_prints_above_it() -> None:
    text = "/srv/broken.js:4\n];\n^\n\nSyntaxError: Unexpected token ']'\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n"
    (chain,) = parse(text)
    first = chain.exceptions[0].stack.frames[0]
    assert first == Frame(None, "broken", "/srv/broken.js", 4, raw="/srv/broken.js:4")
    assert chain.span == (0, len(text) - 1)


def test_frames_of_earlier_events_are_passed_over() -> None:
    (chain,) = parse("Error: x\n    at f (/a.js:1:2)\nFrom previous event:\n    at g (/a.js:1:2)\n")
    assert [f.function for f in chain.exceptions[0].stack.frames] == ["f"]
    assert len(chain.notes) == 1


def test_the_components_that_react_names_are_no_trace() -> None:
    text = "The above error occurred in the <Cart> component:\n\n    at Cart (http://s/a.js:1:2)\n    at div\n    at App (http://s/a.js:9:1)\n"
    assert parse(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "TypeError: x\n",
        "Error: x\nsomething else\n",
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    x()\nTypeError: 'NoneType' object is not callable\n",
        "java.lang.IllegalStateException: x\n\tat a.b.C.m(C.java:12)\n",
        "System.Exception: x\n   at Acme.Pay.Run() in C:\\src\\Pay.cs:line 42\n",
    ],
    ids=["head-alone", "head-and-prose", "python", "java", "dotnet"],
)
def test_traces_of_others_are_left_to_them(text: str) -> None:
    assert not [chain for chain in parse(text) if chain.runtime == "javascript"]


SAME = {
    "deploy-roots": (Level.EXACT, "Error: x\n    at f (/srv/releases/41/src/a.js:1:2)", "Error: x\n    at f (/app/src/a.js:7:2)"),
    "hashes": (Level.EXACT, "Error: x\n    at f (https://s/main.3f2a1c9b.js:1:2)", "Error: x\n    at f (https://cdn.s/main.aa0011bc.js:1:9)"),
    "cdn-versions": (
        Level.EXACT,
        "Error: x\n    at f (https://unpkg.com/vue@3.2.1/dist/vue.js:1:2)",
        "Error: x\n    at f (https://unpkg.com/vue@3.4.0/dist/vue.js:5:2)",
    ),
    "cache-marks": (Level.EXACT, "Error: x\n    at f (https://s/a.js?v=1:1:2)", "Error: x\n    at f (https://s/a.js?t=99:1:2)"),
    "node-versions": (
        Level.EXACT,
        "Error: x\n    at f (/srv/a.js:1:2)\n    at Module._compile (internal/modules/cjs/loader.js:1063:30)",
        "Error: x\n    at f (/srv/a.js:1:2)\n    at Object.Module._extensions..js (node:internal/modules/cjs/loader:1092:10)",
    ),
    "engines": (Level.LOOSE, "TypeError: t\n    at Cart.pay (https://s/a.js:1:2)", "pay@https://s/a.js:1:2\n", "Cart.prototype.pay@https://s/a.js:1:2\n"),
    "anonymous": (Level.LOOSE, "Error: x\n    at /srv/a.js:9:1\n    at f (/srv/a.js:2:1)", "Error: x\n    at f (/srv/a.js:2:1)"),
    "wordings": (
        Level.EXACT,
        "TypeError: Cannot read property 'id' of undefined\n    at f (/a.js:1:2)",
        "TypeError: undefined is not an object (evaluating 'u.id')\nf@/a.js:1:2",
    ),
}  # fmt: skip
DIFFERENT = {
    "files": ("Error: x\n    at f (/srv/a.js:2:1)", "Error: x\n    at f (/srv/b.js:2:1)"),
    "folders": ("Error: x\n    at f (/srv/src/a/pay.js:2:1)", "Error: x\n    at f (/srv/src/b/pay.js:2:1)"),
    "functions": ("Error: x\n    at f (/srv/a.js:2:1)", "Error: x\n    at g (/srv/a.js:2:1)"),
    "properties": (
        "TypeError: Cannot read properties of undefined (reading 'id')\n    at f (/a.js:1:2)",
        "TypeError: Cannot read properties of undefined (reading 'name')\n    at f (/a.js:1:2)",
    ),
}


@pytest.mark.parametrize("row", SAME.values(), ids=SAME.keys())
def test_same_fault(row: tuple[Level, str]) -> None:
    level, *texts = row
    assert _same(level, *texts)


@pytest.mark.parametrize("texts", DIFFERENT.values(), ids=DIFFERENT.keys())
def test_different_faults(texts: tuple[str, str]) -> None:
    assert not _same(Level.EXACT, *texts)


def test_what_compilers_put_in_is_left_out() -> None:
    text = "Error: x\n    at f (/srv/a.js:2:1)\n    at Generator.next (<anonymous>)\n    at fulfilled (/srv/a.js:5:58)\n    at g (/srv/a.js:9:1)\n"
    (exception,) = normalize(parse(text)[0]).exceptions
    assert [f.function for f in exception.stack.frames] == ["f", "g"]


def test_frames_behind_members_are_those_of_the_group() -> None:
    (chain,) = parse(CHAINS["deno"][0])
    assert [[f.lineno for f in e.stack.frames] for e in chain.exceptions] == [[5], [1]]


def test_names_and_ranks_last() -> None:
    for text in (DUMP, GROUP, *(text for text, _ in CHAINS.values())):
        for chain in parse(text):
            normal = normalize(chain)
            for frame in (f for e in normal.exceptions for f in e.stack.frames):
                again = normal_frame(frame)
                assert (again, rank(again), loose_key(again)) == (frame, rank(frame), loose_key(frame))
                assert frame_key(frame)


def test_ordinary_logs_are_hardly_looked_at() -> None:
    import re2

    options = re2.Options()
    options.never_nl = True
    own = [needle for needle in RUNTIME.needles if needle not in ("Error", "Exception")]
    needles = re2.compile("|".join(own), options)
    log = [
        "2024-05-06 07:08:09.123 INFO [http-nio-80-exec-1] c.a.shop.Orders - order 42 loaded at 10:22:33 in 17 ms",
        '10.0.0.7 - - [06/May/2024:07:08:09 +0000] "GET /static/js/app.3f2a1c9b.js?v=3 HTTP/1.1" 200 1234',
        "May  6 07:08:09 host sshd[12]: Accepted publickey for bob from 10.0.0.7 port 22 ssh2",
        "mail to bob@example.com queued as 7F2A at node (10:22:33)",
        "pulled registry.example.com/shop@sha256:2e1b",
        "started at http://localhost:3000/ (pid 17)",
    ]
    assert [line for line in log if needles.search(line)] == []


def test_a_megabyte_of_one_line_is_read_in_a_second() -> None:
    for line in ("    at f (/srv/a.js:1:2)\n", "f@https://s/a.js:1:2\n", "  [cause]: Error: y {\n"):
        start = time.process_time()
        parse("Error: x\n" + line * (300_000 // len(line)))
        assert time.process_time() - start < 1.5

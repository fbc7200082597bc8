"""JavaScript: scripts to lasting places, functions to lasting names."""

import pytest

from kb.trace.runtimes.javascript.names import function_of
from kb.trace.runtimes.javascript.places import place_of

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

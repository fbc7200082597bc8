"""What a rule of the house may not do: fit names of everybody, or words of any message.

Tried on ordinary names and messages: no list of ours knows a house's names, but every house's names are not these.
"""

from collections.abc import Callable

MOST_OWNERS = 2
"""Owners of ordinary names whose frames one prefix may fit; ``com.`` fits those of many."""
MOST_MESSAGES = 4
"""Ordinary messages in which one pattern may find something."""
SHORTEST = 4
"""Bytes of a name that is no part of a path."""

NAMES = (
    "com.google.common.base.Preconditions.checkState", "com.fasterxml.jackson.databind.ObjectMapper.readValue", "com.mysql.cj.jdbc.ConnectionImpl.connect",
    "org.apache.kafka.clients.NetworkClient.poll", "org.springframework.web.servlet.DispatcherServlet.doGet", "org.hibernate.Session.flush", "org.junit.Assert.fail",
    "io.netty.channel.AbstractChannel.read", "io.grpc.internal.ServerImpl.start", "io.vertx.core.impl.Future.complete", "net.sf.ehcache.Cache.get", "net.bytebuddy.Agent.install",
    "net.minecraft.server.Main.main", "cn.hutool.core.util.StrUtil.format", "cn.com.bank.pay.Gateway.call", "cn.edu.lab.Job.run", "me.user.bot.Bot.start", "de.firma.shop.Kasse.zahle",
    "java.util.HashMap.put", "java.lang.Thread.run", "javax.servlet.http.HttpServlet.service", "jdk.internal.reflect.Method.invoke", "scala.collection.immutable.List.map", "kotlin.collections.Maps.get",
    "System.Threading.Tasks.Task.Execute", "Microsoft.AspNetCore.Hosting.Start", "Newtonsoft.Json.JsonConvert.Deserialize", "github.com/gin-gonic/gin.(*Context).Next", "github.com/gorilla/mux.ServeHTTP",
    "github.com/spf13/cobra.Execute", "golang.org/x/net/http2.Read", "golang.org/x/sync/errgroup.Go", "golang.org/x/text/width.Fold", "google.golang.org/grpc.Invoke", "main.main", "runtime.goexit",
    "django.core.handlers.base.get_response", "flask.app.dispatch_request", "requests.sessions.send", "numpy.core.multiarray.dot", "tokio::runtime::block_on", "std::panicking::begin_panic", "core::option::unwrap_failed",
    "Illuminate\\Routing\\Router.dispatch", "Symfony\\Component\\HttpKernel\\Kernel.handle", "ActiveRecord::Base.find", "Rack::Builder.call", "node:internal/modules/loader.load", "node_modules/express/lib/router.next",
)  # fmt: skip
"""Names of frames by many hands."""
MESSAGES = (
    "Connection refused: connect", "Read timed out after 30000 ms", "user 42 not found in table accounts", 'Cannot invoke "String.length()" because "s" is null',
    "Index 5 out of bounds for length 3", "Could not open /var/data/part-00017: no such file or directory", "Failed to parse line 12, column 8 of config.yaml",
    "Job 20240501 was cancelled by root", "disk is full", "Lock wait timeout exceeded; try restarting transaction", "HTTP 503 from http://10.2.3.4:8080/stock/7",
    "invalid character 'x' looking for beginning of value", "Task 0 in stage 3.0 failed 4 times", "cannot import name foo from bar.baz", "Unexpected end of input at offset 1024",
    "SSL handshake failed with db-1.example.com", "permission denied", "expected 3 arguments, got 2", "No space left on device (28)", "key not found: Some(id-9)", "文件 7 不存在", "连接超时，请重试",
    "Deadline exceeded after 9.99 s [remote_addr=10.0.0.7:443]", "duplicate entry 'A-1' for key 'PRIMARY'",
)  # fmt: skip
"""Messages as anybody's programs have them."""
BUILT_IN = frozenset({
    "<bool>", "<card>", "<date>", "<duration>", "<email>", "<float>", "<git_sha>", "<hash>", "<hex>", "<hostname>", "<id>", "<identity>", "<int>", "<ip>", "<local>", "<md5>", "<path>", "<phone>", "<pod>",
    "<quoted>", "<secret>", "<sha1>", "<traceparent>", "<url>", "<user>", "<uuid>", "<version>",
})  # fmt: skip
"""Placeholders that have a meaning already: a template tells by them what stood there, and `<secret>` that something was hidden."""

_SEPARATORS = ".:/\\$"


def wrong_width_of_name(name: str, *, is_prefix: bool) -> str | None:
    """What is too wide about a name, in words."""
    bare = name.removesuffix("$")
    parts = [
        part
        for part in bare.replace("::", ".").replace("/", ".").replace("\\", ".").replace("$", ".").split(".")
        if part
    ]
    if not parts or (
        len(parts) == 1 and not bare.endswith(tuple(_SEPARATORS)) and len(bare.encode("utf-8", "replace")) < SHORTEST
    ):
        return "is too short: it would fit nearly everything"
    if is_prefix and not name.endswith("$"):
        owners = {_owner(one) for one in NAMES if one.startswith(bare)}
        if len(owners) > MOST_OWNERS:
            return f"is too wide: it fits frames of {len(owners)} ordinary libraries, as {min(one for one in NAMES if one.startswith(bare))}"
    return None


def _owner(name: str) -> str:
    return ".".join(name.replace("/", ".").replace("\\", ".").replace("::", ".").split(".")[:3])


def wrong_width_of_pattern(finds: Callable[[str], bool]) -> str | None:
    """What is too wide about a pattern, in words; ``finds`` tells whether it matches anywhere in a text."""
    fitted = [message for message in MESSAGES if finds(message)]
    if len(fitted) > MOST_MESSAGES:
        return f"is too wide: it matches in {len(fitted)} of {len(MESSAGES)} ordinary messages, as {fitted[0]!r}"
    return None

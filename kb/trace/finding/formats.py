"""Formats of log records: the names that loggers give to level, message, error and time."""

import re
from dataclasses import dataclass

from kb.trace.lines import LOG_PREFIX

# What loggers and services call the fields of an error, by format: data, with the documentation that names them.
#
# Names are compared as `fields.plain_key` makes them: small letters, no ``_`` and no ``-``. A dot stands for an object within an object
# and for a dot in a name: ECS allows both.


@dataclass(frozen=True, slots=True)
class LogFormat:
    """Where a format keeps what; within a tuple, the better field is first."""

    name: str
    level: tuple[str, ...] = ()
    logger: tuple[str, ...] = ()
    message: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    """The class or code of the error."""
    error_message: tuple[str, ...] = ()
    """The error's own message."""
    error: tuple[str, ...] = ()
    """The error as one text: ``TypeError: x is undefined``, ``connection refused``, a class alone, or a whole trace."""
    stack: tuple[str, ...] = ()


RECORDS = (
    # https://logback.qos.ch/manual/encoders.html#JsonEncoder
    LogFormat("logback JsonEncoder", ("level",), ("loggername",), ("formattedmessage", "message"), ("throwable.classname",), ("throwable.message",), (),
           ("throwable.steparray",)),
    # https://github.com/serilog/serilog-formatting-compact#reified-properties; JsonFormatter: https://github.com/serilog/serilog/wiki/Formatting-Output
    LogFormat("Serilog", ("@l", "level"), ("sourcecontext",), ("@m", "renderedmessage", "@mt", "messagetemplate"), (), (), ("@x", "exception"), ("@x", "exception")),
    # https://www.elastic.co/guide/en/ecs/current/ecs-error.html, ecs-log.html
    LogFormat("ECS", ("log.level",), ("log.logger",), ("message",), ("error.type",), ("error.message",), (), ("error.stacktrace",)),
    # https://opentelemetry.io/docs/specs/otel/logs/data-model/, /docs/specs/semconv/exceptions/; OTLP as JSON wraps each value
    LogFormat("OpenTelemetry", ("severitytext", "severity", "severitynumber"), ("scope.name",), ("body", "body.stringvalue"),
           ("exception.type", "exception.type.stringvalue"), ("exception.message", "exception.message.stringvalue"), (),
           ("exception.stacktrace", "exception.stacktrace.stringvalue")),
    # https://github.com/pinojs/pino/blob/main/docs/api.md; bunyan: https://github.com/trentm/node-bunyan#log-record-fields
    LogFormat("pino, bunyan", ("level",), ("name",), ("msg",), ("err.type", "err.name", "err.code"), ("err.message",), ("err",), ("err.stack",)),
    # https://github.com/logfellow/logstash-logback-encoder#standard-fields
    LogFormat("Logstash encoder", ("level", "levelvalue"), ("loggername",), ("message",), ("throwableclass", "throwablerootcauseclass"), (), (), ("stacktrace",)),
    # https://logging.apache.org/log4j/2.x/manual/json-template-layout.html and layouts.html#JSONLayout
    LogFormat("Log4j 2", ("level",), ("loggername", "logger"), ("message",), ("thrown.name", "exception.exceptionclass"),
           ("thrown.message", "exception.exceptionmessage"), ("thrown", "exception"), ("thrown.extendedstacktrace", "exception.stacktrace")),
    # https://go2docs.graylog.org/current/getting_in_log_data/gelf.html
    LogFormat("GELF", ("level",), ("logger", "facility"), ("shortmessage",), (), (), ("fullmessage",), ("fullmessage",)),
    # https://github.com/NLog/NLog/wiki/JsonLayout
    LogFormat("NLog", ("level",), ("logger",), ("message",), ("exception.type",), ("exception.message",), ("exception",), ("exception.stacktrace", "exception")),
    # https://learn.microsoft.com/dotnet/core/extensions/console-log-formatter#json
    LogFormat(".NET console", ("loglevel",), ("category",), ("message",), (), (), ("exception",), ("exception",)),
    # https://docs.python.org/3/library/logging.html#logrecord-attributes, as python-json-logger names them
    LogFormat("Python", ("levelname", "level", "levelno"), ("name", "logger"), ("message",), (), (), ("excinfo", "exctext"), ("excinfo", "exctext", "stackinfo")),
    # https://www.structlog.org/en/stable/api.html#structlog.processors.JSONRenderer, #structlog.tracebacks
    LogFormat("structlog", ("level", "loglevel"), ("logger",), ("event",), ("exception.exctype",), ("exception.excvalue",), ("exception", "excinfo"), ("exception",)),
    # https://loguru.readthedocs.io/en/stable/api/logger.html#record
    LogFormat("loguru", ("level.name", "level.no"), ("name",), ("message", "text"), ("exception.type",), ("exception.value",), (), ("text",)),
    # https://pkg.go.dev/go.uber.org/zap/zapcore#EncoderConfig, https://github.com/sirupsen/logrus, https://github.com/rs/zerolog, https://pkg.go.dev/log/slog
    LogFormat("Go", ("level", "lvl"), ("logger",), ("msg", "message"), (), (), ("error", "err"), ("errorverbose", "stacktrace", "stack")),
    # https://docs.rs/tracing-subscriber/latest/tracing_subscriber/fmt/format/struct.Json.html
    LogFormat("Rust tracing", ("level",), ("target",), ("message",), (), (), ("error", "err", "exception"), ()),
    # https://github.com/Seldaek/monolog/blob/main/doc/message-structure.md
    LogFormat("Monolog", ("levelname", "level"), ("channel",), ("message",), ("exception.class",), ("exception.message",), ("exception", "error"), ("exception",)),
    # https://github.com/roidrage/lograge#usage, https://logger.rocketjob.io/appenders.html, Ruby's Logger by a formatter of one's own
    LogFormat("Ruby", ("severity", "level"), ("progname", "name"), ("message",), ("exception.name", "exception.class", "exceptionclass", "errorclass"),
           ("exception.message", "exceptionmessage", "errormessage"), ("exception", "error"),
           ("exception.stacktrace", "exception.backtrace", "backtrace")),
    # https://cloud.google.com/logging/docs/structured-logging, /error-reporting/docs/formatting-error-messages
    LogFormat("Google Cloud", ("severity",), ("logname",), ("message", "textpayload"), ("protopayload.status.code",), ("protopayload.status.message",), ("exception",), ("exception", "stacktrace")),
    # https://docs.aws.amazon.com/lambda/latest/dg/python-exceptions.html, nodejs-exceptions.html, java-exceptions.html
    LogFormat("AWS Lambda", ("level",), (), ("message",), ("errortype",), ("errormessage",), (), ("stacktrace", "trace", "stack")),
    # https://learn.microsoft.com/azure/azure-monitor/app/data-model-complete#exception
    LogFormat("Azure", ("severitylevel", "level"), ("category",), ("message", "outermessage", "resultdescription"), ("exceptiontype", "exceptions.typename", "outertype", "type", "problemid"),
           ("exceptionmessage", "exceptions.message", "innermostmessage"), ("exception",), ("details.rawstack", "details.parsedstack", "exception")),
    # https://docs.datadoghq.com/logs/log_configuration/attributes_naming_convention/#source-code
    LogFormat("Datadog", ("status",), ("logger.name",), ("message",), ("error.kind",), ("error.message",), ("error",), ("error.stack",)),
    # an error as JavaScript, PHP and others hand it to JSON: its own properties
    LogFormat("an error as an object", ("level",), (), ("message",), ("error.name", "error.class", "error.code", "err.class", "exception.code"), ("error.message", "error.msg"),
           ("error", "exception"), ("error.stack", "error.backtrace", "error.trace", "exception.stack", "exception.trace", "traceback")),
    # https://github.com/winstonjs/logform#errors: the error's own fields are the record's
    LogFormat("winston", ("level",), ("label",), ("message", "@message"), ("name",), (), (), ("stack",)),
    # https://www.freedesktop.org/software/systemd/man/latest/systemd.journal-fields.html; https://docs.docker.com/engine/logging/drivers/json-file/;
    # https://docs.fluentbit.io/manual/data-pipeline/parsers/json; the message may be a record itself
    LogFormat("containers", ("priority",), ("syslogidentifier", "containername"), ("message", "log", "line", "textpayload"), (), (), (), ()),
)  # fmt: skip

BODIES = (
    # https://opendocs.alipay.com/open/common/105806; https://pay.weixin.qq.com/doc/v2/merchant/4011935214: beside words for the whole call, those for what failed
    LogFormat("Alipay, WeChat Pay", (), (), (), ("subcode", "errcode"), ("errcodedes",), (), ()),
    # https://www.rfc-editor.org/rfc/rfc9457: ``type`` is an address, ``title`` names the kind of problem
    LogFormat("problem details", (), (), (), ("title", "type"), ("detail", "title"), (), ()),
    # https://www.rfc-editor.org/rfc/rfc6749#section-5.2 (OAuth); https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
    LogFormat("OAuth, Kubernetes", (), (), (), ("exception", "error", "reason"), ("errordescription", "message", "errormessage"), (), ()),
    # https://docs.couchdb.org/en/stable/json-structure.html#couchdb-error-status: ``reason`` says why, ``error`` is a name
    LogFormat("CouchDB", (), (), (), (), ("reason",), (), ()),
    # https://docs.spring.io/spring-boot/reference/web/servlet.html#web.servlet.spring-mvc.error-handling
    LogFormat("Spring Boot", (), (), (), ("exception", "error"), ("message", "error"), (), ("trace",)),
    # https://cloud.google.com/apis/design/errors#http_mapping; https://github.com/microsoft/api-guidelines (Azure)
    LogFormat("Google, Azure", (), (), (), ("error.status", "error.code", "error.type"), ("error.message",), (), ()),
    # https://docs.aws.amazon.com/AmazonECS/latest/APIReference/CommonErrors.html: JSON protocols name the type in ``__type`` or ``code``
    LogFormat("AWS", (), (), (), ("type", "code", "error.code"), ("message", "error.message"), (), ()),
    # https://spec.graphql.org/October2021/#sec-Errors.Error-result-format; https://jsonapi.org/format/#error-objects
    LogFormat("GraphQL, JSON:API", (), (), (), ("errors.extensions.code", "errors.title", "errors.code", "errors.extensions.classification"),
           ("errors.message", "errors.detail", "errors.title"), (), ("errors.extensions.exception.stacktrace", "errors.extensions.stacktrace")),
    # https://guides.rubyonrails.org/action_controller_overview.html (Rails); https://www.django-rest-framework.org/api-guide/exceptions/
    LogFormat("Rails, Django REST framework", (), (), (), (), ("detail",), ("exception",), ("traces.applicationtrace",)),
    # https://laravel.com/docs/errors: with APP_DEBUG, the exception, its place and its trace
    LogFormat("Laravel", (), (), (), ("exception",), ("message",), (), ("trace",)),
    LogFormat("others", (), (), (), ("errortype", "error", "errorcode", "code"), ("errormessage", "msg", "error", "errors", "errmsg", "errormsg", "error.info"), (), ()),
    # https://learn.microsoft.com/openspecs/odata_standards (OData 3 and 4); https://docs.oasis-open.org/odata/odata-json-format/v4.01/odata-json-format-v4.01.html#sec_ErrorResponse
    LogFormat("OData", (), (), (), ("odata.error.code",), ("error.message.value", "odata.error.message.value"), (), ()),
    # https://fastapi.tiangolo.com/tutorial/handling-errors/; https://strapi.io/documentation (``error.name``)
    LogFormat("FastAPI, Strapi", (), (), (), ("detail.code", "detail.type", "error.name"), ("detail.message", "detail.msg"), (), ()),
    # https://www.w3.org/TR/soap12-part1/#soapfault as gateways turn it into JSON; https://developer.okta.com/docs/reference/error-codes/
    LogFormat("SOAP, Okta, Qdrant", (), (), (), ("fault.faultcode", "faultcode", "errors.exceptionname", "errorclass"),
           ("fault.faultstring", "faultstring", "errorsummary", "errordetail", "status.error", "errors.msg", "errormessages", "nonfielderrors"), (), ()),
    # https://cloud.tencent.com/document/api/213/30435; https://hadoop.apache.org/docs/stable/hadoop-project-dist/hadoop-hdfs/WebHDFS.html#Error_Responses
    LogFormat("Tencent Cloud, HDFS", (), (), (), ("response.error.code", "remoteexception.javaclassname", "remoteexception.exception"),
           ("response.error.message", "remoteexception.message"), (), ()),
    # https://opendocs.alipay.com/open/common/105806, https://core.telegram.org/bots/api#making-requests, and gateways that spell it alike
    LogFormat("gateways", (), (), (), (), ("retmsg", "respmsg", "respdesc", "resultmsg", "resultmessage", "returnmsg", "statusmsg", "statusmessage", "submsg"), (), ()),
)  # fmt: skip
BODIES_SAY = tuple(dict.fromkeys(name for one in BODIES for name in one.error_message))
"""Every field in which a body has words."""

WRAPPERS = (
    "attributes", "context", "@fields", "fields", "jsonpayload", "record", "properties", "extra", "data", "payload", "parameters",
    "resourcelogs.scopelogs.logrecords", "resourcelogs.scopelogs.logrecords.attributes", "protopayload", "basedata", "data.basedata",
)  # fmt: skip
"""Objects that hold fields of the record: Monolog's ``context``, Rust's ``fields``, loguru's ``record``, OpenTelemetry's ``attributes``."""

KINDS = ("type", "code")
"""Fields that name the kind of anything."""
FINE = frozenset(
    (
        "ok",
        "success",
        "successful",
        "succeeded",
        "pass",
        "passing",
        "healthy",
        "成功",
        "操作成功",
        "请求成功",
        "查询成功",
    )
)
"""What a service answers when all is well."""
BODIES_OWN = frozenset(("error", "errors", "fault", "exception"))
"""What a body itself keeps its error in."""
ERRORS_OWN = re.compile(
    r"(?:error|errors|err|exception|fault)(?:s|type|code|class|kind|name|no|msg|message|messages|text|info|detail|details|description|string|reason|stack|trace)?\Z"
    r"|(?:sub|inner|root|last)(?:error|exception)|stacktrace|traceback|backtrace|throwable|syscall"
)
"""Fields that only an error has, as `plain_key` makes them."""
NAMES_ERROR = re.compile(
    r"(?!on|ignore|skip|default|max|handle|retry)\w{0,80}(?:error|errors|exception|exceptions|failure)\Z|error\w{0,20}(?:response|body|result|info|detail|details)\Z"
)
"""How an object is called that is all an error: ``last_error``, ``errorResponse``; ``onError`` says what to do with one."""
TYPES = ("type", "code", "name", "class", "reason")
SAYINGS = (
    "message",
    "msg",
    "errmsg",
    "errormessage",
    "errormsg",
    "retmsg",
    "respmsg",
    "resultmsg",
    "resultmessage",
    "returnmsg",
    "statusmsg",
    "statusmessage",
    "submsg",
)
"""Fields in which an answer says what became of a request."""
MESSAGES = (*SAYINGS, "detail", "description", "reason")
NAMES_NO_REASON = frozenset(
    ("business failed", "service currently unavailable", "remote service error", "业务处理失败")
)
"""Words of a gateway for the whole of a call, where ``sub_msg`` says why it failed: https://opendocs.alipay.com/open/common/105806"""
GATEWAYS = frozenset(("retmsg", "respmsg", "respdesc", "resultmsg", "resultmessage", "returnmsg", "statusmsg", "statusmessage"))  # fmt: skip
"""Fields of gateways that say what became of a request, whether it succeeded or not."""
SAYS_FAILURE = re.compile(
    r"(?i)(?<!无)(?<!没有)(?<!未出现)(?:失败|错误|异常|超时|无法|拒绝|不存在|不足|过期|非法)(?! ?[:：=]? ?0(?![\d.]))|(?<!\bno )(?<!\b0 )(?<!without )\b(?:fail(?:s|ed|ure)?|errors?|exception|timeout|timed out|denied|refused|invalid|unable|cannot|not found|expired)\b(?!: ?0\b)"
)
"""Words of such a field that tell a failure, whatever code is beside it. `messages.words` knows more of them and imports this room, so it cannot be used here."""
SAYS_SUCCESS = re.compile(r"(?i)(?<![不未])(?<!没有)成功|(?<!\bnot )\bsuccess(?:ful|fully)?\b")
USED_FOR_SUCCESS = re.compile(r"20[0-8]\Z|226\Z|[12]0{4,5}\Z")
"""A code that many services give where all is well, and others for an error of theirs: ``20000``, ``208``."""
EVENTS_OWN = frozenset(("detailtype", "source"))
"""Fields of an event, whose ``detail`` says what happened: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html"""
CODES = (
    "code",
    "ret",
    "retcode",
    "resultcode",
    "returncode",
    "respcode",
    "statuscode",
    "errcode",
    "errno",
    "errorcode",
)
"""Fields of the number that is 0 where all is well."""
STATUSES = ("status", "httpstatus", *CODES)
"""These, and fields of a status of HTTP."""
FLAGS = ("success", "issuccess", "succeeded", "successful", "ok", "result")
HOLDS_ANSWER = re.compile(
    r"(?:\w{0,40}(?:response|result|resp)|data|payload|body|head|header|meta|status|responsemetadata)\Z"
)
"""How an object is called that an answer is wrapped in: ``result``, ``alipay_trade_pay_response``."""
FAILED_STATUS = re.compile(r"[45]\d\d(?:\d\d)?\Z")
"""A status of HTTP, and a gateway's code that begins with one."""
FAILED_WORDS = frozenset(("fail", "failed", "failure", "error"))
SUCCEEDED = re.compile(
    r"(?:\w+ 2(?:0[0-8]|26)|(?:code|ret|retcode|resultcode|returncode|respcode|errcode|errno|errorcode) (?:0+|[12]0{4})|(?:success|issuccess|succeeded|successful|ok|result) true|errmsg [\w.]{1,80}:ok)\Z"
)
"""A field and its value: a status of HTTP, the code that most services give (``code 0``, ``code 20000``), a flag, a call of WeChat's mini programs (``errmsg login:ok``). A browser's status 0 is a failure."""
NO_ERROR = frozenset(("", "0", "false", "null", "none", "nil", "<nil>", "-", "no", "ok", "success"))
"""What a field of errors holds where there was none."""

WORDS = {
    "fatal": ("fatal", "critical", "crit", "alert", "emergency", "emerg", "panic", "dpanic", "ftl", "ftal", "fata", "pani", "pnc", "f"),
    "error": ("error", "err", "erro", "eror", "eerror", "severe", "e"),
    "warning": ("warning", "warn", "wrn", "w"),
    "notice": ("notice",),
    "info": ("info", "information", "informational", "inf", "log", "i", "default"),
    "debug": ("debug", "dbg", "debu", "config", "fine", "d"),
    "trace": ("trace", "verbose", "trc", "vrb", "finer", "finest", "silly", "t"),
}  # fmt: skip
"""What loggers print for a level."""

_SYSLOG = {0: "fatal", 1: "fatal", 2: "fatal", 3: "error", 4: "warning", 5: "notice", 6: "info", 7: "debug"}
"""RFC 5424, section 6.2.1; GELF and journald use it."""
_NODE = {10: "trace", 20: "debug", 30: "info", 40: "warning", 50: "error", 60: "fatal"}
_PYTHON_LEVELS = {10: "debug", 20: "info", 25: "notice", 30: "warning", 40: "error", 50: "fatal"}
_MONOLOG = {100: "debug", 200: "info", 250: "notice", 300: "warning", 400: "error", 500: "fatal", 550: "fatal", 600: "fatal"}  # fmt: skip
_LOGBACK = {5_000: "trace", 10_000: "debug", 20_000: "info", 30_000: "warning", 40_000: "error"}
_AZURE = {0: "trace", 1: "info", 2: "warning", 3: "error", 4: "fatal"}
_OTEL = dict(zip(range(1, 25), [one for one in ("trace", "debug", "info", "warning", "error", "fatal") for _ in range(4)], strict=True))  # fmt: skip

NUMBERS: dict[str, dict[int, str]] = {
    "severitylevel": _AZURE,
    "severitynumber": _OTEL,
    "levelno": _PYTHON_LEVELS,
    "level.no": _PYTHON_LEVELS,
    "status": {},  # a response's
}
"""Scales of fields that have one of their own."""
ANY_NUMBER = {**_SYSLOG, **_NODE, **_MONOLOG, **_LOGBACK}
"""The scales of other fields: they do not overlap."""


_LONGEST_PREFIX = 2_000
_LONGEST_MESSAGE = 2_000
_NAME = r"[A-Za-z_$][\w$]{0,150}+(?:(?:\.|::|\\{1,2}|/)[A-Za-z_$][\w$]{0,150}+){0,12}+"
# e.g. Warning
_CLASS = re.compile(
    r"(?:Error|Exception|Failure|Fault|Timeout|Exit|Interrupt|Throwable|Violation|Warning|Refused|NotFound|Denied|Invalid)\d{0,3}\Z"
)
_CODE = re.compile(
    r"[A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,8}+\Z|E[A-Z]{3,20}\Z"
)  # E_PAY, PERMISSION_DENIED, ECONNREFUSED
_WHOLE_NAME = re.compile(_NAME + r"\Z")
_OBJECT = re.compile(  # Monolog and Laravel: [object] (App\PayError(code: 7): not paid at /srv/Pay.php:17)
    r"\[object\] \((?P<type>[\w\\]{1,300}+)\(code: [^()\n]{0,40}+\): (?P<message>[^\n]{0,2000}?) at [^\s:]{1,400}:\d{1,7}\)"
)
_INSPECTED = re.compile(
    r"#<(?P<type>\w{1,100}(?:::\w{1,100}){0,10}+)(?::? (?P<message>.{0,2000}+))?", re.DOTALL
)  # Ruby: #<PayError: not paid>
_LISTED = re.compile(
    r'\["(?P<type>[\w:]{1,300}+)", ?"(?P<message>[^"\n]{0,2000}+)"\]'
)  # ActiveSupport: ["PayError", "not paid"]
_REPR = re.compile(
    rf"(?P<type>{_NAME})\((?P<quote>[\"'])(?P<message>.{{0,2000}}?)(?P=quote),?\)\Z"
)  # Python: PayError('not paid')
# e.g. va:40)
_TYPED = re.compile(
    rf"(?:Uncaught |Unhandled |Exception in thread \"[^\"\n]{{1,200}}\" )?(?P<type>{_NAME})(?: \[[\w-]{{1,40}}\])?(?:: ?(?P<message>[^\n]{{0,2000}}+)|[ \t]*+(?:\n|\Z))"
)
# e.g. two (E::F)
_RAISED = re.compile(
    r"(?:[^\n]{1,500}?:\d{1,7}:in [^\n:]{1,200}: )?(?P<message>[^\n]{1,2000}?) \((?P<type>[A-Z]\w{0,100}(?:::\w{1,100}){0,8})\)(?:\n|\Z)"
)
_PYTHON_HEAD = "Traceback (most recent call last)"

_WORD = "|".join(sorted({word for words in WORDS.values() for word in words if len(word) > 1}, key=len, reverse=True))
_LEVEL = re.compile(rf"(?:^|(?<=[\s\[<(.|]))(?P<word>{_WORD.upper()}|(?:{_WORD})(?=\s{{0,8}}[\]>:]))(?=[\s\]>:|\[]|$)")
"""A level among a log's own words: in capitals, or with a bracket or a colon behind it."""
_LEVELS = {word: level for level, words in WORDS.items() for word in words}


def is_type(text: str, *, is_strict: bool = False) -> bool:
    """Whether a text is the name of an error's class, or a code such as ``ECONNREFUSED``; if strict, one that ends like an error's."""
    if len(text) > 300 or (is_strict and _CLASS.search(text) is None):
        return False
    return _CODE.match(text) is not None or (_WHOLE_NAME.match(text) is not None and _looks_raised(text))


def _looks_raised(name: str) -> bool:
    """Whether a name is one of an error: by its end, or by a package and a class behind it."""
    last = re.split(r"[.:/\\$]", name)[-1]
    return _CLASS.search(name) is not None or (last[:1].isupper() and last != name and "/" not in name)


def error_named(text: str, *, is_stack: bool = False) -> tuple[str | None, str | None]:
    """Type and message of an error that was written as one text; without a type, all of the text is the message."""
    body = text.strip()
    if _PYTHON_HEAD in body[:200] and "\n" in body:
        body = next((line for line in reversed(body[-4_000:].split("\n")) if line[:1].strip()), body)
    for pattern in (_OBJECT, _INSPECTED, _LISTED, _REPR, _TYPED, _RAISED):
        found = pattern.match(body[:4_000])
        if found is not None and (pattern in (_OBJECT, _INSPECTED, _LISTED) or _looks_raised(found["type"])):
            message = (
                (found["message"] or "").partition("   at ")[0].strip()
            )  # .NET's console writes a trace in one line
            return found["type"], (message.removesuffix(">") if pattern is _INSPECTED else message) or None
    if is_stack:
        return None, None
    return (body, None) if is_type(body) else (None, body.partition("\n")[0][:_LONGEST_MESSAGE].strip() or None)


def level_in(prefix: str) -> str | None:
    """Return the level that a log's own words before a message name; None for none."""
    found = _LEVEL.search(prefix[-_LONGEST_PREFIX:])
    return _LEVELS[found["word"].lower()] if found is not None else None


def message_in_prefix(prefix: str) -> tuple[int, int] | None:
    """Return where the message is in what is before a record's fields; None if all of it is the log's own words."""
    start = max(len(prefix) - _LONGEST_PREFIX, 0)
    end = len(prefix.rstrip())
    tab = prefix.rfind("\t", start, end)
    if tab >= 0:  # zap separates with tabs, the message last
        start = tab + 1
    else:
        level = _LEVEL.search(prefix, start)
        for begin in (start, level.end() if level is not None else start):  # logrus: ERRO[0000] payment failed
            found = LOG_PREFIX.match(prefix, max(start, begin))
            start = found.end() if found is not None else max(start, begin)
    start += len(prefix[start:end]) - len(prefix[start:end].lstrip())
    return (start, end) if start < end and any(c.isalpha() for c in prefix[start:end]) else None

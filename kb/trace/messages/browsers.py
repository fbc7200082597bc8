"""What browsers' consoles print about errors that are no exceptions: requests, CORS, Content Security Policy, mixed content.

Sources: developer.mozilla.org (CORS errors, Content-Security-Policy, Mixed content), Chromium's net_error_list and its console.
"""

import re

from kb.trace.messages.form import Form

_NET = r"ERR_[A-Z0-9_]{2,60}"
_URL = r"\S{1,2000}+"
_METHOD = r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)"

FORMS: tuple[Form, ...] = (
    Form("browser", re.compile(r"Access to [\w -]{3,40} at '[^'\n]{1,2000}'(?: \(redirected from '[^'\n]{1,2000}'\))? from origin '[^'\n]{1,300}' has been blocked by CORS policy: (?P<message>[^\n]++)"), type="CORS policy"),
    Form("firefox", re.compile(r"Cross-Origin Request Blocked: (?P<message>[^\n]++)"), type="CORS policy"),
    Form("browser", re.compile(r"(?P<message>(?:Refused to|Loading|Connecting to|Framing|Executing|Evaluating|Applying|Sending|Creating|Running|Navigating)[^\n]{1,2000}? violates the following Content Security Policy directive[^\n]*+)"), type="Content Security Policy"),
    Form("firefox", re.compile(r"Content[ -]Security[ -]Policy: (?P<message>The page.s settings (?:blocked|would block)[^\n]++)"), type="Content Security Policy"),
    Form("browser", re.compile(r"Mixed Content: (?P<message>The page at '[^\n]++)"), type="Mixed Content"),
    Form("browser", re.compile(rf"{_METHOD} {_URL} net::(?P<type>{_NET})")),
    Form("browser", re.compile(rf"(?P<message>{_METHOD} {_URL} (?P<type>[45]\d\d) \([^)\n]{{0,100}}\))"), type="HTTP {}"),
    Form("browser", re.compile(rf"Failed to load resource: net::(?P<type>{_NET})")),
    Form("browser", re.compile(r"Failed to load resource: (?P<message>the server responded with a status of (?P<type>[45]\d\d) \([^)\n]{0,100}\))"), type="HTTP {}"),
    Form("browser", re.compile(rf"(?P<message>WebSocket connection to '[^'\n]{{1,2000}}' failed: [^\n]{{0,500}}?net::(?P<type>{_NET}))")),
    Form("browser", re.compile(r"(?P<message>WebSocket connection to '[^'\n]{1,2000}' failed: ?[^\n]*+)")),
    Form("chromium", re.compile(rf"(?:Error: )?(?:[Pp]age\.goto: |unknown error: )?net::(?P<type>{_NET})(?: at {_URL})?")),
    Form("firefox", re.compile(r"(?P<message>NetworkError when attempting to fetch resource\.)[ \t]*$")),
)  # fmt: skip

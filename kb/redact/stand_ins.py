"""Words that stand where a value would, and are none: what says that there is no secret, variables, references, masks, types, places."""

import re

NEVER = re.compile(
    r"(?:null|none|nil|undefined|true|false|yes|no|on|off|empty|required|missing|invalid|expired|wrong|protected"
    r"|incorrect|unknown|default|bearer ?|basic ?|masked|hidden|redacted|string|str|int|integer|bool|boolean|object"
    r"|optional|option|password|passwd|pwd|secret|token|hashed|encrypted|confirmed|always|never|range|n/?a|tbd|todo|fixme|(?:[a-z]{1,12}-){0,2}placeholder(?:-[a-z]{1,12}){0,2}|\(none\)"
    # a version: ^9.0.0  ~1.2.3-beta.1
    r"|[\^~>=v]{0,2}\d{1,3}\.\d{1,4}\.\d{1,6}(?:-[a-z]{1,8}(?:\.\d{1,4})?)?"
    # your_password  insert-your-key-here  PASSWORD_HERE
    r"|(?:\w{2,10}[-_ ]){0,3}your[-_ ]?(?:\w{1,12}[-_ ]){0,2}(?:password|passwd|pwd|secret|token|key)(?:[-_ ]?here)?"
    r"|(?:password|secret|token|key)[-_ ]here"
    # what a program names it: access_key  apiKey  app-specific-password  SecretStr
    r"|(?:access|secret|api)_?key|(?:[a-z]{2,12}-){1,3}password|secret(?:str|bytes|value|string)|securestring|(?:char|string|password)field"
    # types and algorithms: varchar(64)  uint8  sha256  aes-256-gcm  RS256
    r"|(?:n?var)?char2?(?:\(\d{1,5}\))?|string\(\d{1,5}\)|u?int\d{1,3}|text|uuid(?:v\d)?|bcrypt|scrypt|argon2(?:id?)?|oauth2?"
    r"|(?:scram-)?(?:sha|md|rsa|aes|des|utf|base|[hrep]s)[-_]?\d{1,4}(?:-(?:gcm|cbc|ctr|plus))?)[.!?。]*\Z",
    re.IGNORECASE,
)
"""Words that stand where a value would, and are none."""
_VARIABLE = r"\w*(?i:pass|pwd|secret|token|key|arg|var|val|param|user|cred|auth|env)\w*"
STAND_IN = re.compile(
    # $NAME ${name} $1 $dbPassword2 #{pw} #fff %s %NAME% %(pw)s @password @p1 ****, and what is too short behind such a sign
    rf"\$(?:\\?[{{(\[]|\d{{1,2}}\Z|[A-Z_][A-Z0-9_]*\Z|[A-Za-z_]+(?:\Z|[\[.]|->|::)|{_VARIABLE}(?:\Z|[\[.]|->))"
    rf"|#(?:\{{|[0-9a-fA-F]{{3,8}}\Z|[A-Za-z_-]+\Z)|%(?:[-+#.\d]{{0,6}}[A-Za-z](?:\Z|[^\w!])|[({{\[]|\w+%)"
    rf"|@(?:[A-Za-z_]+\Z|[A-Za-z]\d{{1,2}}\Z|{_VARIABLE}\Z|[@({{])|\*(?:\*|[A-Za-z_.-]+\Z)"
    # where it lies: vault:secret/db#pw  file:/run/pw  env:DB_PASS  op://vault/item  arn:aws:secretsmanager:…  projects/p/secrets/db
    r"|(?:vault|env|file|classpath|(?:aws-?)?ssm|secretsmanager|awssm|op|arn:aws[\w-]*):[\w/.]|ref\+\w{2,20}:|projects/[\w-]{1,40}/secrets/"
    # what a program makes or checks: {user}-{host}  required|min:8  ".join(parts)  process.env.DB_PASSWORD
    r"|(?:\{[\w.]{1,40}+\}[^\w{}]{0,4}+)++\Z|(?:required|nullable|string)\||\.[a-z]\w{1,20}\(|process\.env\."
    # <your key>  db:/run/secrets/db
    r"|<[A-Za-z|][^<>]{0,60}>?\Z|--[a-z]|\)|\?[A-Za-z ]+\Z|[\w.-]{1,40}:~?/[\w./-]+\Z"
    r"|[$#%@*](?!\S{4})|-[A-Za-z]\Z|\[[A-Za-z _-]{1,40}\]|:[A-Za-z]|\?\Z|\{\{|\{\w*\}\Z|(?:[\w-]{1,12}[_-])?(?:x{3,}+|X{3,}+)\Z|\.{2,}+\Z|[-_?]++\Z|\\"
)
PATH = re.compile(r"(?:~|\.{1,2})?(?:/[a-z0-9_.-]+){2,}\Z")
_WORD_AND_NUMBER = r"(?:[A-Z]?[a-z]++|[A-Z]++)?\d{0,4}+[a-z]?"
IDENTIFIER = re.compile(rf"(?:v\d{{1,2}}[a-z]{{1,8}}\d{{1,2}}|{_WORD_AND_NUMBER}(?:[-_.]{_WORD_AND_NUMBER})*+)\Z")
"""A name of something, as people number them: ``orders_v2``, ``us-east-1a``, ``order_id_2024``, ``GCM128``, ``v2beta1``."""

"""What a value is made like: words that stand where one would, places and names, and what only a generator makes.

`NEVER` and `STAND_IN` say that there is no secret: variables, references, masks, types. `PLACED`, `TECHNICAL` and `IDENTIFIER`
are things with digits that prose and code speak of. `is_random` and `is_plausible` are what a password may look like.
"""

import re
from functools import lru_cache

from kb.patterns import lazy

NEVER = lazy(
    r"(?:null|none|nil|undefined|true|false|yes|no|on|off|empty|required|missing|invalid|expired|wrong|protected"
    r"|incorrect|unknown|default|bearer ?|basic ?|masked|hidden|redacted|string|str|int|integer|bool|boolean|object"
    r"|optional|option|password|passwd|pwd|secret|token|hashed|encrypted|confirmed|always|never|range|n/?a|tbd|todo|fixme|(?:[a-z]{1,12}-){0,2}placeholder(?:-[a-z]{1,12}){0,2}|\((?:none|empty|null|hidden|masked|redacted|unset|not set)\)"
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
_STATES = (
    # Spanish, Portuguese and Italian by gender and number
    r"(?:expirad|caducad|vencid|incorre(?:c)?t|inv[aá]lid|cambiad|modificad|alterad|obligat[oó]ri|obrigat[oó]ri|obbligatori|requerid|equivocad|err[aá](?:d|ne|t)|bloquead|vac[ií]|vazi|scadut|errat|sbagliat|modificat|cambiat|richiest|bloccat|vuot)[oaie]s?"
    r"|expir[ae]|caduca|venceu|venció"
    # French
    r"|(?:expir|p[eé]rim|modifi|chang|erron|verrouill)[eé]e?s?|incorrecte?s?|invalides?|requise?s?|obligatoires?"
    # German, Dutch
    r"|(?:falsch|ungültig|abgelaufen|gesperrt|geändert|leer|fehlend|fehlerhaft)(?:e[nmrs]?)?|fehlt(?:e|en)?|verlopen|onjuiste?|ongeldige?|gewijzigd|leeg|vereist"
    # Russian, Polish
    r"|(?:неверн|неправильн|просроченн?|истекш|пуст)(?:ый|ая|ое|ые|ой|ий|ее|[аоы])?|ист[её]к(?:ла|ло|ли)?|(?:nieprawidłow|błędn|pust|wymagan)[eay]|wygasło"
)
STATE = lazy(rf"(?:{_STATES})(?:-\d{{1,4}}|\d)?\Z", re.IGNORECASE)
"""``le mot de passe de bob est expiré``, ``ist falsch``: how it is with the password, with a digit or behind a hyphen a number that a test gave the word; ``Cambiado2024`` is a password"""
DEFAULT = lazy(r"change(?:it|me)\Z|(?:minio)?admin\Z|letmein\Z|swordfish\Z|welcome\Z|qwerty\Z", re.IGNORECASE)
"""Passwords that products come with: secrets that look like words."""
_VARIABLE = r"\w*(?i:pass|pwd|secret|token|key|arg|var|val|param|user|cred|auth|env)\w*"
STAND_IN = lazy(
    # $NAME ${name} $1 $dbPassword2 #{pw} #fff %s %NAME% %(pw)s @password @p1 @DB_PASSWORD@ ****, and what is too short behind such a sign
    rf"\$(?:\\?[{{(\[]|\d{{1,2}}\Z|[A-Z_][A-Z0-9_]*\Z|[A-Za-z_]+(?:\Z|[\[.]|->|::)|{_VARIABLE}(?:\Z|[\[.]|->))"
    rf"|#(?:\{{|[0-9a-fA-F]{{3,8}}\Z|[A-Za-z_-]+\Z)|%(?:[-+#.\d]{{0,6}}[A-Za-z](?:\Z|[^\w!])|[({{\[]|\w+%)"
    rf"|@(?:[A-Za-z_]+\Z|[A-Za-z_.-]{{2,60}}@\Z|[A-Za-z]\d{{1,2}}\Z|{_VARIABLE}\Z|[@({{])|\*(?:\*|[A-Za-z_.-]+\Z)"
    # where it lies: vault:secret/db#pw  file:/run/pw  env:DB_PASS  op://vault/item  arn:aws:secretsmanager:…  projects/p/secrets/db
    r"|(?:vault|env|file|classpath|(?:aws-?)?ssm|secretsmanager|awssm|op|arn:aws[\w-]*):[\w/.]|ref\+\w{2,20}:|projects/[\w-]{1,40}/secrets/"
    # what a program makes or checks: {user}-{host}  required|min:8  ".join(parts)  process.env.DB_PASSWORD
    r"|(?:\{[\w.]{1,40}+\}[^\w{}]{0,4}+)++\Z|(?:required|nullable|string)\||\.[a-z]\w{1,20}\(|process\.env\."
    # <your key>  db:/run/secrets/db
    r"|<[A-Za-z|][^<>]{0,60}>?\Z|--[a-z]|\)|\?[A-Za-z ]+\Z|[\w.-]{1,40}:~?/[\w./-]+\Z"
    # a mask to its end, or to its last four characters: sk-xxxxxxxxxxxx  ********ab12  aaaaaaaaaaaa
    r"|[^\s<]{0,40}?(?:[xX]{8}|\*{8})[xX*_-]*+\S{0,4}\Z|([A-Za-z])\1{11,400}+\Z"
    r"|[$#%@*](?!\S{4})|-[A-Za-z]\Z|\[[A-Za-z _-]{1,40}\]|:[A-Za-z]|\?\Z|\{\{|\{\w*\}\Z|(?:[\w-]{1,12}[_-])?(?:x{3,}+|X{3,}+)\Z|\.{2,}+\Z|[-_?]++\Z|\\"
)
PATH = lazy(r"(?:~|\.{1,2})?(?:/[a-z0-9_.-]+){2,}\Z")
_WORD_AND_NUMBER = r"(?:[A-Z]?[a-z]++|[A-Z]++)?\d{0,4}+[a-z]?"
IDENTIFIER = lazy(rf"(?:v\d{{1,2}}[a-z]{{1,8}}\d{{1,2}}|{_WORD_AND_NUMBER}(?:[-_.]{_WORD_AND_NUMBER}){{0,100}}+)\Z")
"""A name of something, as people number them: ``orders_v2``, ``us-east-1a``, ``order_id_2024``, ``GCM128``, ``v2beta1``."""
IN_WORDS = lazy(r"(?:[A-Z]?[a-z]++|[A-Z]++){1,16}+[-_.]?v?\d{0,4}\Z")
"""``OutOfMemoryError2``: words and a number."""
WORD_AND_YEAR = lazy(r"[A-Za-z][a-z]{3,30}+(?:19|20)?\d\d[a-z.!?]?\Z")
"""``Verano2024``, ``sommer24``, ``gatto99x``: what people make of a word that must hold digits."""
NAME_OF_ONE = lazy(r"[A-Z0-9_]*(?:PASS|SECRET|TOKEN|KEY)[A-Z0-9_]*\Z")
"""``LOG4J_KEY_STORE_PASSWORD``: the name of a variable."""
_NUMBERED = r"(?:[A-Z]?[a-z]*[-_.]){0,4}[A-Z]?[a-z]*[-_.]?\d{1,2}\Z"
"""node1, Room12, db-node-3"""
PLACED = lazy(
    r"(?:[A-Za-z]+[-_.]){0,4}[A-Za-z]+[-_.]?\d{1,2}(?:(?:\.\d{1,4}){1,3}(?:\.[a-z]{1,5})?|\.[a-z]{1,5})\Z|[A-Z]{2,}+[-_]?\d{1,4}\Z|[A-Z]{1,3}\d{1,2}[A-Z]{0,2}\Z"
    r"|(?i:sha|md|aes|rsa|des|utf|base|bcrypt|qps|oauth|iso|rfc|tls|jdk|http|https|h)[-_]?\d|v?\d{1,4}(?:\.\d{1,6}){1,4}|\d{1,3}[A-Za-z]{1,12}\Z"
    r"|[\w.-]{1,60}\.(?:pem|key|jks|txt|ya?ml|json|conf|py|java|go|md|com|cn|org|io)\Z|[/~.]|\w{2,12}://|[\w.-]{1,60}[(:=]|[A-Z]{2,10}-\d{1,6}\Z",
)
"""nginx1.25, key1.pem, SHA256, v2.3.1, 1Password, /etc/ssl, HDFS-12345: what is no password even where one is announced."""
TECHNICAL = lazy(rf"{_NUMBERED}|{PLACED.pattern}")
"""These, and names with a number, which prose speaks of near a label."""
_MESSAGE = lazy(
    r"(?<![A-Za-z])(?:pass(?:word|phrase)s?|token|client|access|api|must|should|shall|required?|invalid|incorrect|wrong|please|enter|your|user|field|cannot|can't|\w{2,5}n't"
    r"|(?:do|does|is|are|was|may|has|have|will) not|expired|missing|forgot(?:ten)?|type|characters?|optional|string|values?|reset|confirm|log ?in|sign(?:ed|s)?"
    r"|failed|error|empty|for|when|used|which|given|same|provided)(?![A-Za-z])",
    re.IGNORECASE,
)
"""Words of a message about a secret, which a phrase that is one hardly holds."""
_SENTENCE = lazy(r"[A-Za-z][a-z']+(?: [a-z0-9']{1,20}){2,}[.!?]?\Z")
_LEET = lazy(r"[a-z]\d[a-z]")
_IN_SENTENCE = lazy(
    r"(?<![\w'])(?:a|an|the|of|in|into|to|is|at|by|on|or|and|as|be|been|it|its|this|that|these|no|not|from|with|without|see|ask|use|any|all|if|via|per|every|inside|than|more|least|min(?:imum)?|max(?:imum)?|words?|chars|letters)(?![\w'])"
    r"|[,.:;()]|[.!?]\Z",
    re.IGNORECASE,
)
"""What joins the words of a sentence, and hardly those of a phrase."""
_PIECE = lazy(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_DIGIT = lazy("[0-9]")
_REMEMBERED = 200
_SIGN = lazy("[!@#$%^&*]")
_MAIL = lazy(
    r".{0,64}?(?:@[A-Za-z][\w-]*\.|@v?\d{1,3}(?:\.|\Z)|://|\.\w{2,5}#|%[2-7][0-9A-F])|[A-Za-z_]\w{0,60}+(?:\.[\w$]{1,80}+){1,9}+@[0-9a-f]{1,16}\Z"
)
"""An address, a version of a package, a place in a file, ``java.lang.String@1b2c6ec2``"""


@lru_cache(maxsize=2)
def _says_none(value: str) -> bool:
    """Whether it is a word that stands where a value would, or stands for one; several rules in turn ask it of the same value."""
    return NEVER.match(value) is not None or STAND_IN.match(value) is not None


def says_none(value: str) -> bool:
    """The same; a long one is not remembered."""
    return _says_none(value) if len(value) <= _REMEMBERED else _says_none.__wrapped__(value)


def has_digit(value: str) -> bool:
    """Whether it holds a digit."""
    return _DIGIT.search(value) is not None


def is_phrase(words: str) -> bool:
    """Whether several words are a phrase and no sentence: ``correct horse battery``; a word with a digit inside is of none."""
    is_sentence = _IN_SENTENCE.search(words) is not None and _LEET.search(words) is None
    return words.count(" ") > 1 and not is_sentence and _MESSAGE.search(words) is None


def is_message(value: str) -> bool:
    """Whether it is a sentence about a secret."""
    begins_one = value[0].isupper() and not has_digit(value)
    return _SENTENCE.match(value) is not None and (begins_one or _MESSAGE.search(value) is not None)


def is_written(value: str) -> bool:
    """Whether it is of ASCII signs and letters of Latin, Greek and Cyrillic, as keyboards have them: ``Jabłko-77x``."""
    return value.isascii() or all(c.isascii() or (c < "\u0530" and c.isalpha()) for c in value)


def is_mixed(value: str) -> bool:
    """Letters and digits, or letters and two signs."""
    if not any(c.isalpha() for c in value):
        return value.isdigit() and len(value) >= 6
    return has_digit(value) or sum(c in "@#$%^&*!+" for c in value) >= 2


def is_no_name(value: str) -> bool:
    """Whether it looks like a password behind a word that means other things, too: mixed, and like no name of anything but a word and a year."""
    if not is_mixed(value) or value.isdigit():
        return False
    return WORD_AND_YEAR.match(value) is not None or not any(
        name.match(value) for name in (TECHNICAL, IDENTIFIER, IN_WORDS, PATH)
    )


def is_plausible(value: str) -> bool:
    """Whether it may be a password where one is expected: letters and a digit, and nothing that is named like that."""
    if len(value) < 6 or not has_digit(value) or not any(map(str.isalpha, value)) or _MAIL.match(value):
        return False
    return not (TECHNICAL.match(value) or NEVER.match(value) or STAND_IN.match(value))


def is_shuffled(value: str) -> bool:
    """Whether small letters and digits take turns in it as only a generator lets them: ``h3kglmwmxh1uz0q2o4bl``."""
    return len(value) >= 17 and value.islower() and len(_PIECE.findall(value)) >= 0.3 * len(value)


def is_random(value: str) -> bool:
    """Whether letters, digits and signs change in it as in no name, no number and no place; of a long value its beginning decides."""
    value = value[:200]
    if len(value) < 8 or not has_digit(value) or not any(map(str.isalpha, value)):
        return False
    if "=" in value[:-2] or ":" in value or "/" in value or says_none(value):
        return False
    if PLACED.match(value) or _MAIL.match(value):
        return False
    if _SIGN.search(value, 1):
        return True
    bare = value.rstrip("=+")
    if "." in bare or bare.islower() or bare.isupper():
        return False
    pieces = len(_PIECE.findall(bare))
    return pieces >= 4 and pieces >= 0.34 * len(bare) and "--" not in bare

"""Every kind of secret: by which words it is noticed, and what is taken away."""

from kb.redact.arguments import OF_LOGINS, OF_SECRETS, is_of_logins, is_of_secrets
from kb.redact.assignments import ASSIGNED, is_set, value_ends
from kb.redact.carriers import (
    AUTHORIZATION,
    BARE_ADDRESS,
    BEARER,
    COOKIE,
    DIGEST,
    ELEMENT,
    FUNCTION_CODE,
    HEX_SIGNATURE,
    IDENTIFIED,
    IN_ADDRESS,
    NEGOTIATE,
    ORACLE,
    ORACLE_LITERAL,
    SESSION,
    SIGNATURE,
    SQL_PASSWORD,
    credential_ends,
    has_digit_or_symbol,
    is_code,
    is_cookie,
    is_credential,
    is_digest,
    is_element,
    is_long,
    is_quoted_word,
    is_session,
    is_statement,
    login_begins,
    session_ends,
)
from kb.redact.columns import columns
from kb.redact.commands import AUTH_PAIR, COMMANDS, OPTION, is_option, is_value
from kb.redact.credentials import (
    BASIC,
    CLOUD_PAIR,
    DOCKER_AUTH,
    KEY_PAIR,
    NETRC,
    PGPASS,
    SERVER_SETTING,
    SPACED,
    is_basic,
    is_mixed_key,
    is_netrc,
    is_spaced,
)
from kb.redact.directives import DIRECTIVES
from kb.redact.labels import labels
from kb.redact.literals import literals
from kb.redact.manifests import GROUP, SECRET_MANIFEST, manifest_secrets, secrets_of_group
from kb.redact.markup import TABLES
from kb.redact.names import NAME_ANCHORS, PLAIN_ANCHORS
from kb.redact.nearby import NEARBY, nearby
from kb.redact.pairs import (
    DEFAULTED,
    LONG_KEY,
    PAIRED,
    REPLIED,
    STORED,
    TURNED,
    is_defaulted,
    is_long_key,
    is_replied,
    paired,
    stored,
    turned,
)
from kb.redact.people import PEOPLE_KINDS
from kb.redact.prose import sentences
from kb.redact.shapes import (
    ATLAS,
    AZURE,
    ENCODED_KEY,
    KEY_BLOCK,
    MAILCHIMP,
    PUTTY_LINES,
    SSH2_BLOCK,
    TELEGRAM,
    WEB_KEY,
    WEBHOOK,
    atlas_begins,
    azure_begins,
    mailchimp_begins,
    telegram_begins,
    tokens,
)
from kb.redact.words import SecretKind

_CALLED = ("):", "function]:", ")：", "）:", "）：", "function]：")
_ORACLE = ("jdbc:oracle:", "sqlplus ", "impdp ", "expdp ", "sqlldr ", "rman ")

AT_HOST = "@"
"""The anchor of a login without a scheme: it is whole as it reads, so nothing is sought behind escapes around it."""

KINDS: tuple[SecretKind, ...] = (
    SecretKind("private_key", ("-----begin ",), KEY_BLOCK),
    SecretKind("private_key", ("---- begin ssh2",), SSH2_BLOCK),
    SecretKind("private_key", ("private-lines:",), PUTTY_LINES),
    SecretKind("private_key", ('"d":', '"d" :', '"d\\"'), WEB_KEY),
    SecretKind("credential", ("ls0tls1crudjti",), ENCODED_KEY),
    SecretKind("authorization", ("authorization",), AUTHORIZATION, is_credential, ends=credential_ends),
    SecretKind("bearer", ("bearer",), BEARER, has_digit_or_symbol),
    SecretKind("negotiate", ("negotiate ", "ntlm "), NEGOTIATE, is_mixed_key),
    SecretKind("cookie", ("cookie",), COOKIE, is_cookie),
    SecretKind("address", ("://", "：//"), IN_ADDRESS, is_long),
    SecretKind("address", _ORACLE, ORACLE),
    SecretKind("address", ('connect("', "connect('", 'connect( "', "connect( '"), ORACLE_LITERAL),
    SecretKind(
        "webhook",
        ("hooks.slack.com/", "/bot/", "/webhook/send?", "/robot/send?", "discord", "webhook.office", "sctapi."),
        WEBHOOK,
    ),
    SecretKind("assignment", NAME_ANCHORS, ASSIGNED, is_set, ends=value_ends, follows="\\\"'`][ \t:=：为是如(@", unless=frozenset({"=<"})),
    SecretKind("assignment", ("jsessionid", "phpsessid", "sessionid", "session_id", "session-id", "session="), SESSION, is_session, ends=session_ends),
    SecretKind("assignment", ("identified",), IDENTIFIED, is_quoted_word),
    SecretKind("assignment", ("password '", "password('", "password ('", "password for "), SQL_PASSWORD, is_statement),
    SecretKind("element", NAME_ANCHORS, PAIRED, spans=paired, follows="\"' \t,;:\r\n"),
    SecretKind("setting", ('variable "',), DEFAULTED, is_defaulted),
    SecretKind("setting", ("passwords:", "passwörter:", "contraseñas:", "senhas:", "mots de passe:", "wachtwoorden:", "пароли:", "passwords {", "secrets:", "secrets {", "tokens:", "tokens {", "credentials:", "credentials {", 'passwords":', 'secrets":', 'tokens":', 'credentials":', "auth_users:", "auth-users:", "users:"), GROUP, spans=secrets_of_group),
    SecretKind("setting", ("key:", "key=", 'key"', "key'", "key :", "key =", "salt:", "salt=", 'salt"', "salt =", "login:", "login=", 'login"', "appid="), LONG_KEY, is_long_key),
    SecretKind("element", (*PLAIN_ANCHORS, "masterauth"), REPLIED, is_replied, follows='"'),
    SecretKind("element", ('value":"', 'value": "', 'value" : "', "- value:"), TURNED, spans=turned),
    SecretKind("element", ("value='", "value = '", "value= '", "val='", "val = '", "value=n'", "value = n'"), STORED, spans=stored),
    SecretKind("manifest", ("kind: secret", 'kind":"secret', 'kind": "secret', 'kind: "secret', "kind: 'secret", "kind':'secret", "kind': 'secret"), SECRET_MANIFEST, spans=manifest_secrets),
    SecretKind("element", PLAIN_ANCHORS, ELEMENT, is_element, follows="<\"'> \t"),
    SecretKind("argument", _CALLED, OF_SECRETS, is_of_secrets),
    SecretKind("argument", _CALLED, OF_LOGINS, is_of_logins),
    SecretKind("signature", ("sig=", "signature=", "sign="), SIGNATURE),
    SecretKind("signature", ("signature=",), HEX_SIGNATURE),
    SecretKind("signature", ("code=",), FUNCTION_CODE, is_code),
    SecretKind("option", ("pass", "pwd", "token", "secret", "api-key", "api_key", "apikey", "access-key", "access_key", "account-key", "consumer-key", "consumer_key", "auth-key", "license-key", "encryption-key", "master-key", "session-key", "shared-key", "private-key", "admin-key", "app-key", "psk ", "bearer ", "encrypt ", "auth ", "credential", "storepass", "keypass"), OPTION, is_option),
    SecretKind("credential", ("login ", "login\t"), NETRC, is_netrc),
    SecretKind("credential", (":5432:", ":5433:", ":5434:", ":6432:", ":*:"), PGPASS),
    SecretKind("credential", ('auth"', "auth'", "auth\\", "auth:", "auth=", "auth ="), DOCKER_AUTH, is_basic),
    SecretKind("credential", ("ak=", "ak:", "ak：", "sk：", 'ak"', "ak'", "ak\\", "ak =", "sk=", "sk:", 'sk"', "sk'", "sk\\", "sk ="), CLOUD_PAIR, is_mixed_key),
    SecretKind("assignment", ("requirepass", "masterauth", "primaryauth", "sentinel-pass", "auth-pass "), SERVER_SETTING),
    SecretKind("assignment", (*PLAIN_ANCHORS, "rootpw"), SPACED, is_spaced, follows=" \t"),
    SecretKind("telegram_token", (":aa",), TELEGRAM, begins=telegram_begins),
    SecretKind("service_token", (".atlasv1.",), ATLAS, begins=atlas_begins),
    SecretKind("azure_secret", ("q~",), AZURE, begins=azure_begins),
    SecretKind("service_token", tuple(f"-us{digit}" for digit in "123456789"), MAILCHIMP, begins=mailchimp_begins),
    *labels(NAME_ANCHORS),
    *literals(NAME_ANCHORS),
    *nearby(NAME_ANCHORS),
    *sentences(),
    *columns(),
    *TABLES,
    SecretKind("credential", ("basic ",), BASIC, is_basic),
    SecretKind("authorization", ('response="', "response=\\"), DIGEST, is_digest),
    SecretKind("credential", ("akia", "asia", "ltai", "akid"), KEY_PAIR),
    SecretKind("address", (AT_HOST,), BARE_ADDRESS, begins=login_begins),
    SecretKind("argument", ("auth=(", "auth = (", "auth=  ("), AUTH_PAIR, is_value),
    *COMMANDS,
    *DIRECTIVES,
    *tokens(),
    *PEOPLE_KINDS,
)  # fmt: skip
"""Every kind of secret that is looked for."""

AS_IT_READS = frozenset({NEARBY, "key_store", "login_option", "sentence", "setting"})
"""Names of kinds that nobody writes behind escapes: around their anchors, which are frequent, none are looked for."""

PUNCTUATED = frozenset({"address", "argument", "authorization", "cookie"})
"""Names of kinds that are looked for behind a Chinese keyboard's punctuation, too; the others know its colon."""

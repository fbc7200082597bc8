"""Names that hold secrets: ``password``, ``api_key``, ``密码``, what may stand behind them, and by which letters they are noticed.

Every rule about a name and its value shares this list; what joins the two is the rule's own.
"""

import re
from functools import lru_cache

from kb.patterns import lazy

KEY = (
    r"passwords?|passwd|pass[ ]?phrase|pass[ ]?key|passcode|pswd|pwd|secret(?:[-_. ]?access|[-_]?or(?:[-_]?private)?)?(?:[-_. ]?key|[-_]?id)?|key(?:[-_. ]?(?:id|secret))?|token|credentials?"
    r"|(?<!by)(?<!com)(?<!sur)(?<!im)(?<!one)(?<!low)(?<!all)(?<!tres)(?<!over)(?<!high)(?<!band)(?<!under)(?<!multi)pass|erlang_cookie|authtok|(?:bind|root|user|admin)[-_]?pw|(?<![A-Za-z])pw|jsapi[-_]?ticket|(?<![A-Za-z])(?:tls)?psk|密码|密碼|口令|密钥|密鑰|金鑰|秘钥|私钥|私鑰|令牌|权杖|權杖|通行码|通行碼|授权码|授權碼|加密盐值?|盐值"
)
SUFFIX = (
    r"(?:[-_.]?(?:value|string|text|plain|prod|dev|test|staging|base|old|new|confirm(?:ation)?|repeat|primary|secondary|hash(?:ed)?|sha\d{1,3}(?:[-_]hex)?|hex|enc(?:rypted|oded)?|base64|\d{1,2}|(?<![nN])[ ]\d{1,2}(?=[ ]?[:=]))"
    r"|\.[\w.-]{1,80}\.windows\.net)?+"
)
"""A name as a pattern without groups, to be read without case, and what may follow it: ``password_prod``, ``secret2``."""
ABROAD = (
    r"passwort|kennwort|contrase(?:ñ|n)a|mot de passe|(?<![A-Za-z])mdp|senha|парол(?:ь|я|ю|ем)|パスワード|暗証番号|비밀번호|암호|패스워드|wachtwoord|hasło|heslo|şifre(?:si|niz)?|parola(?:sı|nız)?|lösenord"
    r"|salasana|mật khẩu|adgangskode|passord|jelszó|lozinka|geslo|kata sandi|κωδικός|รหัสผ่าน|كلمة المرور|(?<![A-Za-z])(?<!palabra )(?<!palabras )clave(?![A-Za-z])(?![ ](?:ssh[ ])?p[úu]blica)|palavra-passe|code d['’]accès|(?:wlan-|netzwerk)schlüssel"
)
"""Password in German, Spanish, French, Portuguese, Russian, Japanese, Korean, Dutch, Polish, Czech, Turkish, Italian, Swedish, Finnish, …"""
ABROAD_ANCHORS = (
    *("passwort", "kennwort", "contraseña", "contrasena", "mot de passe", "mdp", "senha", "пароль", "пароля", "паролю", "паролем", "パスワード", "비밀번호"),
    *("암호", "wachtwoord", "hasło", "heslo", "şifre", "parola", "lösenord", "salasana", "mật khẩu", "adgangskode", "passord"),
    *("jelszó", "lozinka", "geslo", "kata sandi", "κωδικός", "รหัสผ่าน", "كلمة المرور", "clave"),
    *("şifresi", "şifreniz", "parolası", "parolanız", "暗証番号", "패스워드", "palavra-passe", "code d'accès", "code d’accès", "wlan-schlüssel", "netzwerkschlüssel"),
)  # fmt: skip
VAGUE = frozenset({"clave", "parola"})
"""Of these: any key in Spanish, any word in Italian. What follows must look like a password."""
_OF = r"(?:(?:de[ls]?|d[aeou]|di|dell[ao]|para|per|pour|für|vom|von|van|voor|na)[ ](?:la|el|los|las|il|lo|le|l['’]|der|den|dem|das|de|het)?[ ]?|(?:dell|d|de[ ]l|al)['’])?"
_OPENED = (
    r"a(?:cceso|ccesso|ccès)|ordine|secreta|segreta|maestra|wi-?fi|wlan|vpn|ssh|s?ftp|smtp|ldap|router|red|rete|réseau|host|pc|zip|pdf|base[ ]de[ ](?:datos|dados|données)|database|bb?dd?"
    r"|servid[oe]r|serv[ei]r|serveur|server|servicio|servizio|serviço|service|sistema|système|system|equipo|ordenador|m[áa]quina|macchina|rechner|computer|portale?|panel|aplicación|impresora|cámara"
    r"|usu[aá]rio|utente|utilisateur|benutzer|gebruiker|user|administra(?:d|t)or|amministratore|admin|root|cuenta|account|compte|konto|correo|e-?mail|mail"
)
OPENED = rf"[ ]{_OF}(?:{_OPENED})(?![\w-])"
"""Behind a name, what it opens: ``clave de acceso``, ``parola d'ordine``, ``clave del servidor``; a vague name is none then."""
MACHINES = frozenset(
    (
        *("servidor", "servidores", "server", "serveur", "servicio", "servizio", "serviço", "service", "sistema", "system", "système"),
        *("host", "equipo", "máquina", "maquina", "macchina", "ordenador", "computer", "rechner", "dispositivo", "router", "red", "rete", "wifi", "vpn"),
        *("base de datos", "database", "portal", "portale", "aplicación", "aplicacion", "applicazione", "aplicação", "sitio", "sito", "web"),
    )
)  # fmt: skip
"""Heads of columns that name what a password opens."""
VALUES = frozenset({"valor", "value", "valore", "valeur", "wert"})
"""Heads of columns beside which a vague one holds names of settings."""
_OF_KEYS = (
    *("access", "api", "account", "private", "auth", "signing", "encrypt", "encryption", "crypto", "cipher", "fernet", "master"),
    *("subscription", "functions", "shared", "storage", "consumer", "ssh", "license", "licence", "hmac", "jwt", "mch", "aes", "session"),
    *("logged_in", "unseal", "admin", "deploy", "webhook", "integration", "servicerole", "service-role", "service_role", "validation"),
    *("security", "secure", "cookie", "csrf", "recovery", "captcha", "vapid", "wifi", "wi-fi", "wlan", "wpa", "wpa2"),
)  # fmt: skip
_WORDS_OF_KEYS = ("sign", "app", "apiv2", "apiv3", "api-v2", "api-v3", "api_v2", "api_v3")
"""Words that other words end like: design, map."""
SECRET_KEY = lazy(rf"(?:{'|'.join(_OF_KEYS)}|(?<![A-Za-z])(?:{'|'.join(_WORDS_OF_KEYS)}))[-_. ]?\Z", re.IGNORECASE)
"""What must stand before ``key``: a foreign key is no secret."""
NAME_ANCHORS = (
    *("pass", "pwd", "pswd", "secret", "key", "token", "credential"),
    *("bindpw", "bind_pw", "bind-pw", "rootpw", "userpw", "adminpw", "authtok"),
    *("jsapi_ticket", "jsapiticket", "psk", "tlspsk", "erlang_cookie", "pw:", "pw=", "pw =", "pw ", 'pw"', "pw'", "pw\n", "pw\r"),
    *("密码", "密碼", "口令", "密钥", "密鑰", "金鑰", "秘钥", "私钥", "私鑰", "令牌", "授权码", "授權碼", "权杖", "權杖", "通行码", "通行碼", "加密盐", "盐值"),
)  # fmt: skip
PLAIN_ANCHORS = ("pass", "pwd", "pswd", "secret", "key", "token", "credential")
"""Every name that `KEY` knows begins at one of these; the plain ones are English and frequent."""
ACCOUNTS = frozenset(
    (
        *("root", "admin", "administrator", "guest", "test", "demo", "user", "sa", "sys", "system", "ops", "dev", "deploy", "operator", "service", "app", "ubuntu", "pi"),
        *("postgres", "oracle", "mysql", "mongo", "redis", "elastic", "kibana", "neo4j", "nacos", "minio", "grafana", "jenkins", "gitlab", "harbor", "rancher", "nexus", "sonar"),
    )
)  # fmt: skip
"""Names that people and products log in with."""
_SECRET_TOKEN = ("access", "auth", "api", "bearer", "refresh", "security", "session", "private")
"""What stands before ``token`` when it is no token of a parser."""
_JOINTS = frozenset("-_.")
_STRONG = lazy(
    r"pass|pswd|pw|key|secret|psk|ticket|cookie|密|秘|盐|口令|私钥|私鑰|金鑰|[权權]杖|通行|授权码|授權碼", re.IGNORECASE
)
"""Keys whose value is a secret however plain it looks. ``token`` is not one: parsers speak of tokens, too."""
_NAMED = lazy(rf"(?i:(?P<key>{KEY}){SUFFIX})")
_BEFORE_KEY = frozenset("-_. abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ23")
"""What may stand before ``key``: a letter of the word that makes it a secret's, or what joins them."""
_OTHER_WORD = frozenset("afghjklmquwxyzAFGHJKLMQUWXYZ")
"""Letters behind ``key`` that make another word of it: keyword, keyboard."""
_ENDS_OF_KEYS = frozenset(word[-3:] for word in (*_OF_KEYS, *_WORDS_OF_KEYS))
"""How what stands before ``key`` ends: a look into this set spares most of the searches for the whole word."""


def behind_name(text: str, at: int) -> str:
    """The two characters behind the name of a secret that begins there; none where no name begins, or that of a foreign key. The second only where it is ASCII, so that there are few of them."""
    if text[at] in "kK":
        before = text[at - 1 : at] if at else ""
        if (
            before not in _BEFORE_KEY
            or text[at + 3 : at + 4] in _OTHER_WORD
            or not _ends_like_one(text, at)
            or not SECRET_KEY.search(text, max(at - 24, 0), at)
        ):
            return ""
    named = _NAMED.match(text, at)
    if named is None:
        return ""
    two = text[named.end() : named.end() + 2]
    return two if two[1:].isascii() else two[0]


def _ends_like_one(text: str, at: int) -> bool:
    """Whether what stands before ``key`` ends as a word of `SECRET_KEY` does."""
    end = at - 1 if text[at - 1] in "-_. " else at
    return text[max(end - 3, 0) : end].lower() in _ENDS_OF_KEYS


@lru_cache(maxsize=128)
def is_strong(key: str) -> bool:
    """Whether the value of a key is a secret however plain it looks."""
    return _STRONG.search(key) is not None


def is_of_access(before: str) -> bool:
    """Whether what stands before ``token`` makes it no token of a parser."""
    return before[-9:].lower().removesuffix(before[-1:] if before[-1:] in _JOINTS else "").endswith(_SECRET_TOKEN)

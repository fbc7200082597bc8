"""What tells who somebody is: e-mail addresses, telephone, identity and card numbers of China and of the United States.

A number alone is an id, a size or an offset to most programs. So a number is taken for a person's by what only such a
number has (check digits, +86, the usual dress), or by the word before it.
"""

import re

from kb.patterns import lazy
from kb.redact.words import SecretKind

_LOCAL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%+-"
_FILE = (
    r"png|jpe?g|gif|svg|webp|ico|js|mjs|cjs|jsx|tsx?|vue|css|html?|json|ya?ml|xml|java|kt|go|cpp|hpp|txt|log|md|jar|war|zip|tgz|gz"
    r"|tar|whl|exe|dll|dylib|class|service|timer|socket|mount|target|slice|scope|local|localdomain|internal|svc|cluster"
)
_EMAIL = lazy(
    rf"(?:@|%40|&#64;)(?P<secret>(?!\d{{1,5}}\.\d{{1,5}}\.\d)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,61}}[A-Za-z0-9])?\.){{1,8}}(?!(?:{_FILE})(?![A-Za-z0-9]))[A-Za-z]{{2,18}})"
    r"(?![A-Za-z0-9_@(]|-[A-Za-z0-9]|\.[A-Za-z0-9]|:\d|:[\w~]*/)"
)
_MACHINES = frozenset(
    {"git", "svn", "hg", "root", "hdfs", "hadoop", "ubuntu", "centos", "ec2-user", "postgres", "mysql", "oracle"}
)


_NOT_BEFORE = frozenset("/@$\\?")
"""What stands before a part of an address, the realm's part of a service's principal, a scope of packages."""
_MESSAGE_ID = lazy(r"(?=.*\d{8}|.*[A-Z].*\d)[A-Za-z0-9._%+=$-]{24,}\Z")
"""The name of a mail, made by a machine, not of who wrote it."""
_BREAKS = frozenset({r"\n", r"\r", r"\t"})
_WORD = lazy(r"[^\s\"'<>]{1,200}\Z")
_IN_AUTHORITY = lazy(r"://[^/?#=&]*\Z")


def _email_begins(match: re.Match[str]) -> int:
    """Where the name before the ``@`` begins; -1 where there is none, or a part of an address or a principal."""
    text, at = match.string, match.start()
    before = text[max(at - 65, 0) : at]
    local = before[len(before.rstrip(_LOCAL)) :]
    if "%" in local:  # what stands behind an escape
        local = local[local.rfind("%") + 3 :]
    local = local.lstrip(".+-")
    if text[max(at - len(local) - 1, 0) : at][:2] in _BREAKS:
        local = local[1:]
    begin = at - len(local)
    word = _WORD.search(text, max(begin - 200, 0), begin)
    if word is not None and _IN_AUTHORITY.search(word[0]):
        return -1
    left = text[max(begin - 1, 0) : begin]
    is_prompt = left == "[" and text[match.end() : match.end() + 2] in {" ~", " /"}
    is_message = _MESSAGE_ID.match(local) is not None
    is_name = 0 < len(local) <= 64 and local[-1] not in ".%" and local.lower() not in _MACHINES
    return begin if is_name and not is_prompt and not is_message and left not in _NOT_BEFORE else -1


_WORDS = r"(?:(?<![A-Za-z])|(?<=\\[nrt]))"
"""A word begins."""
_MOBILE = r"1(?:3\d|4[5-9]|5[0-35-9]|6[2567]|7[0-8]|8\d|9[0-35-9])"
_AREA = r"(?:010|02[0-9]|0[3-9]\d{2})"
_NANP = r"[2-9]\d{2}"
_NOT_PUBLIC = r"(?!(?:400|800|888|877|866|855|844|833|900)[-. )])"
_BEFORE = r"(?:(?<![A-Za-z0-9_.+-])|(?<=\\[nrt]))"
_NOT_BEHIND = r"(?:(?<![A-Za-z0-9_.+-]\d)|(?<=\\[nrt]\d))"
"""Behind the first digit of a number: it is the first. So the pattern begins with a class, to which `re` skips quickly."""
_AFTER = r"(?![A-Za-z0-9_]|[-.][A-Za-z0-9_])"
DRESSED = lazy(
    rf"{_BEFORE}(?P<secret>(?:(?:\+|00)86[- ]?|86-){_MOBILE}[- ]?\d{{4}}[- ]?\d{{4}}|{_MOBILE}-\d{{4}}-\d{{4}}"
    rf"|{_AREA}-[2-9]\d{{6,7}}|\({_AREA}\) ?[2-9]\d{{6,7}}|(?:\+|00)86[- ]?(?:10|2\d|[3-9]\d{{2}})[- ]?[2-9]\d{{6,7}}"
    rf"|\+1[- .]?(?:\({_NANP}\)|{_NANP})[- .]?{_NANP}[- .]?\d{{4}}|(?:1-)?{_NOT_PUBLIC}{_NANP}-{_NANP}-\d{{4}}|(?:1[- ])?\({_NANP}\) ?{_NANP}[-. ]\d{{4}}){_AFTER}"
)
DRESSED_PRESENT = r"86-1[3-9]|(?:\+|00)86[- ]?[0-9]{2}|1[3-9][0-9]-[0-9]{4}-[0-9]{4}|0[0-9]{2,3}[-)] ?[0-9]{7}|\+1[- .]?\(?[2-9][0-9]{2}|[0-9]{3}(?:-|\) ?)[0-9]{3}[-. ][0-9]{4}"
_NUMBER = (
    rf"(?:(?:\+|00)86[- ]?)?(?:{_MOBILE}(?:\d{{8}}|[- ]\d{{4}}[- ]\d{{4}})|{_AREA}[- ]?[2-9]\d{{6,7}})"
    rf"|(?:\+?1[- .]?)?(?:\({_NANP}\) ?{_NANP}[-. ]?\d{{4}}|{_NANP}(?P<sep>[-. ]?){_NANP}(?P=sep)\d{{4}})"
)
_BETWEEN = r"[^\d\n<+]{0,24}?"
_OF_PHONES = lazy(
    rf"(?i:phone|mobile|{_WORDS}(?:tel|cell)(?![a-z])|fax|msisdn|whatsapp|手机|电话|座机|传真|号码|短信|联系方式|来电|拨打|致电|客服)"
    rf"{_BETWEEN}(?P<secret>\(?(?:{_NUMBER})){_AFTER}(?! ?(?:bytes|ms|ns|us|KB|MB)\b)"
)
_ACCOUNT = lazy(
    rf"(?i:{_WORDS}(?:user|account|login|customer|member|sms|contact)(?:name)?(?![a-z])|用户|账号|账户|帐号|会员|登录名)[^\d\n<+]{{0,24}}\Z"
)
MOBILE = lazy(rf"(?P<secret>1{_NOT_BEHIND}{_MOBILE[1:]}\d{{8}}){_AFTER}(?! ?(?:bytes|ms|ns|us|KB|MB)\b)")
MOBILE_PRESENT = r"(?:^|[^0-9.+-])1[3-9][0-9]{9}(?:[^0-9]|$)"
_IS_ID = lazy(r"(?:id|ID|no|seq|size|len|offset|bytes|time)\W*\Z|编号|序号|\bids?\b")
_ID = lazy(r"(?:id|ID|Id)\W*\Z|编号|序号")
_KEYED = lazy(
    r"(?i:duplicate entry) '(?:(?P<secret>1[3-9]\d{9}(?=' for key '[^'\n]{0,80}(?i:phone|mobile|tel|msisdn))"
    r"|\d{13,19}(?=' for key '[^'\n]{0,80}(?i:card|pan|bank))))'"
)
_PROVINCE = r"(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3]|91)"
_BIRTH = r"(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
IDENTITY = lazy(rf"(?P<secret>[1-9]{_NOT_BEHIND}\d{{5}}(?:18|19|20)\d{{2}}{_BIRTH}\d{{3}}[\dXx]){_AFTER}")
IDENTITY_PRESENT = r"[1-9][0-9]{16}[0-9Xx]"
_OF_IDENTITY = lazy(
    rf"(?i:身份证|证件|居民证|id[ _-]?card|identity|{_WORDS}id[ _-]?(?:no|num)|citizen){_BETWEEN}(?P<secret>{_PROVINCE}\d{{4}}(?:(?:18|19|20)\d{{2}}{_BIRTH}\d{{3}}[\dXx]|\d{{2}}{_BIRTH}\d{{3}}))(?![A-Za-z0-9_])"
)
SOCIAL = lazy(rf"(?P<secret>[0-8]{_NOT_BEHIND}(?<!0(?=00))(?<!6(?=66))\d{{2}}-(?!00)\d{{2}}-(?!0000)\d{{4}}){_AFTER}")
SOCIAL_PRESENT = r"[0-9]{3}-[0-9]{2}-[0-9]{4}"
_OF_SOCIAL = lazy(
    rf"(?i:{_WORDS}(?:ssn|itin)|social security(?: number| no)?){_BETWEEN}(?P<secret>(?!000|666)\d{{3}}(?P<sep>[- ]?)(?!00)\d{{2}}(?P=sep)(?!0000)\d{{4}})(?![A-Za-z0-9_])"
)
CARD = lazy(
    rf"(?P<secret>[3-6]{_NOT_BEHIND}\d{{3}}(?P<sep>[ -])\d{{4}}(?P=sep)\d{{4}}(?P=sep)\d{{4}}(?:(?P=sep)\d{{1,3}})?)(?![A-Za-z0-9_]|[-.][A-Za-z0-9_]| \d)"
)
CARD_PRESENT = r"[3-6][0-9]{3}[ -][0-9]{4}[ -][0-9]{4}[ -][0-9]{4}"
BARE_CARD = lazy(rf"(?P<secret>[3-69]{_NOT_BEHIND}(?:\d{{12,18}}|\d{{3}} \d{{6}} \d{{5}})){_AFTER}")
BARE_CARD_PRESENT = r"(?:^|[^0-9.+-])[3-69][0-9]{12,18}(?:[^0-9]|$)|3[47][0-9]{2} [0-9]{6} [0-9]{5}"
_OF_CARDS = lazy(rf"(?i:card|{_WORDS}(?:pan|visa|amex|mastercard|unionpay)(?![a-z])|卡|银联|银行账)[^\d\n<+]{{0,24}}\Z")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def is_identity(match: re.Match[str]) -> bool:
    """Whether the check digit of a Chinese identity number is right (GB 11643-1999: ISO 7064 MOD 11-2)."""
    number = match["secret"]
    total = sum(int(digit) * weight for digit, weight in zip(number, _WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == number[-1].upper()


def is_card(match: re.Match[str]) -> bool:
    """Whether the check digit of a card is right (ISO/IEC 7812-1: Luhn) and its digits differ."""
    digits = [int(one) for one in match["secret"] if one.isdigit()][::-1]
    doubled = sum(sum(divmod(2 * one, 10)) for one in digits[1::2])
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and (sum(digits[::2]) + doubled) % 10 == 0


def is_phone(match: re.Match[str]) -> bool:
    """Whether no other name stands between the word and the number: ``user_id=138…`` is no telephone."""
    return _ID.search(match.string[match.start() : match.start("secret")]) is None


def is_account(match: re.Match[str]) -> bool:
    """``user 13812345678 not found``: whether the word before the number speaks of somebody, and of no id."""
    before = match.string[max(match.start() - 40, 0) : match.start()]
    return _ACCOUNT.search(before) is not None and _IS_ID.search(before) is None


def is_named_card(match: re.Match[str]) -> bool:
    """Whether the word before a number that could be a card's says that it is one."""
    before = match.string[max(match.start() - 40, 0) : match.start()]
    return _OF_CARDS.search(before) is not None and is_card(match)


PEOPLE_KINDS: tuple[SecretKind, ...] = (
    SecretKind("email", ("@", "%40", "&#64;"), _EMAIL, begins=_email_begins),
    SecretKind("phone", ("phone", "mobile", "tel:", "tel ", "tel=", "tel.", "tel：", 'tel"', "tel'", "cell:", "cell ", "cell=", 'cell"', "fax", "msisdn", "whatsapp", "手机", "电话", "座机", "传真", "号码", "短信", "联系方式", "来电", "拨打", "致电", "客服"), _OF_PHONES, is_phone),
    SecretKind("phone", (), MOBILE, is_account, present=MOBILE_PRESENT),
    SecretKind("phone", (), DRESSED, present=DRESSED_PRESENT),
    SecretKind("identity_number", (), IDENTITY, is_identity, present=IDENTITY_PRESENT),
    SecretKind("identity_number", ("身份证", "证件", "居民证", "idcard", "id card", "id_card", "id-card", "identity", "idno", "id_no", "id no", "idnum", "id_num", "id-no", "citizen"), _OF_IDENTITY),
    SecretKind("identity_number", (), SOCIAL, present=SOCIAL_PRESENT),
    SecretKind("identity_number", ("ssn", "itin:", "itin=", "itin ", "social security"), _OF_SOCIAL),
    SecretKind("bank_card", (), CARD, is_card, present=CARD_PRESENT),
    SecretKind("bank_card", (), BARE_CARD, is_named_card, present=BARE_CARD_PRESENT),
    SecretKind("phone", ("duplicate entry '1",), _KEYED),
    SecretKind("bank_card", ("duplicate entry '",), _KEYED, is_card),
)  # fmt: skip

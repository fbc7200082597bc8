"""Tokens that are known by their shape alone."""

import re

SHAPES = (
    ("aws_access_key", ("akia", "asia", "aroa", "aida"), r"(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}"),
    ("aliyun_access_key", ("ltai",), r"LTAI[A-Za-z0-9]{12,24}"),
    ("tencent_secret_id", ("akid",), r"AKID[A-Za-z0-9]{32}"),
    (
        "github_token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{22,255})",
    ),
    ("gitlab_token", ("glpat-",), r"glpat-[\w-]{16,128}"),
    ("slack_token", ("xox", "xapp-"), r"(?:xox[abeoprs]|xapp)-[\w-]{10,255}"),
    ("google_key", ("aiza", "ya29."), r"(?:AIza[\w-]{30,64}|ya29\.[\w-]{20,2048})"),
    ("openai_key", ("sk-",), r"sk-[\w-]{20,255}"),
    ("stripe_key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,128}"),
    (
        "registry_token",
        ("npm_", "pypi-", "hf_", "dop_v1_"),
        r"(?:npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,512}|hf_[A-Za-z0-9]{30,64}|dop_v1_[a-f0-9]{64})",
    ),
    ("sendgrid_key", ("sg.",), r"SG\.[\w-]{16,64}\.[\w-]{16,128}"),
    ("jwt", ("eyj",), r"eyJ[\w-]{5,8192}+\.[\w-]{2,8192}+(?:\.[\w-]{0,8192}+)?+"),
)

WEBHOOK = re.compile(
    r"""(?:hooks\.slack\.com/(?:services|workflows)/|/bot/v2/hook/|/webhook/send\?key=|/robot/send\?access_token=)(?P<secret>[\w/-]{16,256}+)"""
)
# up to its end whatever stands between the lines, or as far as lines go on that are nothing but a key
KEY_BLOCK = re.compile(
    r"(?P<secret>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]++|-(?!----(?:BEGIN|END) ))*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{24,}+)*+))"
)

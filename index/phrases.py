"""The sentences of evidence, in the two languages of the questions."""

from collections.abc import Mapping

_PHRASES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "print_exact": "the same trace, line numbers and values aside",
        "print_root_cause": "the same root cause, raised at the same place",
        "print_loose": "the same top frames of the application",
        "frames": "{count} frames in common, from {top} on",
        "exception": "the root cause is {name} in both",
        "message": "the messages agree: {text}",
        "words": "words in common: {words}",
        "meaning": "the texts are alike to {percent} %",
    },
    "zh": {
        "print_exact": "除行号和变量外，堆栈完全相同",
        "print_root_cause": "根因异常及抛出位置相同",
        "print_loose": "应用侧栈顶相同",
        "frames": "有 {count} 个栈帧相同，自 {top} 起",
        "exception": "根因都是 {name}",
        "message": "异常消息一致：{text}",
        "words": "共有的词：{words}",
        "meaning": "文本相似度 {percent}%",
    },
}


def phrase(lang: str, key: str, **values: object) -> str:
    """A sentence in ``zh`` or ``en``."""
    return _PHRASES[lang][key].format(**values)

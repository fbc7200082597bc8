"""The sentences of evidence and notes, in the two languages of the questions."""

from collections.abc import Mapping

_PHRASES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "print_exact": "the same trace, line numbers and values aside",
        "print_root_cause": "the same root cause, raised at the same place",
        "print_loose": "the same top frames of the application",
        "frames": "{count} frames in common, from {top} on",
        "trace": "types, messages and frames agree to {percent} %",
        "message": "the messages agree: {text}",
        "words": "words in common: {words}",
        "meaning": "the texts are alike to {percent} %",
        "note_cut": "the text was cut: its first {kept:,} characters of {all:,} were read",
        "note_around": "of the text around the traces, the first and the last {kept:,} characters were searched by",
        "note_secrets": "secrets were taken out before anything was looked at: {counts}",
        "note_empty": "the text is empty",
        "note_no_trace": "no stack trace found: searched by its words",
        "note_traces": "{all} traces found, searched by the {different} different ones that come first",
        "note_no_frames": "no frames under the exception: it says less than a full trace",
        "note_best_trace": "the first match is about the trace at line {line}: {type}",
        "note_filter": "the filter {key!r} is not known: use lang, component, tags or status",
        "head_cut_off": "its head is cut off",
    },
    "zh": {
        "print_exact": "除行号和变量外，堆栈完全相同",
        "print_root_cause": "根因异常及抛出位置相同",
        "print_loose": "应用侧栈顶相同",
        "frames": "有 {count} 个栈帧相同，自 {top} 起",
        "trace": "异常类型、消息和栈帧的一致程度为 {percent}%",
        "message": "异常消息一致：{text}",
        "words": "共有的词：{words}",
        "meaning": "文本相似度 {percent}%",
        "note_cut": "文本过长：共 {all:,} 个字符，只读取了前 {kept:,} 个",
        "note_around": "堆栈之外的文字，只用开头和结尾各 {kept:,} 个字符来搜索",
        "note_secrets": "处理之前已去除敏感信息：{counts}",
        "note_empty": "文本为空",
        "note_no_trace": "没有找到堆栈，按文字搜索",
        "note_traces": "共有 {all} 个堆栈，用最前面 {different} 个不同的来搜索",
        "note_no_frames": "异常下面没有栈帧，信息比完整堆栈少",
        "note_best_trace": "第一条结果对应第 {line} 行的堆栈：{type}",
        "note_filter": "不认识的过滤条件 {key!r}：可用 lang、component、tags、status",
        "head_cut_off": "开头被截断",
    },
}


def phrase(lang: str, key: str, /, **values: object) -> str:
    """A sentence in the language of the question; ``mixed`` gets English."""
    return _PHRASES[lang if lang in _PHRASES else "en"][key].format(**values)

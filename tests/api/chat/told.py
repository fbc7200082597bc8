"""Messages of every kind in both languages, for the golden cards."""

from dataclasses import replace

from api.chat.message import AlignedFrames, AnswerCard, CardMatch, Words
from index.answer import Verdict

WORDS = {
    "en": Words("Root cause", "Fix", "Why", "This was it", "This was not it", "Write it up", "Open", "Others", "The write-up does not state it.", "How to tell it apart", "From the article", "Ask", "Other causes", "Other problems"),
    "zh": Words("根本原因", "修复办法", "依据", "就是它", "不是它", "写成事件", "打开", "其他", "文中没有写明。", "如何区分", "文章原文", "负责人", "其他原因", "其他问题"),
}  # fmt: skip
HEADS = {
    "en": {
        Verdict.KNOWN: ("Known incident", "This has been seen before."),
        Verdict.RELATED: ("Related incidents, none the same", "Read them as leads."),
        Verdict.UNKNOWN: ("No known incident", "Nothing in the knowledge base fits this problem."),
    },
    "zh": {
        Verdict.KNOWN: ("已知事件", "以前见过这个问题。"),
        Verdict.RELATED: ("相关事件，但都不相同", "仅作线索。"),
        Verdict.UNKNOWN: ("没有已知事件", "知识库里没有符合的。"),
    },
}
BEST = {
    "en": CardMatch(
        place=0,
        title="Unable to close file: the last block does not have enough replicas [HDFS] <@all>",
        component="hdfs",
        likelihood="very likely: 93 %",
        link="https://kb.example.org/incidents/hdfs-replicas",
        cause="Under load the **DataNodes** report late; `completeFile` gives up after 5 tries.\n# not a heading\n[here](https://evil.example)",
        fix="Raise `dfs.client.block.write.locateFollowingBlock.retries` to 10.\n@everyone <at>all</at> <@all>",
        frames=(
            AlignedFrames("at DFSOutputStream.completeFile(DFSOutputStream.java:2705)", "at DFSOutputStream.completeFile(DFSOutputStream.java:2528)"),
            AlignedFrames("at DFSOutputStream.<init>(DFSOutputStream.java:10)", "at DFSOutputStream.<init>(DFSOutputStream.java:10)"),
        ),
        why="2 frames of the innermost cause agree",
    ),
    "zh": CardMatch(
        place=0,
        title="无法关闭文件：最后一个块的副本数不足 [HDFS] <@all>",
        component="hdfs",
        likelihood="很可能：93 %",
        link="https://kb.example.org/incidents/hdfs-replicas",
        cause="负载高时 **DataNode** 汇报过晚，`completeFile` 重试 5 次后放弃。\n# 不是标题\n[这里](https://evil.example)",
        fix="把 `dfs.client.block.write.locateFollowingBlock.retries` 调到 10。\n@所有人 <at>all</at> <@all>",
        frames=(
            AlignedFrames("at DFSOutputStream.completeFile(DFSOutputStream.java:2705)", "at DFSOutputStream.completeFile(DFSOutputStream.java:2528)"),
        ),
        why="最内层原因有 2 个栈帧相同",
    ),
}  # fmt: skip
OTHERS = {
    "en": (
        CardMatch(1, "NameNode in safe mode", "hdfs", "possible: 22 %", "https://kb.example.org/incidents/safe-mode"),
    ),
    "zh": (
        CardMatch(1, "NameNode 处于安全模式", "hdfs", "有可能：22 %", "https://kb.example.org/incidents/safe-mode"),
    ),
}


def told(verdict: Verdict, lang: str) -> AnswerCard:
    """An answer of that verdict."""
    headline, text = HEADS[lang][verdict]
    best = None if verdict is Verdict.UNKNOWN else BEST[lang]
    return AnswerCard(
        ref="r3f_Abc-123",
        lang=lang,
        verdict=verdict,
        headline=headline,
        text=text,
        words=WORDS[lang],
        best=replace(best, fix="") if best and verdict is Verdict.RELATED else best,
        others=OTHERS[lang],
        notes=("1 <secret>",),
        write_up=None if verdict is Verdict.KNOWN else "https://kb.example.org/write?chat=r3f_Abc-123",
        opinion="https://kb.example.org/chat/r3f_Abc-123",
    )


KINDS = [(verdict, lang) for verdict in Verdict for lang in ("en", "zh")]

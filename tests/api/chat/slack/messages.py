"""Messages to draw: one of each verdict in each language, and one of which every text is as bad as can be."""

from dataclasses import fields, replace

from api.chat.message import PART, TITLE, AlignedFrames, AnswerCard, CardMatch, Words
from index.answer import Verdict

EN = Words(
    cause="Root cause",
    fix="Fix",
    why="Why this one",
    this_was_it="This was it",
    this_was_not="This was not it",
    write_up="Write it up",
    open="Open the write-up",
    others="Other candidates",
    none_stated="The write-up does not state it.",
    apart="How to tell it apart",
    article="From the article",
    owner="Ask",
    causes="Other causes",
    problems="Other problems",
)
ZH = Words(
    cause="根本原因",
    fix="解决方法",
    why="判断依据",
    this_was_it="就是这个问题",
    this_was_not="不是这个问题",
    write_up="写成故障记录",
    open="查看故障记录",
    others="其他候选",
    none_stated="故障记录中没有写明。",
    apart="如何区分",
    article="文章原文",
    owner="负责人",
    causes="其他原因",
    problems="其他问题",
)
PAGE = "https://incidents.example.org"
BEST = CardMatch(
    place=0,
    title="Checkpoint fails because HDFS cannot close the last block",
    component="flink",
    likelihood="very likely",
    link=f"{PAGE}/incidents/flink-checkpoint-hdfs-replicas",
    cause="The DataNodes are **overloaded** and report blocks late, so `completeFile` gives up:\n\n* disks at 100 %\n* `dfs.client.block.write.locateFollowingBlock.retries` is 5",
    fix="1. Raise the retries:\n\n   ```xml\n   <value>10</value>\n   ```\n2. See [the guide](https://wiki.example.org/hdfs?a=1&b=2).",
    frames=(
        AlignedFrames(
            "org.apache.hadoop.hdfs.DFSOutputStream.completeFile", "org.apache.hadoop.hdfs.DFSOutputStream.completeFile"
        ),
        AlignedFrames(
            "org.apache.hadoop.hdfs.DFSOutputStream.closeImpl (2667)",
            "org.apache.hadoop.hdfs.DFSOutputStream.closeImpl (2699)",
        ),
    ),
    why="The innermost cause agrees frame by frame.",
)
OTHERS = (
    CardMatch(
        1,
        "No space left on device while a checkpoint is written",
        "flink",
        "possible",
        f"{PAGE}/incidents/flink-disk-full",
    ),
    CardMatch(2, "Consumer group <orders> & co. rebalances", None, "unlikely", None),
)
KNOWN = AnswerCard(
    ref="Zk3-r_9",
    lang="en",
    verdict=Verdict.KNOWN,
    headline="Known incident",
    text="This has been seen before. The cause and the fix below come from its write-up.",
    words=EN,
    best=BEST,
    others=OTHERS,
    notes=("1 secret was taken out: password",),
    write_up=f"{PAGE}/write?chat=Zk3-r_9&lang=en",
    opinion=f"{PAGE}/chat/Zk3-r_9?lang=en",
)
RELATED = replace(
    KNOWN,
    verdict=Verdict.RELATED,
    headline="Related incidents, none the same",
    text="Nothing known is clearly this problem. The incidents below share a part of it: read them as leads.",
    about="OrdersDown",
    best=replace(BEST, component=None, link=None, likelihood="possible", cause="", fix="", frames=()),
    others=OTHERS[1:],
    notes=(),
)
UNKNOWN = replace(
    KNOWN,
    verdict=Verdict.UNKNOWN,
    headline="No known incident",
    text="Nothing in the knowledge base fits this problem. The nearest write-ups follow, as related reading only.",
    words=replace(EN, others="Nearest, related only"),
    best=None,
    notes=(),
)
BEST_ZH = replace(
    BEST,
    title="HDFS 无法关闭最后一个块，导致检查点失败",
    likelihood="很可能",
    cause="DataNode **负载过高**，块汇报延迟。\n\n- 磁盘使用率 100 %\n- 重试次数 *只有* 5 次，见 https://wiki.example.org/hdfs。",
    fix="> 先扩容，再重试\n\n将 `retries` 调大到 10。",
    why="最内层的异常逐帧一致。",
)
KNOWN_ZH = replace(
    KNOWN,
    lang="zh",
    headline="已知故障",
    text="这个问题以前出现过。下面的原因和解决方法来自故障记录。",
    words=ZH,
    best=BEST_ZH,
    others=(replace(OTHERS[0], title="写检查点时磁盘已满", likelihood="可能"),),
    notes=("已去除 1 处敏感信息：password",),
)
RELATED_ZH = replace(
    KNOWN_ZH,
    verdict=Verdict.RELATED,
    headline="有相关故障，但没有相同的",
    text="没有明确相同的已知问题。下面的故障与之部分相同，可作为线索。",
    best=replace(BEST_ZH, fix=""),
    notes=(),
)
UNKNOWN_ZH = replace(
    KNOWN_ZH,
    verdict=Verdict.UNKNOWN,
    headline="没有已知故障",
    text="知识库中没有与此相符的记录。",
    best=None,
    others=(),
    notes=(),
)
ALL = {
    "known.en": KNOWN, "related.en": RELATED, "unknown.en": UNKNOWN,
    "known.zh": KNOWN_ZH, "related.zh": RELATED_ZH, "unknown.zh": UNKNOWN_ZH,
}  # fmt: skip

PINGS = "<!channel> <!here|x> <!everyone> <@U123> <#C123|x> <!subteam^S1> @channel @here #general <https://evil.io|ok>"


def stuffed(text: str) -> AnswerCard:
    """A message that says ``text`` wherever it can, as long as a message may be."""
    title, part = (text * TITLE)[:TITLE], (text * PART)[:PART]
    found = CardMatch(
        0, title, title, title, PAGE, part, part, tuple(AlignedFrames(title, title + "x") for _ in range(2)), part, part
    )
    words = Words(*[title] * len(fields(Words)))
    notes = tuple(part for _ in range(20))
    return AnswerCard(
        "r",
        "en",
        Verdict.KNOWN,
        title,
        part,
        words,
        title,
        found,
        (found,) * 9,
        notes,
        PAGE,
        PAGE,
        (found,) * 9,
        (found,) * 9,
    )

"""Headings, labels and cue words in both languages."""

from pathlib import Path
from time import process_time

import pytest

from kb.article.blocks import Block, BlockKind, plain
from kb.article.formats import take_apart
from kb.article.formats.markdown import markdown
from kb.article.quotes.cues import cues_of
from kb.article.sections import labels_in, sections, without_chrome
from kb.article.sentences import split_sentences
from kb.article.vocabulary import SectionRole, ends_article, heading_roles, is_furniture, key_of, read_headings
from kb.errors import RulesError

ROLES = {
    "原因分析": [SectionRole.ROOT_CAUSE],
    "二、【问题根因】：": [SectionRole.ROOT_CAUSE],
    "3.2 解决方案2": [SectionRole.FIX],
    "1）現象": [SectionRole.SYMPTOM],
    "问题分析解决": [SectionRole.ANALYSIS, SectionRole.FIX],
    "可能原因": [SectionRole.POSSIBLE_CAUSE],
    "临时解决方案": [SectionRole.WORKAROUND],
    "报错原因及解决办法": [SectionRole.SYMPTOM, SectionRole.ROOT_CAUSE, SectionRole.FIX],
    "参考资料": [SectionRole.REFERENCE],
    "Root cause": [SectionRole.ROOT_CAUSE],
    "**Solution:**": [SectionRole.FIX],
    "Step 2: Resolution": [SectionRole.FIX],
    "Cause\\Possible Cause(s)": [SectionRole.ROOT_CAUSE],
    "Possible Cause(s)": [SectionRole.POSSIBLE_CAUSE],
    "Cause and solution": [SectionRole.ROOT_CAUSE, SectionRole.FIX],
    "Why does this happen?": [SectionRole.ROOT_CAUSE],
    "See also": [SectionRole.REFERENCE],
    "How the scheduler works": [],
    "一次关于连接池耗尽导致账单服务不可用的问题的原因分析和解决": [],
    "": [],
    "###": [],
}


@pytest.mark.parametrize(("heading", "roles"), ROLES.items(), ids=ROLES)
def test_heading_roles(heading: str, roles: list[SectionRole]):
    assert sorted(roles) == sorted(heading_roles(heading))


@pytest.mark.parametrize(
    ("heading", "key"),
    [
        ("（三）原因：", "原因"),
        ("3.1.2 Root  Cause!", "root cause"),
        ("第一步：处理", "处理"),
        ("解决方案一", "解决方案"),
        ("Fix 2", "fix"),
        ("12", "12"),
    ],
)
def test_key_of(heading: str, key: str):
    assert key == key_of(heading)


TWICE = {
    "two roles": (["fix = the cure", "symptom = news, The cure:"], "list.txt line 2: 'The cure:' stands in line 1 already, as fix"),
    "twice in one line": (["fix = mended, mended"], "list.txt line 1: 'mended' stands in line 1 already, as fix"),
    "with and without a number": (["fix = 方案", "root_cause = 方案一"], "list.txt line 2: '方案一' stands in line 1 already, as fix"),
    "beginnings": (["fix ^ how to", "prevention ^ how to"], "list.txt line 2: 'how to' stands in line 1 already, as fix"),
    "words": (["fix ~ cure", "prevention ~ cure"], "list.txt line 2: 'cure' stands in line 1 already, as fix"),
    "no role": (["mending = cure"], "list.txt line 1: 'mending = cure'"),
}  # fmt: skip


@pytest.mark.parametrize(("lines", "problem"), TWICE.values(), ids=TWICE)
def test_a_list_of_headings_names_the_line_that_is_wrong(lines: list[str], problem: str):
    with pytest.raises(RulesError) as told:
        read_headings(enumerate(lines, 1), "list.txt")
    assert told.value.problem == problem


def test_a_word_may_stand_alone_begin_a_heading_and_stand_within_one():
    read_headings(enumerate(["fix = cure", "prevention ^ cure", "analysis ~ cure"], 1), "list.txt")


OPENINGS = {
    "label zh": ("原因：磁盘已满。", SectionRole.ROOT_CAUSE, "磁盘已满。"),
    "label en": ("Cause: the disk is full.", SectionRole.ROOT_CAUSE, "the disk is full."),
    "bold label": ("**原因**：磁盘已满。", SectionRole.ROOT_CAUSE, "磁盘已满。"),
    "bold label, colon inside": ("**Fix:** free it.", SectionRole.FIX, "free it."),
    "bracketed": ("【解决办法】清理日志。", SectionRole.FIX, "清理日志。"),
    "item": ("- 解决：清理日志。", SectionRole.FIX, "清理日志。"),
    "bold line": ("**原因分析**\n\n磁盘已满。", SectionRole.ROOT_CAUSE, "磁盘已满。"),
    "bare line": ("Solution\n\nFree it.", SectionRole.FIX, "Free it."),
    "html label": ('<b class="x">Reason</b>\n\n磁盘已满。', SectionRole.ROOT_CAUSE, "磁盘已满。"),
    "second line": ("服务停止。\n原因：磁盘已满。", SectionRole.ROOT_CAUSE, "磁盘已满。"),
}


@pytest.mark.parametrize(("text", "role", "words"), OPENINGS.values(), ids=OPENINGS)
def test_labels_open_sections(text: str, role: SectionRole, words: str):
    found = [part for part in sections(markdown(text), None) if role in part.roles]

    assert [words] == ["\n".join(plain(block.text) for block in part.blocks) for part in found]
    assert found[0].labelled


@pytest.mark.parametrize(
    "text", ["注意：磁盘已满。", "这里的原因很多，例如：磁盘。", "http://a.b: x", "The cause of all this: life."]
)
def test_other_colons_open_nothing(text: str):
    assert [part.roles for part in sections(markdown(text), None)] == [()]


@pytest.mark.parametrize(
    ("text", "cause", "fix"),
    [
        ("It is slow. Cause: two connections. Fix: raise `pool.size`.", "two connections.", "raise `pool.size`."),
        ("Root cause: the disk is full. Then it stops. Solution: extend it.", "the disk is full. Then it stops.", "extend it."),
        ("凌晨重启。原因：日志盘写满。解决办法：打开日志轮转。", "日志盘写满。", "打开日志轮转。"),
        ("Stops.\nAt night. Cause: a timer. Fix: remove it.", "a timer.", "remove it."),
    ],
)  # fmt: skip
def test_labels_of_a_cause_and_a_fix_within_a_line_open_sections(text: str, cause: str, fix: str):
    found = {
        part.roles[0]: " ".join(one.text for one in part.blocks) for part in sections(markdown(text), "") if part.roles
    }
    assert found[SectionRole.ROOT_CAUSE] == cause
    assert found[SectionRole.FIX] == fix


def test_a_line_of_thousands_of_labels_is_cut_in_bounded_time():
    def spent(times: int) -> float:
        text = "Cause: a. Fix: b. " * times
        start = process_time()
        sections(markdown(text), "")
        return process_time() - start

    assert spent(8_000) < 30 * max(spent(1_000), 0.005)


@pytest.mark.parametrize(
    "text",
    [
        "It stops. Cause: unknown to us so far.",
        "Both are columns. Fix: one of them. Note: the other.",
        "We found the cause: a timer, and the fix: remove it.",
        "`a. Cause: b. Fix: c.` is what it prints.",
    ],
)
def test_one_label_within_a_line_opens_nothing(text: str):
    assert not any(part.roles for part in sections(markdown(text), ""))


def test_a_heading_inherits_from_the_one_above():
    parts = sections(markdown("# Solution\n\na\n\n## Linux\n\nb\n\n# Other things\n\nc\n"), "T")

    assert [part.roles for part in parts] == [(SectionRole.FIX,), (SectionRole.FIX,), ()]


def test_the_title_is_no_section():
    parts = sections(markdown("# 磁盘满的原因\n\na\n"), "磁盘满的原因")

    assert [part.roles for part in parts] == [()]


CUES = {
    "原因是磁盘已满。": (3, 0, False),
    "這是因為連接沒有歸還。": (3, 0, False),
    "由于磁盘已满，导致服务停止。": (2, 0, False),
    "解决办法是清理日志。": (0, 3, False),
    "把日志级别改为 WARN 即可。": (0, 2, False),
    "究竟是什么原因？": (0, 0, True),
    "原因不详。": (0, 0, True),
    "The problem was the proxy.": (3, 0, False),
    "This happens because the disk is full.": (3, 0, False),
    "To fix this, free the disk.": (0, 3, False),
    "The sky is blue.": (0, 0, False),
    "一开始怀疑是因为磁盘。": (1, 0, False),
}


@pytest.mark.parametrize(("sentence", "expected"), CUES.items(), ids=CUES)
def test_cues(sentence: str, expected: tuple[int, int, bool]):
    cue = cues_of(sentence)

    assert expected == (cue.cause, cue.fix, cue.negated)


SENTENCES = {
    "zh": ("磁盘满了。服务停止！怎么办？", ["磁盘满了。", "服务停止！", "怎么办？"]),
    "en": ("It uses v1.2.3 of a.jar. Then it stops.", ["It uses v1.2.3 of a.jar.", "Then it stops."]),
    "wrapped": ("The disk is\nfull. Free it.", ["The disk is\nfull.", "Free it."]),
    "zh lines": ("磁盘满了\n服务停止", ["磁盘满了", "服务停止"]),
    "zh, behind a comma": ("磁盘满了，\n服务停止\n完", ["磁盘满了，\n服务停止", "完"]),
    "items behind a comma": ("清理磁盘,\n- 重启", ["清理磁盘,", "- 重启"]),
    "none": ("...", ["..."]),
    "empty": (" \n ", []),
}


@pytest.mark.parametrize(("text", "expected"), SENTENCES.values(), ids=SENTENCES)
def test_split_sentences(text: str, expected: list[str]):
    assert expected == list(split_sentences(text))


@pytest.mark.parametrize(
    "line",
    ["相关文章", "我来说两句", "0 条评论", "Comments (3)", "上一篇:设计", "下一篇：x", "Related posts", "» Next: x"],
)
def test_what_ends_an_article(line: str):
    assert ends_article(line)


@pytest.mark.parametrize(
    "line", ["相关文章里说原因是磁盘", "Comments are stored in a table", "下一篇文章再说", "评论服务报错"]
)
def test_what_does_not_end_one(line: str):
    assert not ends_article(line)


def test_chrome_is_cut_where_the_article_ends():
    words = "磁盘满了，所以服务停止。" * 30
    blocks = tuple(Block(BlockKind.PARAGRAPH, text, 0, 0) for text in ("原创", words, "结束。\n相关文章\n别的", "更多"))

    assert [words, "结束。"] == [block.text for block in without_chrome(blocks)]
    assert is_furniture("posted on 2020-01-01 by me")


def test_cues_beside_half_a_character():
    assert cues_of("The root cause \ud800 is a full disk.") == cues_of("The root cause is a full disk.")


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[2] / "golden/formats").glob("*.md")), ids=lambda one: one.stem
)
def test_labels_of_a_block_are_those_of_its_sections(path: Path):
    for block in take_apart(path.read_text(encoding="utf-8"), path.name).blocks:
        alone = sections([block], None)
        assert labels_in(block) == {role for part in alone if part.labelled for role in part.roles}


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("原因：磁盘满了\n解决：清理", {SectionRole.ROOT_CAUSE, SectionRole.FIX}),
        ("**Cause:** full\nand more", {SectionRole.ROOT_CAUSE}),
        ("It is full.\n\nCause", {SectionRole.ROOT_CAUSE}),
        ("Words alone: nothing.", set()),
    ],
)
def test_labels_in_a_block(text: str, roles: set[SectionRole]):
    block = Block(BlockKind.PARAGRAPH, text, 0, len(text))

    assert (
        labels_in(block) == roles == {role for part in sections([block], None) if part.labelled for role in part.roles}
    )
    assert not labels_in(Block(BlockKind.CODE, text, 0, len(text)))


@pytest.mark.parametrize(("words", "is_label"), [("The cause of it", False), ("Cause", True)])
def test_a_heading_labels_by_all_of_its_words_only(words: str, *, is_label: bool):
    assert heading_roles(words) == (SectionRole.ROOT_CAUSE,)
    assert labels_in(Block(BlockKind.HEADING, words, 0, 9, 2)) == ({SectionRole.ROOT_CAUSE} if is_label else set())

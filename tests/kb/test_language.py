"""The language of the words, and one spelling of Chinese."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.language import detect, simplify

TRACE = "java.io.IOException: Connection reset\n\tat a.b.C.d(C.java:1)\n\tat a.b.C.e(C.java:2)\n"

DETECTED = {
    "chinese": ("作业重启失败，原因是磁盘已满。", "zh"),
    "english": ("The job fails because the disk is full.", "en"),
    "english terms in chinese": ("Flink 的 checkpoint 失败，调大 timeout 后恢复。", "zh"),
    "trace does not count": ("任务报错：\n" + TRACE * 20, "zh"),
    "log does not count": ("任务报错：\n" + "2024-01-01 10:00:00 INFO something happened in the world\n" * 20, "zh"),
    "quoted messages do not count": (
        '错误码 17: "could not open the file for writing, try it again later"\n' * 3,
        "zh",
    ),
    "both": ("The disk was full and nobody saw it for two days.\n磁盘满了，没有告警。\n" * 3, "mixed"),
    "a name in english text": (
        "The user 张三 saw that the job fails because the disk is full every single night.",
        "en",
    ),
    "trace alone": (TRACE, "en"),
    "nothing": ("", "en"),
}


@pytest.mark.parametrize(("text", "lang"), DETECTED.values(), ids=DETECTED)
def test_detect(text: str, lang: str):
    assert lang == detect(text)


SIMPLIFIED = {
    "traditional": ("資料庫連線錯誤", "资料库连线错误"),
    "phrases win": ("乾坤一擲，衣服乾了", "乾坤一掷,衣服干了"),
    "full width": ("ＣＰＵ　１００％", "CPU 100%"),
    "simplified stays": ("数据库连接错误", "数据库连接错误"),
    "ascii stays": ("connection reset", "connection reset"),
    "rare characters": ("𠁞𠌥", "𠀾𠆿"),
    "mixed script": ("checkpoint失敗", "checkpoint失败"),
}


@pytest.mark.parametrize(("text", "expected"), SIMPLIFIED.values(), ids=SIMPLIFIED)
def test_simplify(text: str, expected: str):
    assert expected == simplify(text)


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("錯誤的連線資料庫乾坤覆蓋於"), max_size=60))
def test_simplify_agrees_with_opencc(text: str):
    """The fast tables say what the slow converter says (both after NFKC)."""
    import unicodedata

    import opencc

    assert opencc.OpenCC("t2s").convert(unicodedata.normalize("NFKC", text)) == simplify(text)


@given(
    st.lists(
        st.sampled_from(
            [
                *"，：！（Ａ…①㎏´¨¯ﾞｶ≮<=eé\u0301\u0338\u3099か",
                "\u20d0\u302a",
                "¨\u302a",
                "瞭解",
                "明瞭",
                "覆蓋",
                "回覆",
                "藉口",
                "沈默",
                "乾隆",
            ]
        )
        | st.characters(max_codepoint=0xFFFF, codec="utf-8"),
        max_size=12,
    ).map("".join)
)
def test_simplify_agrees_with_opencc_where_marks_and_phrases_meet(text: str):
    """What is written otherwise character by character, and phrases none of whose characters is traditional by itself."""
    test_simplify_agrees_with_opencc.hypothesis.inner_test(text)


@given(st.text())
def test_detect_never_raises(text: str):
    assert detect(text) in {"zh", "en", "mixed"}


def test_surrogates_pass():
    assert simplify("\ud800失敗") == "\ud800失败"


def test_a_mark_of_encoding_makes_no_words_of_a_trace() -> None:
    text = "a.b.OrderException: the orders of the week are not paid and nobody knows why\n订单未支付"
    assert detect(f"\ufeff{text}") == detect(text) == "zh"

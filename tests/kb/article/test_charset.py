"""Bytes in any encoding that articles come in, with and without a mark that says which."""

import opencc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.terms import tokens
from kb.article import read_article
from kb.article.decode import _PIECE, decode, tidied

CHINESE = "# 租约表写满\n\n清理线程给每个租户都拿了一个租约，一直没有归还，连接因此被占用。\n"
TAIWAN = "# 租約表寫滿\n\n清理執行緒給每個租戶都拿了一個租約，一直沒有歸還，連線因此被佔用。\n"
JAPANESE = (
    "# 接続プールの枯渇\n\nエクスポートジョブがトランザクション内で外部サービスを呼び出すため、接続が解放されません。\n"
)
KOREAN = "# 연결 풀 고갈\n\n내보내기 작업이 트랜잭션 안에서 외부 서비스를 호출하므로 연결이 반환되지 않습니다.\n"
ENGLISH = "# The lease table isn’t written\n\nThe sweeper – nobody’s friend – keeps “its” leases, naïve as it is.\n"
GERMAN = "# Tabelle überfüllt\n\nDer Aufräumer gibt während der Übertragung größerer Aufträge nichts zurück.\n"
TEXTS = {
    **{f"chinese {name}": (CHINESE, name) for name in ("utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16", "utf-16-le", "utf-16-be", "utf-32")},
    **{f"taiwan {name}": (TAIWAN, name) for name in ("utf-8", "big5", "big5hkscs", "gb18030", "utf-16-le", "utf-16-be")},
    **{f"japanese {name}": (JAPANESE, name) for name in ("cp932", "euc_jp", "utf-16-le")},
    "korean": (KOREAN, "cp949"),
    "english": (ENGLISH, "cp1252"),
    "german": (GERMAN, "cp1252"),
    "one sentence": ("磁盘已满，清理日志。", "gbk"),
    "one sentence, wide": ("磁盘已满，清理日志。", "utf-16-le"),
    "ascii, wide": ("The disk is full.\n", "utf-16-le"),
    "logs around it": ("2021-03-04 05:06:07 ERROR lease.Table - full\n" * 200 + "原因：磁盘已满。\n", "gbk"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "encoding"), TEXTS.values(), ids=TEXTS)
def test_what_was_written_is_read(text: str, encoding: str):
    assert decode(text.encode(encoding)).text == text


DECLARED = {
    "meta": ('<html><head><meta charset="big5"></head><body>租約 a</body></html>', "big5"),
    "http-equiv": ('<html><head><meta http-equiv="Content-Type" content="text/html; charset=gb2312"></head><body>锟 a</body></html>', "gbk"),
    "xml": ('<?xml version="1.0" encoding="Shift_JIS"?><html><body>租 a</body></html>', "cp932"),
    "latin": ("<meta charset=iso-8859-1><p>\xc3\xa9t\xc3\xa9 “q”", "cp1252"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "encoding"), DECLARED.values(), ids=DECLARED)
def test_a_page_is_read_as_it_states(text: str, encoding: str):
    """A word or two are too few to tell by."""
    assert decode(text.encode(encoding)).text == text


def test_a_page_that_states_the_wrong_encoding_is_read_by_its_bytes():
    text = f'<html><head><meta charset="big5"></head><body>{CHINESE}</body></html>'

    assert decode(text.encode("gbk")).text == text


@given(st.binary(max_size=300))
def test_any_bytes_give_text_that_can_be_stored(data: bytes):
    decode(data).text.encode()


@pytest.mark.parametrize("encoding", ["utf-8", "big5", "gb18030", "utf-16"])
def test_traditional_and_simplified_meet_in_the_index(encoding: str):
    """An article from Taiwan is found by words from the mainland, and the other way round, whatever it is stored in."""
    simplified = "# 日志写满\n\n## 现象\n\n磁盘写满以后服务没有响应，连接超时。\n\n## 原因\n\n清理任务没有启动，旧的日志一直没有删除。\n"
    traditional = opencc.OpenCC("s2tw").convert(simplified)
    (here,) = read_article(simplified.encode(), "a.md").incidents
    (there,) = read_article(traditional.encode(encoding), "b.md").incidents

    assert there.title != here.title
    assert (there.lang, here.lang) == ("zh", "zh")
    for field in ("title", "symptom", "root_cause"):
        assert tokens.index_terms(getattr(there, field)) == tokens.index_terms(getattr(here, field))


@settings(max_examples=20)
@given(st.text(st.sampled_from("ab\n\x00\x0b\x0c\x7f\u3000\u200b\ufeff中"), min_size=1, max_size=9))
def test_what_is_odd_is_made_plain_wherever_it_stands_in_a_long_text(piece: str):
    """A long text is made plain in pieces, of which most are as they were."""
    before = "x" * (_PIECE - 4)

    assert tidied(f"{before}{piece}{before}") == f"{before}{tidied(piece)}{before}"


@given(
    st.lists(st.sampled_from(["\x1b[31m", "\x1b[0;1m", "\x1b[m", "\x1b", "[", "3", "a", "中"]), max_size=12).map(
        "".join
    ),
    st.integers(0, 20),
)
@settings(max_examples=20)
def test_colours_are_taken_out_wherever_a_long_text_is_cut(piece: str, back: int):
    before = "x" * (_PIECE - back)

    assert tidied(f"{before}{piece}y") == before + tidied(f"{piece}y")

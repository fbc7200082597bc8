import jieba
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.terms import tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("checkpoint失败", {"checkpoint", "失败", "c:checkpoint", "c:fail"}, id="mixed script"),
        pytest.param("ｃｈｅｃｋｐｏｉｎｔ失敗", {"checkpoint", "失败"}, id="full width and traditional"),
        pytest.param(
            "java.io.IOException", {"java.io.ioexception", "ioexception", "exception", "java", "io"}, id="dotted"
        ),
        pytest.param("LeaseExpiredException", {"leaseexpiredexception", "lease", "expired", "c:lease"}, id="humps"),
        pytest.param("NMClientImpl", {"nm", "client", "impl", "nmclientimpl"}, id="initials"),
        pytest.param("kafka_topic-name", {"kafka", "topic", "name", "kafka_topic-name"}, id="underscore and dash"),
        pytest.param("replicas", {"replica", "c:replicate"}, id="plural"),
        pytest.param("exit code 137", {"137", "code", "exit"}, id="short numbers mean something"),
        pytest.param("内存溢出", {"内存", "溢出", "c:oom"}, id="phrase in Chinese"),
        pytest.param("OutOfMemoryError", {"outofmemoryerror", "c:oom"}, id="phrase in an identifier"),
        pytest.param("the request timed out", {"c:timeout"}, id="phrase in English"),
    ],
)
def test_index_terms_hold(text: str, expected: set[str]) -> None:
    assert expected <= set(tokens.index_terms(text))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1602917496275", id="a time stamp"),
        pytest.param("7848c696590291978aa8279b3c09e5d7", id="a digest"),
        pytest.param("<int> <uuid> <timestamp>", id="placeholders"),
        pytest.param("x" * 100, id="encoded data"),
        pytest.param("\ud800 \x00 … ——", id="no letters"),
        pytest.param("", id="nothing"),
    ],
)
def test_noise_gives_no_terms(text: str) -> None:
    assert tokens.index_terms(text) == []


@pytest.mark.parametrize(
    ("zh", "en"),
    [
        ("副本不足", "not enough replicas"),
        ("超时", "timed out"),
        ("心跳丢失", "lost heartbeats"),
        ("租约过期", "the lease expired"),
        ("作业重启", "jobs restarted"),
        ("连接被拒绝", "connection refused"),
        ("找不到类", "ClassNotFoundException"),
        ("磁盘空间不足", "insufficient disk space"),
        ("死锁", "deadlocked"),
    ],
)
def test_the_glossary_brings_two_languages_together(zh: str, en: str) -> None:
    def concepts(text: str) -> set[str]:
        return {token for token in tokens.words(text) if token.startswith("c:")}

    shared = concepts(zh) & concepts(en)
    assert shared
    assert len(shared) >= len(concepts(zh)) - 1


def test_character_pairs_find_what_the_dictionary_cuts_otherwise() -> None:
    assert {"作业", "业失", "失败"} <= set(tokens.index_terms("作业失败"))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        pytest.param("OS-NAOS-40008", ["OS-NAOS-40008"], id="more digits than a third"),
        pytest.param("ALM-45009、GAUSS-52502：ORA-00942", ["ALM-45009", "GAUSS-52502", "ORA-00942"], id="several"),
        pytest.param("again ORA-00942 and ORA-00942", ["ORA-00942"], id="once"),
        pytest.param("CVE-2021-44228", ["CVE-2021-44228"], id="with its year"),
        pytest.param("node-17 worker-123 UTF-8 A-1234 X-1.2.3 GLIBC-123.4", [], id="hosts and versions"),
    ],
)
def test_codes(text: str, named: list[str]) -> None:
    assert named == tokens.codes(text)
    assert {code.lower() for code in named} <= set(tokens.index_terms(text))


def test_a_code_is_one_thing_that_is_said() -> None:
    assert tokens.units("ALM-45009 again") == [("alm-45009", None), *tokens.units("again")]
    assert {"alm", "45009"} <= set(tokens.index_terms("ALM-45009"))


def test_units_name_each_concept_once() -> None:
    units = tokens.units("checkpoint timed out, checkpoint again")
    assert [word for word, concept in units if concept == "c:checkpoint"] == ["checkpoint"]
    assert ("c:timeout", None) in units


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("Node18", ["node", "node18"], id="a release"),
        pytest.param("MySQL8", ["mysql", "mysql8"], id="a release of a name with humps"),
        pytest.param("till7.drawers2", ["till", "till7", "drawer", "drawers2"], id="numbered things, in the singular"),
        pytest.param("utf8 sha256 float64 http2", ["utf8", "sha256", "float64", "http2"], id="names of their own"),
        pytest.param("k8s v2 es7", ["k8s", "v2", "es7"], id="too short for a name"),
        pytest.param("numpy.float_", ["numpy", "float", "float_"], id="a closing underscore of a qualified name"),
        pytest.param("_numpy.float_ drawer_", ["numpy", "float", "drawer"], id="underscores of emphasis"),
    ],
)
def test_units_of_names_with_numbers_and_underscores(text: str, said: list[str]) -> None:
    assert [word for word, _ in tokens.units(text)] == said
    assert set(said) <= set(tokens.index_terms(text))


def test_a_glued_release_is_still_searched_in() -> None:
    assert {"node18", "node"} <= set(tokens.index_terms("Node18"))


@given(st.text(max_size=300))
def test_any_text_has_terms_without_blanks(text: str) -> None:
    assert all(term and not any(c.isspace() for c in term) for term in tokens.index_terms(text))


@given(st.text(alphabet="abz失败检查点 .$<>_-AB09", max_size=80))
def test_what_is_asked_with_is_what_was_indexed(text: str) -> None:
    assert set(tokens.words(text)) <= set(tokens.index_terms(text))


_PIECES = [
    "数据库",
    "连接",
    "中华人民共和国",
    "研究生",
    "生命",
    "起源",
    "检查",
    "查点",
    "阿里云",
    "结婚",
    "和尚",
    "未结",
    "龘",
    "饕餮",
    "彳亍",
    "Flink，1.13\n",
]


@pytest.fixture(scope="module")
def as_it_comes() -> jieba.Tokenizer:
    """Jieba as its authors wrote it, but for the cache file."""
    plain = jieba.Tokenizer()
    plain.FREQ, plain.total = plain.gen_pfdict(plain.get_dict_file())
    plain.initialized = True
    return plain


@given(text=st.lists(st.one_of(st.sampled_from(_PIECES), st.characters(min_codepoint=0x3400, max_codepoint=0x9FFF))))
def test_chinese_is_cut_as_jieba_cuts_it(as_it_comes: jieba.Tokenizer, text: list[str]) -> None:
    assert tokens.chinese_cut("".join(text)) == as_it_comes.lcut("".join(text))

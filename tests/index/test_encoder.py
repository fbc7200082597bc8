import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.encoder import BUNDLED, HashingEncoder, StaticEncoder, load_encoder
from kb.errors import SettingsError
from kb.language import simplify

HASHING = HashingEncoder()
STATIC = StaticEncoder(BUNDLED)
TEXTS = [
    "副本不足，无法关闭文件",
    "cannot close file: not enough replicas",
    "java.io.IOException: Broken pipe",
    "消费者组 consumer-7 的偏移量提交失败 <int> ms",
    "проверка",
    "",
    "  \n",
    "检查点超时 " * 400,
]


def test_the_default_says_what_it_is() -> None:
    encoder = load_encoder(None)
    assert (encoder.name, encoder.dim) == ("zh-en-ops-256", 256)
    assert encoder.digest == STATIC.digest


def test_the_default_loads_no_torch() -> None:
    """Its import alone takes longer than the service may take to start."""
    code = (
        "import sys; from index.encoder import load_encoder; load_encoder(None).encode(['x']);"
        " print(sorted({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": "."}, check=True, capture_output=True, text=True
    )
    assert run.stdout.strip() == "[]"


def test_sentence_transformers_and_model2vec_agree() -> None:
    """The bundled folder is a model of both libraries: KB_MODEL naming it gives the same rows."""
    other = load_encoder(str(BUNDLED))
    assert not isinstance(other, StaticEncoder)
    assert other.digest == STATIC.digest
    assert np.abs(other.encode(TEXTS) - STATIC.encode(TEXTS)).max() < 1e-5


@pytest.mark.parametrize(
    ("asked", "meant", "other"),
    [
        pytest.param("磁盘空间不足", "no space left on device", "connection refused", id="disk"),
        pytest.param("certificate has expired", "证书已过期", "消费者组重平衡", id="certificate"),
        pytest.param("節點連接超時", "node connection timed out", "磁盘已满", id="traditional"),
        pytest.param("内存溢出", "out of memory", "permission denied", id="memory"),
    ],
)
def test_near_in_meaning(asked: str, meant: str, other: str) -> None:
    question, right, wrong = STATIC.encode([asked, meant, other])
    assert question @ right > question @ wrong + 0.2


def test_traditional_is_read_as_simplified() -> None:
    assert np.array_equal(STATIC.encode(["連接超時"]), STATIC.encode([simplify("連接超時")]))


@pytest.mark.parametrize("encoder", [HASHING, STATIC], ids=lambda encoder: encoder.name)
def test_texts_without_words_and_lone_surrogates(encoder: HashingEncoder | StaticEncoder) -> None:
    rows = encoder.encode(["", " \n", "…!?", "\ud800", "\ud800 replica"])
    assert not rows[:4].any()
    assert np.linalg.norm(rows[4]) == pytest.approx(1)
    assert encoder.encode([]).shape == (0, encoder.dim)


def test_the_bundled_model_is_small_and_says_where_it_is_from() -> None:
    assert sum(path.stat().st_size for path in BUNDLED.rglob("*") if path.is_file()) <= 40_000_000
    card = (BUNDLED / "README.md").read_text(encoding="utf-8")
    assert "## Sources and licences" in card
    assert "| pairs en→zh | 1939 |" in card


@pytest.mark.slow
def test_the_same_bits_in_another_process() -> None:
    """Executors and the service must agree: nothing may hang on PYTHONHASHSEED."""
    code = "from index.encoder import HashingEncoder; print(HashingEncoder().encode(['检查点 checkpoint timed out']).tobytes().hex())"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert runs == {(HASHING.encode(["检查点 checkpoint timed out"]).tobytes().hex() + "\n").encode()}


def test_near_in_the_other_language() -> None:
    zh, en, other = HASHING.encode(
        ["副本不足，无法关闭文件", "cannot close file, not enough replicas", "spring bean 循环依赖"]
    )
    assert zh @ en > 0.2 > zh @ other


@pytest.mark.parametrize("encoder", [HASHING, STATIC], ids=lambda encoder: encoder.name)
@given(texts=st.lists(st.text(max_size=60), max_size=4))
def test_rows_have_length_one_or_nothing(encoder: HashingEncoder | StaticEncoder, texts: list[str]) -> None:
    rows = encoder.encode(texts)
    assert rows.shape == (len(texts), encoder.dim)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    assert all(abs(length - 1) < 1e-5 or length == 0 for length in lengths)


@pytest.mark.parametrize("encoder", [HASHING, STATIC], ids=lambda encoder: encoder.name)
def test_a_text_has_the_same_vector_alone_and_in_a_batch(encoder: HashingEncoder | StaticEncoder) -> None:
    texts = ["a checkpoint failed", "", "超时", "disk is full"]
    assert np.array_equal(encoder.encode(texts), np.vstack([encoder.encode([text]) for text in texts]))


@pytest.fixture(scope="module")
def static_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real sentence-transformers model, three words wide, made on the spot."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "lease": 1, "expired": 2, "replica": 3}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    weights = np.array([[0.1, 0.1, 0.1, 0.1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 3, 4]], dtype=np.float32)
    folder = tmp_path_factory.mktemp("model") / "tiny"
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_weights=weights)], device="cpu").save(str(folder))
    return folder


def test_any_sentence_transformers_model(static_model: Path) -> None:
    encoder = load_encoder(str(static_model))
    rows = encoder.encode(["lease expired", "replica", "", "\ud800 replica"])
    assert (encoder.name, encoder.dim) == ("tiny", 4)
    assert rows[0] == pytest.approx([2**-0.5, 2**-0.5, 0, 0], abs=1e-6)
    assert rows[1] == pytest.approx([0, 0, 0.6, 0.8], abs=1e-6)
    assert not rows[2].any()
    assert np.isfinite(rows[3]).all()


def test_other_weights_are_another_model(static_model: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "tiny"
    shutil.copytree(static_model, copy)
    assert load_encoder(str(copy)).digest == load_encoder(str(static_model)).digest
    weights = next(copy.rglob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:-4] + b"\x00\x00\x80\x3f")
    assert load_encoder(str(copy)).digest != load_encoder(str(static_model)).digest


def test_a_model_that_is_not_there_names_the_cure(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="KB_MODEL"):
        load_encoder(str(tmp_path / "nothing"))

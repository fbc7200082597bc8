from collections.abc import Callable

import pytest
from tokenizers import Tokenizer

from index.encoder import BUNDLED
from index.training.model.tokenizer import VocabularyMethod, untrained

CUT = untrained(VocabularyMethod.BPE)

RUNS = [
    pytest.param("java.io.FileNotFoundException", "java io file not found exception", id="dots-and-humps"),
    pytest.param("HDFSClient XMLParser", "hdfs client xml parser", id="capitals-before-a-word"),
    pytest.param("IPv6 k8s x509", "ipv6 k8s x509", id="digits-inside"),
    pytest.param("user <int> at <hostname> is gone", "user at is gone", id="placeholders"),
    pytest.param("List<String>", "list string", id="types-are-no-placeholders"),
    pytest.param("exit code 137, port 8080, pid 1234567", "exit code 137 port 8080 pid", id="short-numbers-only"),
    pytest.param("commit 4f2a9c1e0b77 of facade", "commit of facade", id="digests"),
    pytest.param("检查点checkpoint失败", "检查点 checkpoint 失败", id="two-scripts"),
    pytest.param("ＨＤＦＳ　超时", "hdfs 超时", id="full-width"),
    pytest.param("A" * 64 + " ok", "ok", id="encoded-data"),
    pytest.param("  …!? ", "", id="no-words"),
]


@pytest.mark.parametrize(("text", "expected"), RUNS)
def test_runs(text: str, expected: str) -> None:
    assert " ".join(run for run, _ in runs(text)) == expected


def runs(text: str) -> list[tuple[str, tuple[int, int]]]:
    found: list[tuple[str, tuple[int, int]]] = CUT.pre_tokenizer.pre_tokenize_str(CUT.normalizer.normalize_str(text))
    return found


@pytest.mark.parametrize("piece", ["a8f0c2d1e9b7", "aB", "<a", "A", "检", "a1", "0"], ids=str)
def test_time_is_linear(piece: str, takes_linear_time: Callable[..., None]) -> None:
    """Twelve times the text takes about twelve times as long, not a hundred and forty-four."""
    bundled = Tokenizer.from_file(str(BUNDLED / "tokenizer.json"))

    takes_linear_time(lambda size: bundled.encode_batch_fast([piece * (size // len(piece))]), 10_000, 120_000)

"""What of a pasted text is searched by its words."""

import pytest

from index.reading import read


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kafka producer TimeoutException", {"kafka", "producer"}),
        ("kafka 生产者 RecordTooLargeException", {"kafka", "生产者"}),
        ("flink network IOException", {"flink", "network"}),
        ("为什么 hbase 报 IOException", {"hbase"}),
        ("java.io.IOException: disk full on node seven", {"disk", "full"}),
    ],
    ids=["before the name", "Chinese before it", "two words", "a question", "a message"],
)
def test_a_line_that_names_an_exception_keeps_its_words(text: str, words: set[str]) -> None:
    reading = read(text)
    assert words <= {word for word, _ in reading.units}
    assert all(word in reading.embedded for word in words)


def test_frames_are_no_words() -> None:
    reading = read("seen twice\njava.lang.IllegalStateException: gone\n\tat com.acme.Till.sell(Till.java:4)\n")
    assert "seen" in reading.prose
    assert "Till" not in reading.embedded

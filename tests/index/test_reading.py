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


@pytest.mark.parametrize("feed", ["\n", "\r\n", "\u2028", " "])
def test_of_a_long_text_head_and_tail_are_searched_by(feed: str) -> None:
    """Its lines are made block by block; where a block ends shows nowhere."""
    text = feed.join(f"step {number} of the night is over" for number in range(40_000))
    lines = "\n".join(text.splitlines())
    assert read(text).prose == f"{lines[:4_000]}\n{lines[-4_000:]}".strip()


def test_around_a_trace_the_routine_of_a_long_log_is_left_out() -> None:
    trace = "java.lang.IllegalStateException: the pump is dry\n\tat org.acme.Pump.run(Pump.java:7)\n"
    noise = "2026-01-01 00:00:00 INFO all is well\n" * 20_000
    assert read(f"the first words\n{noise}{trace}{noise}the last words").prose == "the first words\n\n\nthe last words"


EVENTS = """Events:
  Type     Reason                  Age        From               Message
  Normal   Scheduled               2m         default-scheduler  Successfully assigned shop/web-0 to node-3
  Normal   SuccessfulMountVolume   2m         kubelet, node-3    MountVolume.SetUp succeeded for volume "token-x2k9q"
  Normal   NotTriggerScaleUp       2m         cluster-autoscaler pod didn't trigger scale-up
  Warning  FailedCreatePodSandBox  9s         kubelet, node-3    Failed create pod sandbox.
LAST SEEN   TYPE      REASON    OBJECT      MESSAGE
2m          Normal    Pulled    pod/web-0   Container image "nginx" already present on machine
2m          Normal    Killing   pod/web-0   Container web failed liveness probe, will be restarted
shop        2m        Normal    Created     pod/web-0   Created container web"""


@pytest.mark.parametrize(
    ("words", "counts"),
    [
        ("MountVolume.SetUp", False),
        ("Successfully assigned", False),
        ("already present", False),
        ("Created container", False),
        ("trigger scale-up", True),
        ("failed liveness probe", True),
    ],
)
def test_an_event_that_went_well_says_nothing_of_an_error(words: str, *, counts: bool) -> None:
    assert (words in read(EVENTS).prose) == counts


def test_events_that_went_well_are_searched_by_where_nothing_else_is_said() -> None:
    alone = "\n".join(line for line in EVENTS.splitlines() if "Normal   S" in line)
    assert "MountVolume.SetUp" in read(alone).prose

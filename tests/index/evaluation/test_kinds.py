"""What kind of question a text is."""

import pytest

from index.evaluation.kinds import QueryKind, kind_of
from index.reading import read

FRAMES = "java.lang.IllegalStateException: till is closed\n\tat com.acme.Till.sell(Till.java:4)\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param(FRAMES, QueryKind.TRACE, id="frames alone"),
        pytest.param(f"2026-11-02 08:11:40 ERROR c.acme.Till - sale failed\n{FRAMES}", QueryKind.TRACE, id="one line above it"),
        pytest.param(f"收银台又挂了：\n{FRAMES}", QueryKind.TRACE, id="one Chinese line above it"),
        pytest.param(f"Since the release we see this at every sale:\n{FRAMES}\nRestarting helps.", QueryKind.LOG, id="a question around it"),
        pytest.param(f"08:11:39 INFO opened\n08:11:40 INFO paid\n{FRAMES}", QueryKind.LOG, id="log lines around it"),
        pytest.param(
            "2026-11-02 08:11:39,100 INFO c.acme.Till - opened\n2026-11-02 08:11:40,200 ERROR c.acme.Till - disk quota exceeded\n",
            QueryKind.LOG,
            id="log lines without frames",
        ),
        pytest.param("java.io.IOException: No space left on device", QueryKind.MESSAGE, id="an exception"),
        pytest.param("ORA-00001", QueryKind.MESSAGE, id="a code"),
        pytest.param("2026-11-02 08:11:40,200 ERROR c.acme.Till - disk quota exceeded", QueryKind.MESSAGE, id="one record"),
        pytest.param("psql: error: connection refused", QueryKind.MESSAGE, id="of a tool"),
        pytest.param("Why does the till stop at noon?", QueryKind.CHAT, id="a question"),
        pytest.param("昨晚发布之后我这边收银台就打不开了，谁有空看下。", QueryKind.CHAT, id="a Chinese chat"),
        pytest.param("The till stops at noon. A restart helps until the next day.", QueryKind.CHAT, id="two sentences"),
        pytest.param("Any idea why?\njava.io.IOException: No space left on device\nOnly node 7 shows it.", QueryKind.CHAT, id="a quoted error"),
        pytest.param("checkpoint timeout rocksdb", QueryKind.WORDS, id="search terms"),
        pytest.param("Connection refused", QueryKind.WORDS, id="words of a message"),
        pytest.param("收银台 打不开", QueryKind.WORDS, id="Chinese search terms"),
        pytest.param("till stops selling after the nightly import", QueryKind.WORDS, id="a title"),
        pytest.param("", QueryKind.WORDS, id="nothing"),
    ],
)  # fmt: skip
def test_a_kind_is_told_by_what_the_text_shows(text: str, kind: QueryKind) -> None:
    assert kind_of(read(text)) is kind

"""A sentence that no heading announces is quoted where it is clearly the one; else the words around it are shown, unquoted."""

import pytest

from kb.article import read_article
from kb.incident import Incident

STORY = """# Ledger jobs and their logs

The ledger writes what each shop sold on a day. We run it on three machines behind a balancer.

On Monday the nightly job ended with an error:

```
java.lang.IllegalStateException: ledger is closed
    at com.acme.ledger.Book.write(Book.java:42)
    at com.acme.ledger.Job.run(Job.java:17)
```

First the disks were looked at, because the night before the backup had run late. The graphs of the machines showed nothing. Then the pool was read in a debugger, because its size was changed in spring.
A heap dump showed two books for the same shop. In the code of the job a book is taken from a cache, since opening one takes a second.

The cache closes what it drops. If a job holds a book when it is dropped, writing fails. With one machine the cache never drops a book, because it has room for all shops.
The team talked about it for a while. Most books are small. Some shops have two of them.
In staging the job was run a hundred times. It was also run on a laptop, due to a freeze of staging.
"""
LONG = STORY.replace("The team talked", "The report of the day was late by an hour. " * 60 + "\n\nThe team talked")
SHORT = """# The ledger job ends with an error

```
java.lang.IllegalStateException: ledger is closed
    at com.acme.ledger.Book.write(Book.java:42)
```

The cache closes what it drops, because its size was changed in spring. Set `ledger.cache.size` to the number of shops.
"""


def read(text: str) -> Incident:
    (one,) = read_article(text.encode(), "a.md").incidents
    return one


def test_a_story_without_a_clear_cause_is_shown_and_not_quoted() -> None:
    """Many sentences sound alike like a cause, none says so."""
    one = read(STORY)
    assert (one.root_cause, one.fix) == (None, None)
    assert "because its size was changed in spring" in one.sections["article"]


def test_of_a_long_story_the_likeliest_words_are_shown() -> None:
    """Not its beginning: what happened on the way to the error says nothing."""
    shown = read(LONG).sections["article"]
    assert "because" in shown
    assert not shown.startswith("**Ledger jobs")


def test_a_short_answer_is_quoted() -> None:
    """All of its sentences are shown with the quotation anyway."""
    one = read(SHORT)
    assert one.root_cause == "The cache closes what it drops, because its size was changed in spring."
    assert one.fix == "Set `ledger.cache.size` to the number of shops."


@pytest.mark.parametrize(
    ("answer", "cause", "fix"),
    [
        (
            "账本服务启动失败了，通常由于配置文件ledger.json没写对，可以执行脚本fix.py生成一个新的文件。",
            "账本服务启动失败了，通常由于配置文件ledger.json没写对",
            "可以执行脚本fix.py生成一个新的文件。",
        ),
        ("可以执行脚本fix.py生成一个新的文件。", None, "可以执行脚本fix.py生成一个新的文件。"),
    ],
)
def test_one_sentence_may_say_why_and_then_what_to_do(answer: str, cause: str | None, fix: str) -> None:
    one = read(f"# 启动账本服务失败怎么办？\n\n{answer}\n")
    assert (one.root_cause, one.fix) == (cause, fix)


TWO = """# The nightly job ends with an error

```
java.lang.IllegalStateException: ledger is closed
    at com.acme.ledger.Book.write(Book.java:42)
```

The job runs at one in the morning and writes what each shop sold.
It was moved to the new machines in spring.

The ledger was closed because the cache dropped the book while the job held it.

We looked at the graphs of the machines for a while and at the code of the job.

The cache drops a book because its size was left at the default of ten.

Set `ledger.cache.size` to the number of shops.
The job has run without an error since then.
We keep an eye on it.
"""
FIRST = "The ledger was closed because the cache dropped the book while the job held it."
SECOND = "The cache drops a book because its size was left at the default of ten."


def test_of_two_sentences_that_may_be_the_cause_both_are_quoted() -> None:
    """Each where it stands, in their order; what stands between them is not quoted."""
    one = read(TWO)
    assert one.root_cause == f"{FIRST}\n{SECOND}"
    assert [TWO[place.start : place.end] for place in one.quotes["root_cause"]] == [FIRST, SECOND]
    assert one.fix == "Set `ledger.cache.size` to the number of shops."


@pytest.mark.parametrize(
    "other",
    [
        "Be careful with a cache because it drops a book when its size was left at the default.",
        "Check whether the cache drops a book because its size was left at the default of ten.",
        "The size of the cache is ten.",
    ],
    ids=["moral", "look", "no word of a cause"],
)
def test_a_second_sentence_says_why(other: str) -> None:
    """What the author learned, and where to look, is not quoted beside a cause."""
    assert read(TWO.replace(SECOND, other)).root_cause == FIRST


@pytest.mark.parametrize(
    "other",
    [
        "It was not because the disk was full.",
        "The cache was not the cause, because its size was left at the default of ten.",
        "The closed ledger isn't caused by the cache, because a book is taken from it.",
        "Somebody said it is caused by a bug of the driver, which turned out to be wrong.",
        "We suspected that the cache drops a book because its size was left at the default of ten.",
        "That the cache drops a book because of its size was ruled out.",
        "The size of the cache has nothing to do with it, because the ledger was closed by the job.",
        "账本被关闭并不是因为 ledger cache 太小。",
        "不是 ledger cache 太小导致账本被关闭。",
        "因为日志正常，所以排除了 ledger cache 的原因。",
        "原以为是因为 ledger cache 太小。",
        "The alarm did not ring because the job has no alarm.",
        "Backups are kept for ten days due to the law.",
    ],
)
def test_what_is_denied_or_speaks_of_something_else_is_not_quoted_beside_a_cause(other: str) -> None:
    assert read(TWO.replace(SECOND, other)).root_cause == FIRST


@pytest.mark.parametrize(
    "other",
    [
        "The ledger was closed not because of the disk but because its cache was too small.",
        "不是因为磁盘满，而是因为 ledger cache 太小。",
    ],
)
def test_what_is_denied_for_something_else_is_quoted(other: str) -> None:
    assert other in (read(TWO.replace(SECOND, other)).root_cause or "")


def test_half_of_a_sentence_is_not_quoted_again_as_a_whole() -> None:
    """The cause ends where its sentence says what to do; the whole sentence is as likely."""
    text = """# FAQ

## Q: 编译时报错“Ledger does not support comparison with operators more than one now”怎么办？

A: 对于比较语句，`账本`最多支持一个操作数。例如不支持语句`1 < x < 3`，请使用`1 < x and x < 3`的方式代替。

## Q: 账本启动失败怎么办？

A: 因为端口被占用，请更换端口。
"""
    first = read_article(text.encode(), "a.md").incidents[0]
    assert (first.root_cause or "").count("例如不支持语句") == 1

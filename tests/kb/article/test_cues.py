"""Sentences that say that something was in vain, and those that say more."""

import time

import pytest

from kb.article.quotes.cues import cues_of

VAIN = [
    "We raised the heap to 8 GB, to no avail.",
    "It did not help.",
    "Restarting the broker didn't help at all.",
    "That doesn’t solve the problem.",
    "None of these worked.",
    "The problem persists.",
    "I did this and it made no difference.",
    "There is no known workaround.",
    "We are still investigating.",
    "Fixed by reinstalling the client, but it came back the next day.",
    "Restarting it only helped for a few hours.",
    "重启之后好了，第二天问题又出现了。",
    "重启之后还是报错。",
    "升级到 2.4，问题依旧",
    "删掉缓存也不行。",
    "調大內存，沒有任何效果。",
    "目前没有找到解决办法。",
]
MORE = [
    "If that did not help, restart it.",
    "If the problem persists, contact support.",
    "It did not help, so we upgraded the driver to the version of the server and restarted it.",
    "The restart made no difference because the file is read once.",
    "如果还是不行，重启服务。",
    "重启没有效果，后来发现是因为缓存没有清理。",
    "换了版本也不行，最后把缓存删除就好了。",
    "根本原因是小版本太低，没有 7u111 也不行。",
    "删除无效的行。",
    "After the restart the service came back.",
    "The driver does not work with Java 17.",
]


@pytest.mark.parametrize("sentence", VAIN)
def test_in_vain(sentence: str):
    cue = cues_of(sentence)

    assert cue.negated
    assert "vain" in cue.marks


@pytest.mark.parametrize("sentence", MORE)
def test_not_in_vain_alone(sentence: str):
    cue = cues_of(sentence)

    assert not cue.negated
    assert "vain" not in cue.marks


def test_many_failures_take_linear_time():
    started = time.process_time()
    for _ in range(200):
        cues_of("no luck " * 75)

    assert time.process_time() - started < 2

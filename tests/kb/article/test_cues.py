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


UNDONE = {
    "You can't add more pages.": 0,
    "You can’t restart the ledger.": 0,
    "The page cannot be deleted.": 0,
    "系统中无法添加页面。": 0,
    "已过期的账本不能升级。": 0,
    "You can add more pages.": 2,
    "可以添加页面。": 2,
    "无法打开账本，重启服务。": 2,
}
"""How strongly sentences state a fix."""


@pytest.mark.parametrize(("sentence", "weight"), UNDONE.items())
def test_what_cannot_be_done_is_no_fix(sentence: str, weight: int):
    assert cues_of(sentence).fix == weight


CAUSES = {
    "The two ports are the same, causing the ledger to stop.": 2,
    "The error may occur when the page is empty.": 2,
    "This is a known issue in 2.0.": 3,
    "核心原因：账本不支持远程索引。": 3,
    "大概率是更新后没有重启。": 3,
    "很可能是磁盘写满了。": 2,
}


@pytest.mark.parametrize(("sentence", "weight"), CAUSES.items())
def test_how_strongly_a_sentence_states_a_cause(sentence: str, weight: int):
    assert cues_of(sentence).cause == weight


def test_many_failures_take_linear_time():
    started = time.process_time()
    for _ in range(200):
        cues_of("no luck " * 75)

    assert time.process_time() - started < 2

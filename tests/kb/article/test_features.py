"""What is told of a sentence of an instruction: its kind, its place in a paragraph, which item of a list it is."""

import pytest

from kb.article.formats import take_apart
from kb.article.quotes.cues import cues_of
from kb.article.quotes.features import rows
from kb.article.quotes.statements import QuoteTarget, Statements
from kb.article.sections import sections

KINDS = {
    "Click **Save** at the right.": "screen",
    "单击右上角的“保存”。": "screen",
    "Run the following command as root:": "ahead",
    "知道是谁写满的，事情就容易了。": "ahead",
    "If the queue is stuck after that, contact whoever owns it and say that the problem persists.": "else",
    "如果仍然写满，请联系值班同事。": "else",
    "For more information, see the page about queues.": "more",
    "具体可以参考队列的说明。": "more",
    "The leak was fixed in 4.2 of the queue.": "version",
    "该泄漏在 4.2 及以上的队列中没有了。": "version",
    "Note that the queue is emptied by it.": "note",
    "注意：队列会被清空。": "note",
    "This will empty the queue.": "then",
    "这样队列就空了。": "then",
}


@pytest.mark.parametrize(("sentence", "kind"), KINDS.items(), ids=KINDS)
def test_kinds_of_sentences_of_an_instruction(sentence: str, kind: str) -> None:
    assert kind in cues_of(sentence).marks


@pytest.mark.parametrize("sentence", ["Empty the queue, then the disk.", "先把队列全部清空，并注意磁盘。"])
def test_note_and_then_count_at_the_beginning_only(sentence: str) -> None:
    assert not {"note", "then"} & set(cues_of(sentence).marks)


def told(text: str, target: QuoteTarget) -> dict[str, set[str]]:
    """The names of the features of each sentence of a document."""
    parts = sections(take_apart(text, "x.md").blocks, "T")
    document = Statements(parts, lambda _line: False, lambda _line: False)
    found = rows(document, "T", target)
    return {
        one.sentence.text: {name for name, value in features.items() if value}
        for one, (_, features) in zip(document.view(target), found, strict=True)
    }


FIX = """# T

It stops.

## Fix

Empty the disk. Keep the logs. Tell the others.

- Stop the queue. It takes a while.
- Empty it:

```
rm queue
```

- Start the queue.

Then go home.

- Be glad.
"""

PLACES = {
    "Empty the disk.": ({"begins block"}, {"items 1", "items 3"}),
    "Keep the logs.": ({"in block"}, {"begins block", "ends block"}),
    "Tell the others.": ({"ends block"}, {"in block"}),
    "Stop the queue.": ({"begins item", "items 3", "begins block"}, {"later in item", "item share", "last item"}),
    "It takes a while.": ({"later in item", "items 3", "ends block"}, {"begins item", "item share"}),
    "Empty it:": ({"begins item", "whole block", "items 3", "item share"}, {"last item"}),
    "Start the queue.": ({"begins item", "items 3", "item share", "last item"}, {"items 1"}),
    "Then go home.": ({"whole block"}, {"begins item", "items 3"}),
    "Be glad.": ({"begins item", "items 1"}, {"last item", "item share", "items 3"}),
}


@pytest.mark.parametrize(("sentence", "has", "lacks"), [(key, *pair) for key, pair in PLACES.items()], ids=PLACES)
def test_the_place_in_a_paragraph_and_in_a_list(sentence: str, has: set[str], lacks: set[str]) -> None:
    features = told(FIX, QuoteTarget.FIX)[sentence]

    assert has <= features
    assert not lacks & features


def test_kinds_of_an_instruction_say_nothing_of_a_cause() -> None:
    text = "# T\n\nThe page is slow, so click it.\n"

    assert "mark screen" in told(text, QuoteTarget.FIX)["The page is slow, so click it."]
    assert "mark screen" not in told(text, QuoteTarget.CAUSE)["The page is slow, so click it."]

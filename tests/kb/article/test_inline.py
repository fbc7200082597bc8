"""Inline markup of reStructuredText, AsciiDoc and flavours of Markdown: what a reader sees of it. Links that lead out become those of Markdown."""

from collections.abc import Callable

import pytest

from kb.article.formats import take_apart

RST = [
    ("The :class:`Pool` of :py:meth:`~a.b.Pool.close` and :ref:`pools <pool-ref>`.", "The Pool of close and pools."),
    (
        "See `the docs <https://x.y/z>`_ and `here <http://x.y>`__.",
        "See [the docs](https://x.y/z) and [here](http://x.y).",
    ),
    ("See `the pools <pool.html>`_, `Hook`_ and `long\nname`_.", "See the pools, Hook and long\nname."),
    ("It is closed early [1]_, see [#f1]_ [CIT2002]_.", "It is closed early, see."),
    ("Call ``hook()`` or ``a <b>`_``.", "Call ``hook()`` or ``a <b>`_``."),
    ("An array x[1]_y and a `default role` stay.", "An array x[1]_y and a `default role` stay."),
]
ADOC = [
    ("See <<pools,the pools>>, <<hook>> and xref:a.adoc#b[A].", "See the pools, hook and A."),
    ("See https://x.y/z[the docs^] or link:a.html[that,window=_blank].", "See [the docs](https://x.y/z) or that."),
    ("See https://x.y/z[] and https://x.y.", "See https://x.y/z and https://x.y."),
    ("Press kbd:[Ctrl+C] or btn:[OK] in menu:File[Save].", "Press Ctrl+C or OK in File > Save."),
    ("Call `+hook()+` of the [.red]#pool# footnote:[Really.] here.", "Call `hook()` of the pool here."),
    ("An image:a.png[a picture] in the line.", "An in the line."),
    ("a << b >> c, list<List<String>> and x[1] stay.", "a << b >> c, list<List<String>> and x[1] stay."),
    ("The menu: choose x[1] of it.", "The menu: choose x[1] of it."),
]

MARKDOWN = [
    ("The [[pool-notes|pool]] is closed by [[Hook#Early]].", "The pool is closed by Hook."),
    ("见 [[连接池]]：![[pool.png]] 被关闭。", "见 连接池： 被关闭。"),
    ("The ==pool== is closed, ==**at once**==.", "The pool is closed, **at once**."),
    ("Closed too early. ^why-1", "Closed too early."),
    ("太早关闭。 ^why-1", "太早关闭。"),
    ("The *hook*{: .warn } is `early`{:#x .y}.", "The *hook* is `early`."),
    ("{% label 连接池 red %}被 {% label primary@钩子 %} 关闭{% raw %}{{x}}{% endraw %}。", "连接池被 钩子 关闭{{x}}。"),
    ("if `[[ $a == b ]]` or `==x==` or `{% raw %}` holds", "if `[[ $a == b ]]` or `==x==` or `{% raw %}` holds"),
    ("if [[ $a == b ]] && x == y or a==b==c", "if [[ $a == b ]] && x == y or a==b==c"),
    ('Shape [[0, 2], [1]] of a[[i]], [[zip file "/data"]], [[checked:12]].', 'Shape [[0, 2], [1]] of a[[i]], [[zip file "/data"]], [[checked:12]].'),
    ("==> downloading ==\nWARNING: x=={}== or ==>c++==", "==> downloading ==\nWARNING: x=={}== or ==>c++=="),
    ("Root cause\n: The pool.", "Root cause\nThe pool."),
    (":   The pool :smile: : is it.", "The pool :smile: : is it."),
    (":smile: it is.", ":smile: it is."),
    ("The class [^1-9] and [^a] stay, as does x ^2", "The class [^1-9] and [^a] stay, as does x ^2"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "words", "shown"),
    [("a.rst", *one) for one in RST] + [("a.adoc", *one) for one in ADOC] + [("a.md", *one) for one in MARKDOWN],
)
def test_what_a_reader_sees(name: str, words: str, shown: str):
    assert [block.text for block in take_apart(words + "\n", name).blocks] == [shown]


def test_the_mark_of_a_footnote_goes_where_it_is_defined():
    blocks = take_apart("Closed too early[^1], not [^2].\n\n[^1]: See the manual.\n", "a.md").blocks
    assert blocks[0].text == "Closed too early, not [^2]."


@pytest.mark.parametrize("code", ["```\n{}\n```", "    {}", "- x\n\n  ~~~\n  {}\n  ~~~"])
def test_code_is_not_rewritten(code: str):
    line = 'x = [[Pool]] if ==a== else "{% raw %}"'
    assert line in [block.text.strip() for block in take_apart(f"Words.\n\n{code.format(line)}\n", "a.md").blocks]


@pytest.mark.parametrize("name", ["a.rst", "a.adoc", "a.md"])
@pytest.mark.parametrize("unit", ["[[a|", "[[a]] ", "==a", "==a== ", "{% label ", "{: .a ", "[^a]", ". ^aa", "\n[^a]: ", "[[a#", "a=b ==", "`a <", "`a ", ":a:`", "[a]_ ", "https://", "<<a,", "xref:a[", "`+", "[.a]#", "footnote:[", "a,b=", "image:a[,a=b"])  # fmt: skip
@pytest.mark.slow
def test_time_grows_with_the_text(name: str, unit: str, takes_linear_time: Callable[..., None]):
    takes_linear_time(lambda size: take_apart("Words: " + unit * (size // len(unit)), name))

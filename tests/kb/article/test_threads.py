"""Saved pages of forums: every post of a thread, what asks and what solved it by their headings, and nothing around them."""

from collections.abc import Callable

import pytest

from kb.article import read_article
from kb.article.blocks import BlockKind
from kb.article.formats import take_apart

ASKED = "<p>The service hangs after ten requests, and the log says:</p><pre>java.sql.SQLException: Connection is not available\n\tat a.Pool.take(Pool.java:7)</pre><p>I increased the pool to 50, but it only takes longer.</p>"
ASIDE = "<p>Show the code that opens connections, please, sideshow or not.</p>"
SOLVED = "<p>You never close the connections, so that each request leaks one.</p><p>Use try-with-resources, so that every connection goes back to the pool.</p>"


def stack_overflow(*posts: str, solved: str = ' class="answer js-answer accepted-answer js-accepted-answer"') -> str:
    answers = "".join(
        f'<div id="answer-{at}"{solved if at == 2 else " class=answer"}><div class="votecell"><div class="js-vote-count">61</div></div>'
        f'<div class="answercell"><div class="s-prose js-post-body" itemprop="text">{post}</div><div class="user-details">ann 旁栏</div></div>'
        f'<div class="comments"><ul><li class="comment">旁栏</li></ul></div></div>'
        for at, post in enumerate(posts[1:], 1)
    )
    return (
        f'<div class="question" id="question"><div class="postcell"><div class="s-prose js-post-body">{posts[0]}</div></div></div>'
        f'<div id="answers"><h2>2 Answers 旁栏</h2>{answers}</div>'
    )


def xenforo(*posts: str) -> str:
    return "".join(
        f'<article class="message message--post js-post{" message--solution" if at == 2 else ""}" id="js-post-{at}"><h4 class="message-name">joe 旁栏</h4>'
        f'<article class="message-body js-selectToQuote"><div class="bbWrapper"><blockquote class="bbCodeBlock bbCodeBlock--quote">旁栏</blockquote>{post}</div></article>'
        f'<aside class="message-signature"><div class="bbWrapper">旁栏</div></aside></article>'
        for at, post in enumerate(posts)
    )


def each(form: str, first: str | None = None) -> Callable[..., str]:
    """Posts in the markup of a forum, one after the other, the first in a markup of its own."""

    def page(*posts: str) -> str:
        forms = [first or form, *[form] * (len(posts) - 1)]
        return "".join(
            one.replace("{n}", str(at)).replace("{}", post)
            for at, (one, post) in enumerate(zip(forms, posts, strict=True), 1)
        )

    return page


FORUMS: dict[str, Callable[..., str]] = {
    "Stack Overflow": stack_overflow,
    "XenForo": xenforo,
    "Stack Overflow, older": each(
        '<div class="answer answer-{n}"><table><tr><td class="answercell"><div class="post-text">{}</div>旁栏</td></tr></table></div>',
        '<table><tr><td class="postcell"><div class="post-text">{}</div></td></tr></table>',
    ),
    "Discourse for robots": each(
        '<div id="post_{n}" class="topic-body crawler-post"><div class="crawler-post-meta">ann 旁栏</div><div class="post" itemprop="text">{}</div></div>'
    ),
    "Discourse": each(
        '<div class="topic-post"><div class="topic-avatar">旁栏</div><div class="cooked"><aside class="quote">旁栏</aside>{}</div></div>'
    ),
    "phpBB": each(
        '<div id="p{n}" class="post bg1"><dl class="postprofile"><dt>joe 旁栏</dt></dl><div class="postbody"><h3>Re: 旁栏</h3><div class="content">'
        '<blockquote><div><cite>ann wrote:</cite>旁栏</div></blockquote><div class="codebox"><p>Code: 旁栏</p></div>{}</div><div class="signature">旁栏</div></div></div>'
    ),
    "Discuz!": each(
        '<table><tr><td class="pls">旁栏</td><td><table><tr><td class="t_f" id="postmessage_{n}"><div class="quote">旁栏</div>{}</td></tr></table></td></tr></table>'
    ),
    "vBulletin": each(
        '<table id="post{n}"><tr><td class="thead">Today 旁栏</td></tr><tr><td><div id="post_message_{n}"><div class="bbcode_quote">旁栏</div>{}</div></td></tr></table>'
    ),
    "Khoros": each(
        '<div class="lia-message-view"><span>旁栏</span><div class="lia-message-body"><div class="lia-message-body-content">{}</div></div></div>'
    ),
    "GitHub, older": each(
        '<div class="timeline-comment"><h3>ann commented 旁栏</h3><div class="comment-body markdown-body js-comment-body">{}</div></div>'
    ),
    "GitHub": each(
        '<div class="react-issue-comment"><div>ann 旁栏</div><div class="markdown-body">{}</div></div>',
        '<div class="react-issue-body"><div class="markdown-body">{}</div></div>',
    ),
    "Zhihu": each(
        '<div class="ContentItem AnswerItem"><div class="AuthorInfo">旁栏</div><div class="RichContent-inner"><span class="RichText ztext">{}</span></div></div>',
        '<div class="QuestionHeader"><div class="QuestionRichText"><span class="RichText ztext">{}</span></div></div>',
    ),
    "V2EX": each(
        '<div id="r_{n}" class="cell"><strong>joe 旁栏</strong><div class="reply_content">{}</div></div>',
        '<div class="cell"><div class="topic_content"><div class="markdown_body">{}</div></div></div>',
    ),
    "SegmentFault, older": each(
        '<article class="widget-answers__item"><div class="answer fmt">{}</div>旁栏</article>',
        '<div class="question fmt">{}</div>',
    ),
    "SegmentFault": each('<div><span>旁栏</span><article class="article fmt article-content">{}</article></div>'),
    "CSDN": each(
        '<div class="answer_box"><span>旁栏</span><div class="answer-content-item">{}</div></div>',
        '<section class="question_show_box"><div class="md_content_show">{}</div></section>',
    ),
}
MARKED = {"Stack Overflow", "XenForo"}
"""Those of which it is known how they mark the answer that solved it."""


def saved(posts: str) -> str:
    return (
        f"<html><head><title>The pool runs dry - Forum</title></head><body class=ForumTopicPage><nav>旁栏</nav><div>Asked 4 years ago 旁栏</div>"
        f"<h1>The pool runs dry</h1><div id=page-body>{posts}</div><div>Related 旁栏</div><footer>旁栏</footer></body></html>"
    )


@pytest.mark.parametrize("forum", FORUMS)
def test_all_posts_and_nothing_else(forum: str):
    document = take_apart(saved(FORUMS[forum](ASKED, ASIDE, SOLVED)), "a.html")
    headings = ["Description", "Answer"] if forum in MARKED else ["Description", "Discussion", "Discussion"]

    assert [block.text for block in document.blocks if block.kind is BlockKind.HEADING] == headings
    assert [block.text for block in document.blocks if block.kind is BlockKind.CODE] == [
        "java.sql.SQLException: Connection is not available\n\tat a.Pool.take(Pool.java:7)"
    ]
    for words in ("it only takes longer", "Show the code", "never close", "try-with-resources"):
        assert document.text.count(words) == 1
    assert "旁栏" not in document.text
    assert document.title == "The pool runs dry"


@pytest.mark.parametrize("forum", FORUMS)
def test_the_fix_is_the_answer(forum: str):
    [incident] = read_article(saved(FORUMS[forum](ASKED, ASIDE, SOLVED)).encode(), "a.html").incidents

    assert incident.root_cause == "You never close the connections, so that each request leaks one."
    assert incident.fix is not None
    assert incident.fix.endswith("Use try-with-resources, so that every connection goes back to the pool.")
    assert [one.type for one in incident.chains[0].exceptions] == ["java.sql.SQLException"]


HIGHEST = ' class="answer js-answer" data-score="{}" data-highest-scored="1" itemprop="acceptedAnswer"'


@pytest.mark.parametrize(
    ("solved", "headings"),
    [
        (HIGHEST.format(258), ["Description", "Answer", "Discussion"]),
        (HIGHEST.format(0), ["Description", "Discussion", "Discussion", "Discussion"]),
        (HIGHEST.format(-3), ["Description", "Discussion", "Discussion", "Discussion"]),
        (' class="answer"', ["Description", "Discussion", "Discussion", "Discussion"]),
    ],
)
def test_without_an_accepted_answer_the_one_with_most_votes(solved: str, headings: list[str]):
    document = take_apart(saved(stack_overflow(ASKED, ASIDE, SOLVED, ASIDE, solved=solved)), "a.html")
    assert [block.text for block in document.blocks if block.level] == headings


def test_the_accepted_answer_of_older_pages():
    posts = FORUMS["Stack Overflow, older"](ASKED, ASIDE, SOLVED).replace("answer-3", "accepted-answer")
    document = take_apart(saved(posts), "a.html")
    assert [block.text for block in document.blocks if block.level] == ["Description", "Answer"]


@pytest.mark.parametrize(
    "answer",
    [
        '<div class="AnswerItem"><div class="RichContent-inner">{}</div></div>',
        '<div id="r_{n}" class="cell"><div class="reply_content">{}</div></div>',
        '<div class="answer_box"><div class="answer-content-item">{}</div></div>',
    ],
)
def test_a_question_that_is_nothing_but_its_title(answer: str):
    document = take_apart(saved(each(answer)(SOLVED, ASIDE)), "a.html")
    assert [block.text for block in document.blocks if block.level] == ["Discussion", "Discussion"]


@pytest.mark.parametrize("behind", ["Issue #88 · acme/viewer · GitHub", "acme/viewer · Discussion #7 · GitHub"])
def test_the_title_of_a_ticket_on_github(behind: str):
    page = f"<html><head><title>Crash on start · {behind}</title></head><body><h1>Crash on start #88</h1>{ASKED}</body></html>"
    assert take_apart(page, "a.html").title == "Crash on start"


def test_headings_of_a_post_stand_below_it():
    document = take_apart(saved(stack_overflow("<h1>Setup</h1>" + ASKED, "<h6>Why</h6>" + SOLVED)), "a.html")
    assert [(block.text, block.level) for block in document.blocks if block.level] == [
        ("Description", 1),
        ("Setup", 2),
        ("Discussion", 1),
        ("Why", 6),
    ]


@pytest.mark.parametrize(
    "comments",
    [
        '<div class="reply_content">Thanks, this helped me a lot!</div>' * 3,
        '<div class="post"><div class="postbody"><div class="content">Thanks, this helped me!</div></div></div>' * 3,
        '<div class="comment"><div class="answer">Thanks, this helped me a lot!</div></div>' * 3,
        '<div itemprop="comment"><div itemprop="text" class="post-text">Thanks, this helped me!</div></div>' * 3,
        '<section class="crawler-post"><div class="post">Thanks, this helped me!</div></section>' * 3,
        '<div class="js-comment-body">Thanks, this helped me!</div>' * 3,
    ],
)
def test_a_blog_with_comments_is_no_thread(comments: str):
    blog = f'<html><body><article class="post-content">{ASKED}{SOLVED}</article><div class="comments-area">{comments}</div></body></html>'
    document = take_apart(blog, "a.html")

    assert "try-with-resources" in document.text
    assert "Thanks" not in document.text
    assert not [block for block in document.blocks if block.level]


def test_a_post_in_a_post_is_told_once():
    document = take_apart(saved(stack_overflow(f'{ASKED}<div class="js-post-body">{ASIDE}</div>', SOLVED)), "a.html")
    assert document.text.count("Show the code") == 1


def test_a_page_with_one_post_is_read_as_before():
    document = take_apart(saved(stack_overflow(ASKED)), "a.html")
    assert not [block for block in document.blocks if block.level]
    assert "it only takes longer" in document.text


@pytest.mark.parametrize(
    "unit",
    [
        '<div class="js-post-body">a',
        '<div class="js-post-body">a</div>',
        '<div class="answer accepted-answer"><p class="js-post-body">a</p>',
        '<div class="cell"><p class="topic_content">a</p>',
        "<blockquote class=quote><p>a",
        '<span class="js-post-body">a',
        '<span class="quote">',
    ],
)
def test_time_grows_with_the_page(unit: str, takes_linear_time: Callable[..., None]):
    def read(size: int) -> None:
        take_apart("<html><body>" + "<div>" * (size // 400) + unit * (size // len(unit)), "a.html")

    takes_linear_time(read)


@pytest.mark.parametrize("outer", ['<div id="post_message_1">', "<form><div></form>"])
def test_what_is_nested_is_not_measured_again_and_again(outer: str, takes_linear_time: Callable[..., None]):
    def read(size: int) -> None:
        take_apart(f"<html><body>{outer * (size // 80)}{'<i>a</i>' * (size // 8)}", "a.html")

    takes_linear_time(read, 16_000, 160_000)

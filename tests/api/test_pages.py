"""The pages, read with a parser: the answer is all there, in both languages, and nothing pasted or stored can act."""

import re

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode
from starlette.testclient import TestClient

from api.render.language import load_strings
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE, RECORDS, UNKNOWN_TRACE

HOSTILE = str(RECORDS[-1]["traces"][0])  # type: ignore[index]
BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def ask(client: TestClient, text: str, lang: str = "en") -> LexborHTMLParser:
    response = client.post(f"/?lang={lang}", data={"text": text}, files={}, headers=BROWSER)
    assert response.status_code == 200, response.text[:500]
    return read(response)


def read(response: httpx.Response) -> LexborHTMLParser:
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    return LexborHTMLParser(response.content.decode("utf-8"))


def one(page: LexborHTMLParser | LexborNode, selector: str) -> LexborNode:
    (node,) = page.css(selector)
    return node


def words(page: LexborHTMLParser | LexborNode, selector: str) -> str:
    return " ".join(one(page, selector).text().split())


def test_the_empty_page_is_a_form(client: TestClient) -> None:
    page = read(client.get("/"))
    form = one(page, "form[method=post]")
    assert (form.attributes["method"], form.attributes["enctype"]) == ("post", "multipart/form-data")
    for field in page.css("textarea, input"):
        assert page.css(f"label[for={field.attributes['id']}]")


@pytest.mark.parametrize(
    ("text", "lang", "verdict", "heading"),
    [
        pytest.param(HDFS_TRACE, "en", "known", "Known incident", id="known"),
        pytest.param(HDFS_TRACE, "zh", "known", "已知故障", id="known, Chinese page"),
        pytest.param(UNKNOWN_TRACE, "en", "unknown", "No known incident", id="unknown"),
        pytest.param(UNKNOWN_TRACE, "zh", "unknown", "没有已知故障", id="unknown, Chinese page"),
    ],
)
def test_the_verdict_is_told_first(client: TestClient, text: str, lang: str, verdict: str, heading: str) -> None:
    page = ask(client, text, lang)
    assert words(page, "main h1") == heading
    assert verdict in one(page, ".verdict").attributes["class"].split()
    assert one(page, "html").attributes["lang"] == {"en": "en", "zh": "zh-CN"}[lang]
    assert one(page, "title").text().startswith(heading)


def test_the_first_screen_needs_nothing_opened(client: TestClient) -> None:
    """Verdict with its probability, title, cause, and every step of the fix; the opinion stands behind the first step."""
    page = ask(client, HDFS_TRACE)
    assert re.search(r"\d\d %", words(page, ".verdict .odds"))
    best = one(page, ".best")
    assert words(best, "h2") == "Checkpoint fails because HDFS cannot close the last block"
    assert one(best, ".cause strong").text() == "NameNode"
    assert [item.text() for item in best.css(".fix > .prose ol li")] == [
        "Raise dfs.client.block.write.locateFollowingBlock.retries to 10.",
        "Write fewer small files.",
    ]
    order = [node.attributes.get("class") or node.tag for node in one(best, ".fix").iter()]
    assert order == ["h3", "prose", "opinion", "share", "then", "prose"]
    assert best.css("details .why li")
    for node in (best.css_first(".cause"), best.css_first(".fix")):
        assert node is not None
        parent = node.parent
        while parent is not None:
            assert parent.tag != "details"
            parent = parent.parent


def test_an_unlikely_neighbour_is_folded(client: TestClient) -> None:
    folded = one(ask(client, "java.io.IOException: No space left on device"), "details.unlikely")
    assert "open" not in folded.attributes
    assert words(folded, "details.unlikely > summary") == f"Unlikely candidates: {len(folded.css('.candidate'))}"
    assert all(
        re.search(r"unlikely: [12]?\d %", words(one(node, "summary"), ".odds")) for node in folded.css(".candidate")
    )


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("disk full?", "/?q=disk+full%3F&lang=en"),
        ("two\nlines", None),
        ("x" * 201, None),
        ("login fails password=hunter2xyz", None),
    ],
)
def test_only_a_short_question_without_secrets_has_an_address(
    client: TestClient, text: str, address: str | None
) -> None:
    verdict = one(ask(client, text), ".verdict")
    assert verdict.attributes.get("data-address") == address
    if address:
        assert one(read(client.get(address)), "textarea").text().strip() == text


def test_a_part_is_the_page_without_its_frame(client: TestClient) -> None:
    whole = ask(client, HDFS_TRACE)
    form = {"text": HDFS_TRACE}
    part = read(client.post("/?lang=en", data=form, files={}, headers={**BROWSER, "x-page-part": "main"}))
    assert not part.css("script, link, header.top")
    assert words(part, "title") == words(whole, "title")
    for selector in ("main", "nav.tongue"):
        assert words(part, selector) == words(whole, selector)


def test_the_matching_frames_are_marked_in_the_paste(client: TestClient) -> None:
    page = ask(client, f"INFO all is well\nINFO still\n{HDFS_TRACE}INFO bye\n")
    marked = " ".join(node.text() for node in page.css(".paste mark"))
    assert "org.apache.hadoop.hdfs.DFSOutputStream.completeFile(DFSOutputStream.java:2705)" in marked
    assert "all is well" not in marked


def test_the_frames_stand_side_by_side_innermost_first(client: TestClient) -> None:
    page = ask(client, HDFS_TRACE.replace("minimum", "x"))
    rows = [[words(row, ".ours"), words(row, ".theirs")] for row in page.css(".side .pair:not(.titles)")]
    assert rows[0][0].startswith("java.io.IOException: Unable to close file")
    assert any("DFSOutputStream.completeFile" in ours for ours, theirs in rows if ours == theirs)


def test_the_nearest_of_an_unknown_problem_are_marked_as_related_only(client: TestClient) -> None:
    page = ask(client, UNKNOWN_TRACE)
    assert not page.css(".best")
    for candidate in page.css(".candidate"):
        assert words(candidate, ".related-only") == "related only"


@pytest.mark.parametrize("text", ["", " \r\n\t "])
def test_an_empty_paste_gets_the_form_again_with_a_word(client: TestClient, text: str) -> None:
    response = client.post("/?lang=en", data={"text": text}, files={}, headers=BROWSER)
    assert response.status_code == 422
    assert "Paste something first" in words(read(response), "[role=status]")


def test_a_chosen_file_is_searched_like_a_paste(client: TestClient) -> None:
    files = {"file": ("app.log", HDFS_TRACE.encode("utf-16"), "text/plain")}
    page = read(client.post("/?lang=en", data={"text": ""}, files=files, headers=BROWSER))
    assert words(page, ".best h2") == "Checkpoint fails because HDFS cannot close the last block"


def test_a_binary_file_is_refused_in_words(client: TestClient) -> None:
    files = {"file": ("x.png", b"\x89PNG\r\n\x1a\n\0\0\0", "image/png")}
    response = client.post("/?lang=en", data={"text": ""}, files=files, headers=BROWSER)
    assert response.status_code == 422
    assert "not a text" in words(read(response), ".problem")


@pytest.mark.parametrize("form", ["multipart", "urlencoded", "query"])
def test_every_way_to_send_the_text_gives_the_same(client: TestClient, form: str) -> None:
    if form == "query":
        page = read(client.get("/", params={"text": KAFKA_TRACE, "lang": "en"}))
    elif form == "urlencoded":
        page = read(client.post("/?lang=en", data={"text": KAFKA_TRACE.replace("\n", "\r\n")}))
    else:
        page = ask(client, KAFKA_TRACE.replace("\n", "\r\n"))
    assert one(page, ".best h2 a").attributes["href"] == "/incidents/kafka-commit-rebalanced?lang=en"


def test_secrets_are_counted_and_never_sent_back(client: TestClient) -> None:
    text = f"connect jdbc password=Tr0ub4dor&3x\n{HDFS_TRACE}"
    response = client.post("/?lang=en", data={"text": text}, files={}, headers=BROWSER)
    assert "Tr0ub4dor" not in response.text
    assert "Secrets taken out before searching: 1" in words(read(response), ".notes")


@pytest.mark.parametrize("lang", ["", "en", "zh"])
@pytest.mark.parametrize("more", [{}, {"other": "password=hunter2xyz"}, {"password": "hunter2xyz"}])
def test_a_secret_in_the_address_is_nowhere_on_the_page(client: TestClient, lang: str, more: dict[str, str]) -> None:
    query = {"text": "login fails password=hunter2xyz", "lang": lang, **more}
    response = client.get("/", params=query, headers=BROWSER)
    assert response.status_code == 200
    assert "hunter2" not in response.text
    failed = client.get("/incidents/nobody", params=query, headers=BROWSER)
    assert failed.status_code == 404
    assert "hunter2" not in failed.text


def test_a_large_paste_is_searched_but_not_repeated(client: TestClient) -> None:
    page = ask(client, "INFO nothing here\n" * 8_000 + HDFS_TRACE)
    assert words(page, ".best h2") == "Checkpoint fails because HDFS cannot close the last block"
    assert one(page, "textarea").text().strip() == ""
    assert "all of it was searched" in words(page, "form [role=status]")


SCRIPTS = ["/static/page.js", "/static/keys.js"]
SCRIPTED = re.compile(r"on[a-z]+\Z")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "text",
    [
        HOSTILE,
        f"{HOSTILE}\n</textarea><script>alert(9)</script>",
        '"><svg onload=alert(1)>',
        "{{ 7 * 7 }} {% raw %}",
        "</mark></code></ol><script>alert(1)</script>\n" + HDFS_TRACE,
    ],
)
def test_nothing_pasted_or_stored_can_act(client: TestClient, text: str, lang: str) -> None:
    page = ask(client, text, lang)
    assert [script.attributes.get("src", "").partition("?")[0] for script in page.css("script")] == SCRIPTS
    for node in page.css("*"):
        assert not any(SCRIPTED.match(name) for name in node.attributes)
        assert "style" not in node.attributes
        for name in ("href", "src", "action", "formaction"):
            address = node.attributes.get(name) or "/"
            assert address.startswith(("/", "#", "https://", "http://"))
    assert not page.css("img, iframe, object, embed, base, b, i")
    assert one(page, "textarea").text().lstrip("\n") == text


def test_the_page_of_a_hostile_incident_is_harmless(client: TestClient) -> None:
    response = client.get("/incidents/hostile?lang=en", headers=BROWSER)
    page = read(response)
    assert words(page, "h1") == '<script>alert(1)</script> & "quotes" in the title'
    assert [script.attributes.get("src", "").partition("?")[0] for script in page.css("script")] == SCRIPTS
    assert "javascript:" not in "".join(link.attributes["href"] or "" for link in page.css("a"))
    for link in page.css("a[href^=http]"):
        assert "noopener" in (link.attributes["rel"] or "").split()


def test_an_incident_has_a_page_with_its_traces(client: TestClient) -> None:
    page = read(client.get("/incidents/kafka-commit-rebalanced?lang=zh", headers=BROWSER))
    assert words(page, "h1") == "消费者提交位移失败：消费组已经发生再均衡"
    assert one(page, ".traces pre").text() == KAFKA_TRACE
    assert [code.text() for code in page.css(".cause code")] == ["max.poll.interval.ms"]
    assert one(page, "article").attributes["lang"] == "zh"


@pytest.mark.parametrize(
    ("method", "path", "status", "said"),
    [
        ("GET", "/incidents/nobody", 404, "No incident has this id"),
        ("GET", "/nothing", 404, "Nothing is here"),
        ("DELETE", "/", 405, "does not take that method"),
    ],
)
def test_a_browser_gets_failures_as_a_page(client: TestClient, method: str, path: str, status: int, said: str) -> None:
    response = client.request(method, path, headers={**BROWSER, "accept-language": "zh"})
    assert response.status_code == status
    page = read(response)
    assert said in words(page, ".problem")
    assert words(page, "h1") == load_strings()["zh"]("error_title")
    assert response.headers["x-request-id"] in words(page, ".problem")


def test_too_large_a_form_is_a_page_too(client: TestClient) -> None:
    response = client.post("/", data={"text": "x" * 300_000}, files={}, headers=BROWSER)
    assert response.status_code == 413
    assert "larger than 200,000 bytes" in words(read(response), ".problem")


def test_the_other_language_is_a_click_away(client: TestClient) -> None:
    english = read(client.get("/?lang=en"))
    assert words(english, "nav.tongue") == "中文"
    chinese = read(client.get(one(english, "nav.tongue a").attributes["href"] or ""))
    assert (words(chinese, "nav.tongue"), one(chinese, "html").attributes["lang"]) == ("English", "zh-CN")
    answered = one(ask(client, HDFS_TRACE, "en"), "nav button")
    assert (answered.attributes["form"], answered.attributes["formaction"]) == ("ask", "/?lang=zh")


def test_the_page_names_the_snapshot_that_answered(client: TestClient) -> None:
    assert client.get("/readyz").json()["snapshot_id"] in words(ask(client, HDFS_TRACE), "footer")


def test_every_part_of_the_page_exists(client: TestClient) -> None:
    page = ask(client, HDFS_TRACE)
    for node in page.css("link[href], script[src]"):
        address = node.attributes.get("href") or node.attributes.get("src") or ""
        assert client.get(address).status_code == 200
    for link in page.css("a[href^='/']"):
        assert client.get(link.attributes["href"] or "").status_code == 200
    assert page.css(one(page, "a.skip").attributes["href"] or "")

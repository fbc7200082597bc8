"""What a record or an article stores holds no secret, wherever a page put it."""

import pytest

from kb.article import read_article
from kb.record import from_record, to_record


def test_fields_that_name_a_secret_beside_its_value_keep_none() -> None:
    """As a pod's environment and a Secret stand in a record; neither is stored."""
    env = [{"name": "DB_PASSWORD", "value": "hunter2aa"}, {"name": "PORT", "value": "8080"}]
    secret = {"kind": "Secret", "data": {"db": "aHVudGVyMg=="}}
    kept = to_record(from_record({"title": "t", "extra": {"env": env, "manifest": secret}}))
    assert kept["extra"] == {
        "env": [{"name": "DB_PASSWORD", "value": "<secret>"}, {"name": "PORT", "value": "8080"}],
        "manifest": {"kind": "Secret", "data": {"db": "<secret>"}},
    }


@pytest.mark.parametrize("place", ["Symptom", "Fix", "Notes"])
def test_a_column_of_passwords_is_hidden_in_every_field_of_an_article(place: str) -> None:
    """Cells become lines of a symptom, of prose, of a quotation: none of them holds what the table hides."""
    table = "| user | password |\n|---|---|\n| app | Xk9mmQp2Zz |\n| db | Wq7ttLm4Rb |\n"
    text = f"# Login fails with ERROR 1045\n\n## {place}\n\nLog in with these:\n\n{table}"
    (incident,) = read_article(text.encode(), "page.md").incidents
    stored = str(incident)
    assert "Xk9mmQp2Zz" not in stored
    assert "Wq7ttLm4Rb" not in stored
    assert "app" in stored


TORN = {
    "a sentence ends within it": 'Set `db.password="Xk9mm. Qp2Zz7. Wq"` in the settings and restart the broker.',
    "a sentence ends within it, Chinese": "把配置改为 password='Xk9mm。Qp2Zz7' 后重启服务即可恢复。",
    "a question ends within it": "Restart it with `--password 'Xk9mm? Qp2Zz7'` and the error is gone.",
    "lines of a connection": 'Use "Server=db;Password=Xk9mm. Qp2Zz7;Encrypt=true" instead of the old string.',
    "items of a list": "Restart with these:\n\n- password:\n  Xk9mmQp2Zz7\n- user: app",
    "the block below": "Restart it with the new password:\n\n```\nXk9mmQp2Zz7\n```\n",
}


@pytest.mark.parametrize("words", TORN.values(), ids=TORN)
@pytest.mark.parametrize("place", ["Symptom", "Root cause", "Fix", "Notes"])
def test_a_secret_that_is_torn_by_a_sentence_or_a_block_is_hidden_whole(place: str, words: str) -> None:
    """It is sought before a text is cut: behind the cut neither half looks like one."""
    text = f"# Login fails with ERROR 1045\n\nThe broker says `ERROR 1045 (28000): Access denied` since the update.\n\n## {place}\n\n{words}\n"
    stored = str(read_article(text.encode(), "page.md").incidents)
    assert "Xk9mm" not in stored
    assert "Qp2Zz7" not in stored


def test_the_line_of_a_trace_that_held_a_secret_is_shown_once() -> None:
    """Blocks show it without its secret, the trace with it, and it is still the same line."""
    line = 'Fatal error: Uncaught RuntimeException: login refused for password="Xk9mmQp2Zz7" in /app/src/Login.php:129'
    text = f"# Login fails\n\n## Symptom\n\nThe log of the service shows after the update:\n\n{line}\n\n## Fix\n\nRestart it.\n"
    (incident,) = read_article(text.encode(), "page.md").incidents
    assert "<secret>" in incident.traces[0]
    assert "login refused" not in str(incident.symptom)

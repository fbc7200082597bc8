"""`/dev/cards`: what each platform is sent, drawn roughly from the very payload, in both languages. Shown where `KB_DEV_PAGES` says so.

A platform takes part by a module ``preview`` with ``html(payload) -> str``, which escapes all it draws, and a module ``card`` with
``card(message)``, the payload.
"""

from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from api.chat.message import AlignedFrames, AnswerCard, CardMatch, Words
from api.chat.platforms import names
from api.chat.room import Room
from api.chat.saying import About, notice_card, words_of
from api.language import LANGUAGES
from api.pages.rendering import shown
from api.problems import HttpProblem
from api.writing.calls import Reading
from index.answer import Verdict
from index.explain.phrases import phrase

router = APIRouter(include_in_schema=False)
_BASE = "https://kb.example.org"
_CAUSES = {
    "en": "The **NameNode** waits for the last block to reach its minimum of replicas, longer than the client retries.\n\n"
    "See `dfs.namenode.replication.min` and <!channel> @all & friends.",
    "zh": '**NameNode** 等待最后一个数据块达到最小副本数的时间，超过了客户端的重试时间。\n\n参见 `dfs.namenode.replication.min`，以及 <at user_id="all"></at>。',
}
_FIXES = {
    "en": "1. Raise the retries:\n\n```xml\n<property>\n  <name>dfs.client.block.write.locateFollowingBlock.retries</name>\n  <value>10</value>\n</property>\n```\n\n2. Write fewer small files, see [the notes](https://example.org/notes).",
    "zh": "1. 调大重试次数：\n\n```xml\n<property>\n  <name>dfs.client.block.write.locateFollowingBlock.retries</name>\n  <value>10</value>\n</property>\n```\n\n2. 减少小文件，参见[说明](https://example.org/notes)。",
}
_TITLES = {
    "en": "Checkpoint fails because HDFS cannot close the last block",
    "zh": "检查点失败：HDFS 无法关闭最后一个数据块",
}
_APARTS = {
    "en": "`hdfs dfsadmin -report` lists a DataNode as dead or slow while the checkpoint runs.",
    "zh": "检查点进行时，`hdfs dfsadmin -report` 显示有 DataNode 失联或变慢。",
}
_FRAME = "org.apache.hadoop.hdfs.DFSOutputStream.{}"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A card of one platform."""

    platform: str
    name: str
    lang: str
    html: Markup


@router.get("/dev/cards")
async def cards(request: Request, desk: Reading) -> Response:
    """Every example, as every platform is sent it."""
    room: Room = request.app.state.chat
    if not room.settings.dev_pages:
        raise HttpProblem(404, "not-found", "Nothing is here: KB_DEV_PAGES shows the cards of the chat platforms.")
    return await shown(request, desk.service, "cards.html", cards=drawn())


def drawn() -> list[Drawn]:
    """All cards: by platform, example and language."""
    made = []
    for name in names():
        if find_spec(f"api.chat.{name}.preview") is None:
            continue
        card, html = import_module(f"api.chat.{name}.card").card, import_module(f"api.chat.{name}.preview").html
        for lang in LANGUAGES:
            for title, message in examples(lang).items():
                made.append(Drawn(name, title, lang, Markup(html(card(message)))))  # noqa: S704 - escaped by the platform
    return made


def examples(lang: str) -> dict[str, AnswerCard]:
    """Messages of each kind, by a name for each."""
    t = words_of(lang)
    about = About("4Zx0-example-ref", _BASE, notes=(t("redactions", count=2, kinds="password, token"),))
    known = replace(
        notice_card("empty", lang, about),
        verdict=Verdict.KNOWN,
        headline=t("verdict_known"),
        text=t("verdict_known_text"),
        words=_words(lang),
        best=_best(lang),
        others=tuple(_other(lang, place) for place in (1, 2)),
        write_up=f"{_BASE}/write?chat={about.ref}&lang={lang}",
        opinion=f"{_BASE}/chat/{about.ref}?lang={lang}",
    )
    related = replace(
        known,
        verdict=Verdict.RELATED,
        words=replace(known.words, others=t("nearest")),
        headline=t("verdict_related"),
        text=t("verdict_related_text"),
        best=replace(_best(lang), likelihood=t("probability_possible"), cause="", frames=()),
        notes=(),
    )
    unknown = replace(
        related,
        verdict=Verdict.UNKNOWN,
        headline=t("verdict_unknown"),
        text=t("verdict_unknown_near"),
        best=None,
    )
    alert = replace(known, about="KafkaConsumerLag <prod> *critical*", notes=())
    return {
        "known": known,
        **_more(known, lang),
        "related": related,
        "unknown": unknown,
        "alert": alert,
        "empty": notice_card("empty", lang, about),
    }


def _more(known: AnswerCard, lang: str) -> dict[str, AnswerCard]:
    """What is probable, one error with two causes, several problems."""
    t = words_of(lang)
    probable = replace(
        known,
        verdict=Verdict.RELATED,
        headline=t("verdict_probable"),
        text=t("verdict_probable_text"),
        best=replace(_best(lang), likelihood=t("probability_likely")),
    )
    causes = replace(
        known,
        headline=t.headline("known", 2),
        text=t("verdict_causes_text"),
        best=replace(_best(lang), apart=_APARTS[lang]),
        causes=(replace(_other(lang, 1), cause=_CAUSES[lang], fix=_FIXES[lang], apart=_APARTS[lang]),),
        others=known.others[1:],
    )
    told_too = f"{t.lines(12, 40)} · {t('verdict_probable')}"
    several = replace(known, problems=(replace(_other(lang, -1), likelihood=told_too),))
    return {"probable": probable, "causes": causes, "several": several}


def _words(lang: str) -> Words:
    return replace(notice_card("empty", lang, About("", None)).words, others=words_of(lang)("others"))


def _best(lang: str) -> CardMatch:
    t = words_of(lang)
    pairs = tuple(AlignedFrames(_FRAME.format(one), _FRAME.format(one)) for one in ("completeFile", "closeImpl"))
    return CardMatch(
        place=0,
        title=_TITLES[lang],
        component="flink",
        likelihood=t("probability_very_likely"),
        link=f"{_BASE}/incidents/flink-checkpoint-hdfs-replicas?lang={lang}",
        cause=_CAUSES[lang],
        fix=_FIXES[lang],
        frames=pairs,
        why=phrase(lang, "frames", count=len(pairs), top=pairs[0].pasted),
    )


def _other(lang: str, place: int) -> CardMatch:
    t = words_of(lang)
    return CardMatch(
        place, _TITLES[lang], "hdfs", t("probability_unlikely"), f"{_BASE}/incidents/other-{place}?lang={lang}"
    )

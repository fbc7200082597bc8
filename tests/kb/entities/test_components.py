"""Which component an incident is about, and the versions it names."""

import pytest

from kb.annotate import annotated
from kb.article import read_article
from kb.entities.components import Mentions, component_of, read_component
from kb.entities.versions import artifacts_of, versions_of
from kb.errors import RulesError
from kb.record import from_record, to_record
from kb.trace.custom import read_custom
from kb.trace.in_force import adopted

ABOUT = [
    (Mentions("Flink 1.13.5 JsonParseException: Unrecognized token"), "flink"),
    (Mentions("beeline报OutOfMemoryError错误"), "hive"),
    (Mentions("Kafka常见错误"), "kafka"),
    (Mentions("Spark 读取 Hive 表失败"), "spark"),
    (Mentions("Job dies", types=("x.Y", "org.apache.flink.util.FlinkException")), "flink"),
    (Mentions("Job dies", modules=("org.apache.hadoop.hive.ql.Driver", "java.lang.Thread")), "hive"),
    (Mentions("Job dies", tags=("ElasticSearch",)), "elasticsearch"),
    (Mentions("Job dies", body="We run it on Linux. Redis refused the connection, and redis-cli, too."), "redis"),
    (Mentions("Out of memory on Linux"), "linux"),
    (Mentions("Linux 下 nginx 启动失败"), "nginx"),
    (Mentions("Redis or MySQL", body="MySQL says no"), "mysql"),
    (Mentions("Job dies", path="docs/kafka/errors.md"), "kafka"),
    (Mentions("Telerik® Reporting shows nothing"), "telerik-reporting"),
    (Mentions("The sparkling hive-mind of redistribution"), "hive"),
    (Mentions("Nothing that is known"), None),
    (Mentions("Why does it fail?", page="flink"), "flink"),
    (Mentions("Why does it fail?", around="flink"), "flink"),
    (Mentions("Why does it fail?", around="flink", body="Redis, then Redis again, and redis-cli, and Redis"), "redis"),
    (
        Mentions(
            "Nodes of FISCO BCOS refuse", types=("io.netty.X",), modules=("io.netty.A", "io.netty.B"), body="netty " * 9
        ),
        "fisco-bcos",
    ),
    (Mentions("sol2java 生成失败", body="java 8, java 11, java"), "fisco-bcos"),
    (Mentions("Key logs of GreptimeDB", body="It can write to HDFS."), "greptimedb"),
    (Mentions("mysql5.0 启动失败"), "mysql"),
    (Mentions("Kafka2.8 与 log4j2 冲突", path="kafka/x.md"), "kafka"),
    (Mentions("An expired Linux instance", body="The web server, MySQL for example, is down.", page="linux"), "linux"),
    (Mentions("Nobody answers", body="As with Redis, Kafka or etcd, time passes."), None),
    (Mentions("Nobody answers", body="As with Redis or Kafka; Redis was it."), "redis"),
    (Mentions("Job dies", path="docs/flink/faq.md", modules=("org.apache.kafka.A",)), "flink"),
    (Mentions("Job dies", tags=("flink",), modules=("org.apache.kafka.A",), types=("org.apache.kafka.B",)), "flink"),
    (Mentions("Job dies", modules=("org.apache.kafka.A",), body="flink " * 50), "kafka"),
]


@pytest.mark.parametrize(("mentions", "component"), ABOUT, ids=lambda one: getattr(one, "title", one))
def test_component(mentions: Mentions, component: str | None):
    assert component_of(mentions) == component


def test_a_house_adds_replaces_and_removes_components():
    house = tuple(map(read_component, ["shop = shop engine, com.acme.shop.", "spring = spring festival", "!linux"]))

    assert component_of(Mentions("The shop engine stops"), house) == "shop"
    assert component_of(Mentions("x", modules=("com.acme.shop.Cart",)), house) == "shop"
    assert component_of(Mentions("x", types=("org.springframework.beans.BeansException",)), house) is None
    assert component_of(Mentions("Linux stops"), house) is None


@pytest.mark.parametrize(
    ("line", "problem"),
    [("shop", "no component"), ("= a, b", "no component"), ("x = a", "too short"), ("!", "no component")],
)
def test_a_wrong_component_says_why(line: str, problem: str):
    with pytest.raises(RulesError, match=problem):
        read_component(line)


VERSIONS = [
    ("Flink 1.13.2 on CDH 6.3.2", ("flink 1.13.2", "cdh 6.3.2")),
    ("JDK 8u202, later jdk1.8.0_111", ("jdk 8u202", "jdk 1.8.0_111")),
    ("环境：CDH 6，Java 11。", ("cdh 6", "jdk 11")),
    ("MySQL版本：5.7.30", ("mysql 5.7.30",)),
    ("spark-core_2.12-3.1.1.jar", ("spark-core 3.1.1",)),
    ("spring boot 2.3.4.RELEASE", ("spring-boot 2.3.4.RELEASE",)),
    ("Since Magento 2.4.6-p1. And Flink 1.17.0-rc.2, CDH 5.16.2-cdh5.16.2.", ("magento 2.4.6-p1", "flink 1.17.0-rc.2", "cdh 5.16.2-cdh5.16.2")),
    ("redis 192.168.1.10 and redis 10.0.0.1", ()),
    ("hive 0.0.0.0/0 sha256", ()),
    ("flink 2020.11.3 was a day", ()),
    ("java 8080 is a port", ()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "versions"), VERSIONS)
def test_versions(text: str, versions: tuple[str, ...]):
    assert versions_of(text) == versions


def test_of_a_trace_only_the_jars_of_the_component_tell():
    trace = "at a.B.c(B.java:1) ~[flink-dist_2.11-1.13.5.jar:1.13.5]\nat d.E.f(E.java:2) [netty-all-4.1.6.jar:?]"

    assert artifacts_of(trace, ["flink", "apache flink"]) == ("flink-dist 1.13.5",)


ARTICLE = """---
title: Checkpoint times out
---

Flink 1.13.2 runs on Kubernetes.

```
org.apache.flink.runtime.checkpoint.CheckpointException: HTTP 503
	at org.apache.flink.runtime.checkpoint.PendingCheckpoint.abort(PendingCheckpoint.java:1) ~[flink-dist_2.11-1.13.5.jar:1.13.5]
```
"""


def test_an_article_has_what_it_names():
    (incident,) = read_article(ARTICLE.encode(), "x.md").incidents

    assert incident.component == "flink"
    assert incident.versions == ("flink 1.13.2", "flink-dist 1.13.5")
    assert incident.codes == ("HTTP 503",)


def test_what_an_article_states_itself_stays():
    text = ARTICLE.replace("title:", "component: Billing\nversions: [R7]\ncodes: [B-12]\ntitle:")

    (incident,) = read_article(text.encode(), "x.md").incidents

    assert (incident.component, incident.versions, incident.codes) == ("Billing", ("R7",), ("B-12",))


def test_filling_in_twice_changes_nothing_and_the_record_keeps_it():
    (incident,) = read_article(ARTICLE.encode(), "x.md").incidents

    assert annotated(incident) == incident
    assert from_record(to_record(incident)) == incident


def test_parts_of_a_page_have_its_component_where_they_name_none():
    text = "# Flink FAQ\n\n" + "".join(
        f"## {name} fails\n**Cause:** x.\n\n**Solution:** y.\n\n" for name in ("Start", "Redis lookup")
    )

    assert [one.component for one in read_article(text.encode(), "x.md").incidents] == ["flink", "flink"]


def test_a_page_whose_parts_name_a_component_is_about_it():
    """One part that says it again and again speaks for itself alone."""
    problem = "## {0} fails\n**Cause:** {1} {2}.\n\n**Solution:** wait.\n\n"
    names = [
        ("Start", "StarRocks, the first time"),
        ("Query", "the second"),
        ("Load", "StarRocks, at night"),
        ("Stop", "redis " * 9),
    ]
    text = "# Questions\n\n" + "".join(problem.format(name, "it is", why) for name, why in names)

    found = [one.component for one in read_article(text.encode(), "x.md").incidents]

    assert found == ["starrocks", "starrocks", "starrocks", "redis"]


def test_rules_of_the_house_act_on_articles():
    rules = read_custom(
        {"components.txt": "shop = checkpoint times\n", "codes.txt": "Shop * = Pending(Check)point\\b\n"}
    )

    with adopted(rules):
        (incident,) = read_article(ARTICLE.encode(), "x.md").incidents

    assert incident.component == "shop"
    assert "Shop Check" in incident.codes
    assert rules.digest == ""
    assert len(rules.reading_digest) == 16

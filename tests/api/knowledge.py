"""Six incidents written for the tests of the doors, and a home built from them by the real code (no Spark)."""

import atexit
import json
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from index.storage.snapshot import SnapshotInfo, read_info, switch
from kb.record import from_record
from kb.trace.in_force import rules_in_force

HDFS_TRACE = """java.lang.Exception: Could not materialize checkpoint 17 for operator Sink: orders (2/4).
\tat org.apache.flink.streaming.runtime.tasks.StreamTask$AsyncCheckpointRunnable.handleExecutionException(StreamTask.java:947)
\tat org.apache.flink.streaming.runtime.tasks.StreamTask$AsyncCheckpointRunnable.run(StreamTask.java:884)
\tat java.lang.Thread.run(Thread.java:748)
Caused by: java.io.IOException: Unable to close file because the last block does not have enough number of replicas.
\tat org.apache.hadoop.hdfs.DFSOutputStream.completeFile(DFSOutputStream.java:2705)
\tat org.apache.hadoop.hdfs.DFSOutputStream.closeImpl(DFSOutputStream.java:2667)
\tat org.apache.hadoop.hdfs.DFSOutputStream.close(DFSOutputStream.java:2621)
\tat org.apache.hadoop.fs.FSDataOutputStream.close(FSDataOutputStream.java:106)
\tat org.apache.flink.runtime.fs.hdfs.HadoopDataOutputStream.close(HadoopDataOutputStream.java:52)
\t... 3 more
"""
KAFKA_TRACE = """org.apache.kafka.clients.consumer.CommitFailedException: Commit cannot be completed since the group has already rebalanced
\tat org.apache.kafka.clients.consumer.internals.ConsumerCoordinator.sendOffsetCommitRequest(ConsumerCoordinator.java:900)
\tat org.apache.kafka.clients.consumer.internals.ConsumerCoordinator.commitOffsetsSync(ConsumerCoordinator.java:1034)
\tat org.apache.kafka.clients.consumer.KafkaConsumer.commitSync(KafkaConsumer.java:1504)
\tat com.example.orders.OrderReader.poll(OrderReader.java:88)
"""
DISK_TRACE = """java.lang.Exception: Could not materialize checkpoint 9 for operator Window(sums) (1/2).
\tat org.apache.flink.streaming.runtime.tasks.StreamTask$AsyncCheckpointRunnable.handleExecutionException(StreamTask.java:947)
\tat org.apache.flink.streaming.runtime.tasks.StreamTask$AsyncCheckpointRunnable.run(StreamTask.java:884)
Caused by: java.io.IOException: No space left on device
\tat java.io.FileOutputStream.writeBytes(Native Method)
\tat java.io.FileOutputStream.write(FileOutputStream.java:326)
\tat org.apache.flink.core.fs.local.LocalDataOutputStream.write(LocalDataOutputStream.java:51)
\tat org.rocksdb.Checkpoint.createCheckpoint(Native Method)
"""
PYTHON_TRACE = """Traceback (most recent call last):
  File "/srv/report/build.py", line 42, in build
    rows = read(path)
  File "/srv/report/rows.py", line 7, in read
    return open(path, encoding="ascii").read().splitlines()
UnicodeDecodeError: 'ascii' codec can't decode byte 0xe4 in position 12: ordinal not in range(128)
"""
HIVE_TRACE = """org.apache.hadoop.hive.ql.metadata.HiveException: java.lang.RuntimeException: Unable to instantiate org.apache.hadoop.hive.ql.metadata.SessionHiveMetaStoreClient
\tat org.apache.hadoop.hive.ql.session.SessionState.start(SessionState.java:522)
\tat org.apache.hadoop.hive.cli.CliDriver.run(CliDriver.java:677)
Caused by: MetaException(message:Version information not found in metastore.)
\tat org.apache.hadoop.hive.metastore.ObjectStore.checkSchema(ObjectStore.java:6664)
\tat org.apache.hadoop.hive.metastore.ObjectStore.verifySchema(ObjectStore.java:6645)
"""

RECORDS: tuple[dict[str, object], ...] = (
    {
        "id": "flink-checkpoint-hdfs-replicas",
        "title": "Checkpoint fails because HDFS cannot close the last block",
        "lang": "en",
        "component": "flink",
        "traces": [HDFS_TRACE],
        "symptom": "Checkpoints fail now and then and the job restarts.",
        "root_cause": "The **NameNode** waits for the last block to reach its minimum of replicas, longer than the client retries.",
        "fix": "1. Raise `dfs.client.block.write.locateFollowingBlock.retries` to 10.\n2. Write fewer small files.",
        "url": "https://example.org/flink/hdfs-replicas",
        "tags": ["checkpoint", "hdfs"],
        "created": "2024-05-02",
    },
    {
        "id": "kafka-commit-rebalanced",
        "title": "消费者提交位移失败：消费组已经发生再均衡",
        "lang": "zh",
        "component": "kafka",
        "traces": [KAFKA_TRACE],
        "symptom": "消费者处理一批消息时间过长，提交位移时抛出 CommitFailedException。",
        "root_cause": "两次 poll 之间的处理时间超过了 `max.poll.interval.ms`，消费者被踢出消费组，分区已经分配给别的成员。",
        "fix": "减小 `max.poll.records`，或者调大 `max.poll.interval.ms`；把耗时的处理移到单独的线程。",
        "url": "https://example.org/kafka/commit",
        "tags": ["consumer", "rebalance"],
    },
    {
        "id": "flink-checkpoint-disk-full",
        "title": "Checkpoint fails because the disk of the TaskManager is full",
        "lang": "en",
        "component": "flink",
        "traces": [DISK_TRACE],
        "root_cause": "RocksDB writes its checkpoint to a local disk that has no space left.",
        "fix": "Free the disk, or point `state.backend.rocksdb.localdir` at a larger one:",
        "announced": {
            "fix": "```\nstate.backend.rocksdb.localdir: /mnt/large-disk-of-the-task-manager/rocksdb,/mnt/another-large-disk-of-the-task-manager/rocksdb\nstate.checkpoints.num-retained: 2\n```"
        },
        "url": "https://example.org/flink/disk",
    },
    {
        "id": "python-ascii-decode",
        "title": "UnicodeDecodeError when a report is read in a container without a locale",
        "lang": "en",
        "component": "python",
        "traces": [PYTHON_TRACE],
        "root_cause": "The file holds UTF-8 and is opened as ASCII.",
        "fix": 'Open it with `encoding="utf-8"`.',
        "url": "https://example.org/python/ascii",
    },
    {
        "id": "hive-metastore-schema",
        "title": "Hive 启动失败：元数据库中没有版本信息",
        "lang": "zh",
        "component": "hive",
        "traces": [HIVE_TRACE],
        "root_cause": "元数据库没有初始化，VERSION 表是空的。",
        "fix": "执行 `schematool -dbType mysql -initSchema` 初始化元数据库。",
        "url": "https://example.org/hive/schema",
    },
    {
        "id": "hostile",
        "title": '<script>alert(1)</script> & "quotes" in the title',
        "lang": "en",
        "component": "<b>bold</b>",
        "traces": [
            "com.evil.ScriptException: <img src=x onerror=alert(2)>\n\tat com.evil.Page.render(Page.java:1)\n\tat com.evil.Page.show(Page.java:2)"
        ],
        "root_cause": "<script>alert(3)</script> [click](javascript:alert(4)) ![pixel](https://evil.example/p.png)",
        "announced": {"root_cause": "- <script>alert(8)</script>\n- [click](javascript:alert(9))"},
        "fix": "See [the manual](https://example.org/manual) and <a href='javascript:alert(5)'>this</a>.\n\n```\n</pre><script>alert(6)</script>\n```",
        "url": "javascript:alert(7)",
        "tags": ["<i>tag</i>"],
    },
)
UNKNOWN_TRACE = """java.lang.NullPointerException
\tat com.acme.billing.InvoicePrinter.footer(InvoicePrinter.java:12)
\tat com.acme.billing.InvoicePrinter.print(InvoicePrinter.java:40)
"""


def build_home(home: Path, records: Sequence[dict[str, object]] = RECORDS) -> SnapshotInfo:
    """A new snapshot of ``records`` in ``home``; CURRENT names it afterwards. What was built before is copied."""
    rules = rules_in_force()
    made = _made(json.dumps(records), rules.digest + rules.reading_digest)
    place = home / "snapshots" / made.id
    if not place.exists():
        shutil.copytree(made.path, place)
    manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
    manifest["built"] = datetime.now(UTC).isoformat(timespec="microseconds")
    (place / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    switch(home, made.id)
    return read_info(place)


@cache
def _made(records: str, _rules: str) -> SnapshotInfo:
    """A snapshot that is copied wherever it is asked for: to build it takes a dozen times as long."""
    encoder = load_encoder(None)
    rows = entries([from_record(record) for record in json.loads(records)], encoder)
    return build([rows], Path(_kept()), encoder)


@cache
def _kept() -> str:
    folder = mkdtemp(prefix="kb-homes-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder

"""The same refusal of a service below met by another program, the same place of a client with another message: probable at best."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from index import Engine, Verdict
from index.answer import FineVerdict
from index.encoder import load_encoder
from index.training.cases import engine_of
from kb.record import from_record

REFUSED = """org.apache.hadoop.ipc.RemoteException(org.apache.hadoop.hdfs.server.namenode.QuillExpiredException): No quill on {path} (inode 88122): File does not exist. Holder DFSClient_12 does not have any open files.
\tat org.apache.hadoop.hdfs.server.namenode.FSNamesystem.checkQuill(FSNamesystem.java:3521)
\tat org.apache.hadoop.hdfs.server.namenode.FSNamesystem.completeQuillInternal(FSNamesystem.java:3611)
\tat org.apache.hadoop.hdfs.DFSOutputStream.completeQuill(DFSOutputStream.java:2506)
"""
FLINK = "\tat org.apache.flink.runtime.fs.hdfs.HadoopDataOutputStream.close(HadoopDataOutputStream.java:52)\n"
HIVE = "\tat org.apache.hadoop.hive.ql.exec.FileSinkOperator.closeOp(FileSinkOperator.java:1012)\n"
OURS = "\tat com.acme.shop.Basket.close(Basket.java:7)\n"
INCIDENT = {
    "id": "checkpoint-quill",
    "title": "A checkpoint of Flink loses its quill",
    "component": "flink",
    "root_cause": "Another attempt removed the checkpoint's folder.",
    "traces": [REFUSED.format(path="/flink/chk-7") + FLINK],
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    found = engine_of([from_record(INCIDENT)], tmp_path_factory.mktemp("program"), load_encoder(None))
    yield found
    found.close()


@pytest.mark.parametrize(
    ("paste", "expected"),
    [
        pytest.param(REFUSED.format(path="/flink/chk-9") + FLINK, FineVerdict.KNOWN, id="its own frames"),
        pytest.param(REFUSED.format(path="/data/x") + OURS, FineVerdict.KNOWN, id="an application that is no component"),
        pytest.param(REFUSED.format(path="/data/x"), FineVerdict.KNOWN, id="nobody is named"),
        pytest.param(REFUSED.format(path="/data/x") + HIVE, FineVerdict.PROBABLE, id="frames of another program"),
        pytest.param(
            "Flink reads what Hive wrote:\n" + REFUSED.format(path="/data/x") + HIVE, FineVerdict.KNOWN, id="both are named"
        ),
    ],
)  # fmt: skip
def test_who_met_the_refusal(engine: Engine, paste: str, expected: FineVerdict) -> None:
    answer = engine.search(paste)
    explained = engine.explain(paste, "checkpoint-quill")
    assert answer.problems[0].fine_verdict is expected
    assert explained is not None
    assert explained.probability == answer.matches[0].probability


def test_a_write_up_without_frames_of_its_component_is_known_to_all(tmp_path: Path) -> None:
    """What it quotes may be met by any program: nothing in its trace is the component's."""
    plain = {**INCIDENT, "traces": [REFUSED.format(path="/flink/chk-7")]}
    found = engine_of([from_record(plain)], tmp_path, load_encoder(None))
    assert found.search(REFUSED.format(path="/data/x") + HIVE).verdict is Verdict.KNOWN
    found.close()


CLIENT = """com.acme.quill.QuillDataException: {0}
\tat com.acme.quill.Protocol.processError(Protocol.java:132)
\tat com.acme.quill.Protocol.process(Protocol.java:166)
\tat com.acme.quill.Protocol.read(Protocol.java:220)
\tat com.acme.quill.Connection.readBack(Connection.java:316)
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    told = {
        "id": "drying",
        "title": "DRYING the inkwell is filled from the barrel",
        "root_cause": "The server answers so until the barrel is empty.",
        "traces": [CLIENT.format("DRYING the inkwell is filled from the barrel")],
    }
    found = engine_of([from_record(told)], tmp_path_factory.mktemp("client"), load_encoder(None))
    yield found
    found.close()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param("DRYING the inkwell is filled from the barrel", FineVerdict.KNOWN, id="the same answer"),
        pytest.param(
            "SPILL writing refused while feathers exceed maxfeathers", FineVerdict.PROBABLE, id="another answer"
        ),
        pytest.param("", FineVerdict.KNOWN, id="the message is cut off"),
    ],
)
def test_a_client_raises_at_one_place_whatever_its_server_says(
    client: Engine, message: str, expected: FineVerdict
) -> None:
    client.model = replace(client.model, known=0.3, probable=0.2, related=0.1)
    assert client.search(CLIENT.format(message)).problems[0].fine_verdict is expected

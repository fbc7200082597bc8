"""Candidates from Milvus: the four sides of one snapshot in one collection, with the scores that the snapshot's own index has.

Words and frames lie there as sparse vectors whose inner product with a query is BM25 as `index.storage.lexical` counts it, so the same
`ByTokens` reads both. A collection holds one snapshot and is named after it: no search mixes rows of two.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from index.encoder import normalised
from index.storage.fingerprints import Rows
from index.storage.lexical import Hits
from index.storage.place import CandidatePlace
from index.terms.facets import facet_token
from index.terms.frequencies import Frequencies
from index.terms.hashing import hash_all
from kb.errors import CandidatesError, SettingsError
from kb.trace import Fingerprint, Level

PAUSE = 5.0
"""Seconds in which a server that failed is not asked again: each search would wait for it first."""
STEP, LONG = 60.0, 3600.0
"""Seconds that a step of filling may take, and those that build or load an index over all rows."""
MOST = 16_384
"""Rows that Milvus gives at once (its `topK` and its window of a query)."""
_EF = 512
"""Neighbours that HNSW keeps while it searches: six times as many as a search asks for."""
_THREADS = 16
"""Sides that are asked at once, of four searches: gRPC shares one connection among them."""
_GRPC = {
    "grpc.keepalive_time_ms": 300_000,  # gRPC's own servers, Milvus Lite among them, end a connection that pings more often
    "grpc.keepalive_permit_without_calls": 0,
    "grpc.use_local_subchannel_pool": 1,  # a new connection is new, and waits for no back-off of another
}
_LEVELS = tuple(Level)
Side = TypeVar("Side")
Found = TypeVar("Found")
log = logging.getLogger(__name__)


def pymilvus() -> Any:
    """The client library, loaded when it is first needed. SettingsError when it is not installed."""
    try:
        import pymilvus as client  # noqa: PLC0415 - the extra `milvus`, half a second
    except ModuleNotFoundError as error:
        problem = f"KB_CANDIDATES names a Milvus, but the Python module {error.name} is missing"
        raise SettingsError(problem, cure="pip install 'dejastack[milvus]', or unset KB_CANDIDATES") from error
    logging.getLogger("pymilvus").setLevel(
        logging.CRITICAL
    )  # it logs each failed call with its traceback; here it is an error of ours
    return client


class Milvus:
    """A connection that is made when first needed and again after a failure. Safe to use from several threads."""

    def __init__(self, place: CandidatePlace) -> None:
        self.place = place
        self._lock = Lock()
        self._client: Any = None
        self._failed_at = -PAUSE
        self.fault: CandidatesError | None = None
        """Why it did not answer when it was last asked; None when it did."""

    def call(self, name: str, *, seconds: float | None = None, **given: Any) -> Any:
        """Call a method of the client. CandidatesError when there is no answer in time, or was none a moment ago."""
        fault = self.fault
        if fault and monotonic() - self._failed_at < PAUSE:
            raise CandidatesError(fault.problem, cure=fault.cure)
        try:
            return getattr(self._connected(), name)(timeout=seconds or self.place.seconds, **given)
        except SettingsError:
            raise
        except Exception as error:
            raise self.failed(f"Milvus at {self.place.uri} does not answer: {_message_of(error)}") from error

    def answered(self) -> None:
        """Note that what was asked for was found."""
        if self.fault:
            log.info("Milvus answers again", extra={"uri": self.place.uri})
        self.fault = None

    def failed(self, problem: str, cure: str = "") -> CandidatesError:
        """Return the error, and ask nothing for a while."""
        cure = cure or "start it, or look at KB_CANDIDATES; KB_CANDIDATES_FALLBACK=local answers without it"
        if self.fault is None and self.place.falls_back:  # else the error itself says it
            log.warning("candidates cannot be looked up: %s", problem)
        fault = CandidatesError(problem, cure=cure)
        self.fault, self._failed_at = fault, monotonic()
        self.close()
        return fault

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                place, client = self.place, pymilvus().MilvusClient
                self._client = client(place.uri, token=place.token, timeout=place.seconds, grpc_options=_GRPC)
            return self._client

    def close(self) -> None:
        """Let go of the connection; the next call makes another."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                client.close()


def _message_of(error: Exception) -> str:
    """The first line of what the client, or gRPC below it, says."""
    details = getattr(error, "details", None)
    message = details() if callable(details) else getattr(error, "message", "") or error
    return str(message or type(error).__name__).partition("\n")[0][:300]


class MilvusCollection:
    """The candidates of one snapshot."""

    def __init__(self, place: CandidatePlace, snapshot_id: str, rows: int, counted: Mapping[str, Frequencies]) -> None:
        self.milvus = Milvus(place)
        self.name = place.of_snapshot(snapshot_id)
        self._rows = rows
        self._counted = counted
        self._is_ready = False
        self._lock = Lock()
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="milvus")  # starts a thread when one is needed

    def __len__(self) -> int:
        return self._rows

    @property
    def falls_back(self) -> bool:
        """Whether the snapshot's own index answers while this does not."""
        return self.milvus.place.falls_back

    @property
    def fault(self) -> str | None:
        """Why candidates do not come from here; None when they do, or nobody asked yet."""
        fault = self.milvus.fault
        return str(fault) if fault else None

    def each(self, work: Callable[[Side], Found], sides: Sequence[Side]) -> list[Found]:
        """Return what ``work`` makes of each side, all asked at once; it is well again when all of them answered."""
        found = list(self._pool.map(work, sides))
        self.milvus.answered()
        return found

    def search(
        self,
        field: str,
        weights: Mapping[str, float],
        limit: int,
        required: Iterable[str] = (),
        until: int | None = None,
    ) -> Hits:
        """The best rows, as `LexicalIndex.search` gives them; ``required`` are tokens of facets."""
        vector = sparse(self._counted[field], named(field, weights), np.array(list(weights.values())))
        length = f"{field}_length"
        found = self._nearest(field, vector, limit, filtered(required, until), [length]) if vector else []
        values = [(hit["row"], hit["distance"], hit["entity"][length]) for hit in found]
        return Hits.of(*zip(*values, strict=True)) if values else Hits.of([], [], [])

    def prints(self, sought: Sequence[Fingerprint]) -> "PrintsInMilvus":
        """Where these fingerprints are looked up, all at once."""
        return PrintsInMilvus(self, sought)

    def vectors(self, required: Iterable[str], until: int | None) -> "VectorsInMilvus":
        """Where vectors are looked up, within facets and below a row."""
        return VectorsInMilvus(self, filtered(map(facet_token, required), until))

    def nearest(self, vector: npt.NDArray[np.float32], limit: int, wanted: str) -> list[tuple[int, float]]:
        """The rows with the best cosines, best first, ties by row."""
        query = normalised(vector.reshape(1, -1).astype(np.float32))[0]
        if not query.any():
            return []
        found = self._nearest("vector", query.tolist(), limit, wanted, ["row"])  # of none named, Milvus Lite gives all
        return sorted(((hit["row"], hit["distance"]) for hit in found), key=lambda pair: (-pair[1], pair[0]))

    def having(self, digests: Sequence[str], most: int) -> list[Mapping[str, Any]]:
        """The rows with any of the fingerprints, so many at most, and all fingerprints that they have."""
        listed = ", ".join(f'"{digest}"' for digest in digests)
        wanted = f"array_contains_any(prints, [{listed}])"
        found: list[Mapping[str, Any]] = self._ask("query", filter=wanted, output_fields=["row", "prints"], limit=most)
        return found

    def _nearest(self, field: str, vector: object, limit: int, wanted: str, fields: Sequence[str]) -> Sequence[Any]:
        params = {"params": {"ef": max(_EF, limit)}} if field == "vector" else {}
        found: Sequence[Any] = self._ask(
            "search",
            data=[vector],
            anns_field=field,
            limit=min(limit, MOST),
            filter=wanted,
            output_fields=list(fields),
            search_params=params,
        )[0]
        return found

    def _ask(self, name: str, **given: Any) -> Any:
        """Ask the collection; before the first question of a connection, whether it is there and whole, and have it loaded."""
        with self._lock:
            if not self._is_ready:
                self._make_ready()
                self._is_ready = True
        try:
            return self.milvus.call(name, collection_name=self.name, **given)
        except CandidatesError:
            self._is_ready = False
            raise

    def _make_ready(self) -> None:
        held = self.held()
        if held != self._rows:
            lacking = "no collection" if held is None else f"{held} rows, not {self._rows}, in"
            problem = f"Milvus at {self.milvus.place.uri} has {lacking} {self.name}"
            raise self.milvus.failed(problem, "`kb snapshots fill` puts the snapshot there")
        self.milvus.call("load_collection", collection_name=self.name)

    def held(self) -> int | None:
        """How many rows the collection has; None where there is no such collection."""
        if not self.milvus.call("has_collection", collection_name=self.name):
            return None
        return int(self.milvus.call("get_collection_stats", collection_name=self.name)["row_count"])

    def drop(self) -> None:
        """Delete it; where there is none, nothing happens."""
        self.milvus.call("drop_collection", seconds=STEP, collection_name=self.name)

    def close(self) -> None:
        """Let go of the connection."""
        self._pool.shutdown(wait=False)
        self.milvus.close()


class PrintsInMilvus:
    """The rows of some fingerprints, asked for once, when the first is looked up."""

    def __init__(self, collection: MilvusCollection, sought: Sequence[Fingerprint], most: int = MOST) -> None:
        self._collection = collection
        self._most = most
        self._sought = dict.fromkeys(stored_print(one.level, one.digest) for one in sought)

    def rows(self, level: Level, digest: str) -> Rows:
        """The rows that have this digest at this level, ascending."""
        return np.array(self._found.get(stored_print(level, digest), ()), dtype=np.int64)

    @cached_property
    def _found(self) -> Mapping[str, Sequence[int]]:
        if not self._sought:
            return {}
        rows = self._collection.having(list(self._sought), self._most)
        if (
            len(rows) == self._most
        ):  # more than Milvus gives: a digest at a time, so that a common one hides no rare one
            rows = [row for digest in self._sought for row in self._collection.having([digest], self._most)]
        found: dict[str, set[int]] = {}
        for row in rows:
            for digest in row["prints"]:
                if digest in self._sought:
                    found.setdefault(digest, set()).add(int(row["row"]))
        return {digest: sorted(having) for digest, having in found.items()}


class VectorsInMilvus:
    """Vectors within a filter."""

    def __init__(self, collection: MilvusCollection, wanted: str) -> None:
        self._collection = collection
        self._wanted = wanted

    def nearest(
        self,
        vector: npt.NDArray[np.float32],
        limit: int,
        allowed: npt.NDArray[np.bool_] | None = None,  # noqa: ARG002 - the filter says the same
    ) -> Sequence[tuple[int, float]]:
        """The nearest rows, best first, ties by row."""
        return self._collection.nearest(vector, limit, self._wanted)


def filtered(required: Iterable[str], until: int | None) -> str:
    """The expression for rows that have all these tokens of facets, below a row; empty for all rows."""
    tokens = ", ".join(f'"{token}"' for token in required)
    clauses = [f"array_contains_all(facets, [{tokens}])"] if tokens else []
    return " and ".join([*clauses, *([] if until is None else [f"row < {until}"])])


def stored_print(level: Level, digest: str) -> str:
    """A fingerprint as the collection has it: its level and its digest."""
    return f"{_LEVELS.index(level)}{digest}"


def named(field: str, tokens: Iterable[str]) -> npt.NDArray[np.uint64]:
    """The names of tokens, in order: those of frames are written in hexadecimal."""
    return hash_all(tokens) if field == "words" else np.array([int(token, 16) for token in tokens], dtype=np.uint64)


def sparse(counted: Frequencies, names: npt.NDArray[np.uint64], values: npt.NDArray[np.float64]) -> dict[int, float]:
    """A sparse vector: the dimension of a token is its place among those of the snapshot, counted from 1; what the snapshot lacks is left out.

    Places instead of hashes in 32 bits, so that no two tokens share one. Dimension 0 is nobody's (`NOTHING`).
    """
    places = counted.places(names)
    return {place + 1: value for place, value in zip(places.tolist(), values.tolist(), strict=True) if place >= 0}


NOTHING: Mapping[int, float] = {0: 1.0}
"""What a row without tokens has, since a sparse vector may not be empty; no query asks for it."""

"""Places on a map: within bounds, the same for the same vectors, and near where the vectors are near."""

import subprocess
import sys

import numpy as np
import pytest

from api.pages.maps import projected


def clusters(count: int, each: int) -> np.ndarray:
    chance = np.random.default_rng(7)
    centres = chance.normal(size=(count, 32))
    rows = np.repeat(centres, each, axis=0) + 0.05 * chance.normal(size=(count * each, 32))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 9, 10])
def test_any_number_has_places(count: int) -> None:
    places = projected(clusters(1, count))
    assert places.shape == (count, 2)
    assert ((places >= 0) & (places <= 1)).all()


def test_equal_vectors_have_places() -> None:
    places = projected(np.ones((12, 32), np.float32))
    assert np.isfinite(places).all()


def test_near_vectors_lie_near_and_twice_in_the_same_place() -> None:
    vectors = clusters(6, 12)
    places = projected(vectors)
    kinds = np.repeat(np.arange(6), 12)
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    assert (kinds[distances.argmin(axis=1)] == kinds).mean() > 0.95
    assert np.array_equal(places, projected(vectors))


@pytest.mark.slow
def test_without_scikit_learn_there_is_a_map_all_the_same() -> None:
    program = (
        "import sys; sys.modules['sklearn.manifold'] = None\n"
        "import numpy as np\nfrom api.pages.maps import projected\n"
        "vectors = np.eye(20, 32, dtype=np.float32)\n"
        "print(projected(vectors).shape, 'sklearn' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.split("\n")[0].startswith("(20, 2)")

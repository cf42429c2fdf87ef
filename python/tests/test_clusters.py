"""Dask: one and two workers compute the same bits, also when one is killed in the middle."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
import pytest
from dask.distributed import Client, LocalCluster

import fibula as fb

LATTICE = fb.sphere(50).infill(fb.gyroid(8, fb.expression("0.6 + z / 100")), 1.0)
CHUNKS = np.array_split(np.random.default_rng(1).uniform(-50, 50, (400_000, 3)), 40)

pytestmark = pytest.mark.filterwarnings("ignore")


def values(function: fb.Function, points: np.ndarray) -> np.ndarray:
    return function(points)  # type: ignore[no-any-return]


def slow_values(function: fb.Function, points: np.ndarray) -> np.ndarray:
    time.sleep(0.05)
    return values(function, points)


def test_workers_compute_the_same_bits() -> None:
    expected = [LATTICE(points) for points in CHUNKS]
    seconds = []
    for workers in (1, 2):
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            client.gather(client.map(values, [LATTICE] * workers, CHUNKS[:workers]))
            started = time.perf_counter()
            found = client.gather(client.map(values, [LATTICE] * len(CHUNKS), CHUNKS, pure=False))
            seconds.append(time.perf_counter() - started)
        assert all(np.array_equal(one, other) for one, other in zip(found, expected))
    print(f"1 worker: {seconds[0]:.2f} s, 2 workers: {seconds[1]:.2f} s")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_killed_worker_changes_nothing() -> None:
    expected = [LATTICE(points) for points in CHUNKS]
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        futures = client.map(slow_values, [LATTICE] * len(CHUNKS), CHUNKS, pure=False)
        time.sleep(0.4)
        worker = next(iter(cluster.workers.values()))
        os.kill(worker.pid, signal.SIGKILL)
        found = client.gather(futures)
    assert all(np.array_equal(one, other) for one, other in zip(found, expected))

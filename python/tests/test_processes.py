"""Processes: workers, forks, signals, the end of the interpreter."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import fibula as fb

PART = fb.gyroid(3, 0.5) & fb.sphere(9)
POINTS = np.random.default_rng(1).normal(size=(40_000, 3)) * 5


def values(part: fb.Function, points: np.ndarray) -> np.ndarray:
    return part(points)  # type: ignore[no-any-return]


def mesh_code(part: fb.Function) -> str:
    try:
        part.mesh(cell=0.5)
    except fb.Error as error:
        return error.code
    return "meshed"


@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_workers_compute_the_same_bits(method: str) -> None:
    expected = PART(POINTS)
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        parts = list(pool.map(values, [PART] * 4, np.array_split(POINTS, 4)))
    assert np.array_equal(np.concatenate(parts), expected)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_is_refused_what_it_cannot_do() -> None:
    PART.mesh(cell=0.5)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        assert pool.submit(mesh_code, PART).result(timeout=60) == "forked_process"
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(mesh_code, PART).result(timeout=60) == "meshed"


LONG = """
import fibula as fb

print("started", flush=True)
"""


def start(code: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", LONG + code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    time.sleep(0.5)
    return process


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    "work",
    [
        "fb.expression('sin(x*y)*exp(cos(z*x))').sample(fb.grid((-9, -9, -9), (9, 9, 9), 700))",
        "(fb.gyroid(0.7, 0.1) & fb.box((20, 20, 20))).mesh(cell=0.02)",
    ],
)
def test_ctrl_c_ends_long_work(work: str) -> None:
    process = start(
        f"try:\n    {work}\nexcept KeyboardInterrupt:\n    print('interrupted', fb.sphere(1)((2.0, 0.0, 0.0)))\n"
    )
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=30)
    assert out == "interrupted 1.0\n", error


def test_the_interpreter_ends_while_a_thread_works() -> None:
    process = start(
        "import threading\n"
        "work = lambda: fb.expression('sin(x*y)*exp(cos(z*x))').sample(fb.grid((-9, -9, -9), (9, 9, 9), 700))\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "import time\ntime.sleep(0.3)\n"
    )
    _, error = process.communicate(timeout=60)
    assert process.returncode == 0, error


def test_the_program_is_in_the_package(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fibula"]
    said = subprocess.run([*command, "expr", "length(pos)-5", "--at", "8,0,0"], capture_output=True, text=True)
    assert said.stdout == "shape = 3\n"
    wrong = subprocess.run([*command, "nothing"], capture_output=True, text=True)
    assert wrong.returncode != 0
    assert "fibula" in wrong.stderr
    initialize = (
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
        '"clientInfo":{"name":"test","version":"1"}}}\n'
    )
    served = subprocess.run(
        [*command, "mcp", "--data", str(tmp_path / "parts.db")],
        input=initialize,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert '"serverInfo"' in served.stdout


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_ends_the_program(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "fibula",
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        str(tmp_path / "parts.db"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    assert process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode is not None

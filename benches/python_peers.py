"""The Python package beside its peers, in one run: fogleman/sdf (the package sdf-fork), numpy, numexpr, numba and JAX.

    pip install fibula sdf-fork numexpr numba jax
    python benches/python_peers.py

The part is the example of sdf's own README: a ball in a box without three cylinders. Each time is the least of several runs
in this process, and everybody has all cores. Points are a million, in arrays of float64 that exist already.
"""

from __future__ import annotations

import sys
import time
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np

import fibula as fb

POINTS = 1_000_000
FORMULA = "sqrt(x*x + y*y + z*z) - 1 + 0.1*sin(8*x)*sin(8*y)*sin(8*z) + 0.05*exp(-x*x)*cos(20*y)"


def least(call: Callable[[], Any], runs: int = 7) -> float:
    """The least time of several runs in seconds."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times)


def first(call: Callable[[], Any]) -> float:
    """The time of one call in seconds."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def row(*cells: object) -> None:
    print(
        "| " + " | ".join(f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in cells) + " |",
        flush=True,
    )


def meshes() -> None:
    import sdf

    theirs = sdf.sphere(1) & sdf.box(1.5)
    bore = sdf.cylinder(0.5)
    theirs -= bore.orient(sdf.X) | bore.orient(sdf.Y) | bore.orient(sdf.Z)
    hole = fb.cylinder(0.5, 10)
    ours = fb.sphere(1) & fb.box((1.5, 1.5, 1.5))
    ours -= hole | hole.rotate_x(np.pi / 2) | hole.rotate_y(np.pi / 2)

    print("\nA mesh (times in ms; sdf: a list of triangles without common vertices)\n")
    row("cell", "triangles", "sdf", "fibula, unchecked", "ratio", "fibula, checked", "ratio")
    row(*["---"] * 7)
    for cell in (0.02, 0.01, 0.005):
        box = ((-0.76,) * 3, (0.76,) * 3)
        them = least(lambda cell=cell, box=box: theirs.generate(step=cell, bounds=box, verbose=False), 3)
        plain = least(lambda cell=cell, box=box: ours.mesh(cell=cell, bounds=box, check=False), 5)
        checked = least(lambda cell=cell: ours.mesh(cell=cell), 3)
        count = len(ours.mesh(cell=cell, check=False).faces)
        row(cell, count, 1e3 * them, 1e3 * plain, them / plain, 1e3 * checked, them / checked)

    points = np.random.default_rng(1).uniform(-1, 1, (POINTS, 3))
    assert np.allclose(theirs(points).ravel(), ours(points))
    us, them = least(lambda: ours(points)), least(lambda: theirs(points))
    print(
        f"\nIts values at {POINTS} points: sdf {1e3 * them:.1f} ms, fibula {1e3 * us:.2f} ms, ratio {them / us:.1f}"
    )


def plates() -> None:
    """A plate with four bosses: circular fillets here, the blend of sdf, which is no arc, there."""
    import sdf

    places = [(x, y, 0) for x in (-0.55, 0.55) for y in (-0.35, 0.35)]
    theirs = sdf.box((1.8, 1.4, 0.3)).translate((0, 0, -0.5))
    ours = fb.box((1.8, 1.4, 0.3)).translate((0, 0, -0.5))
    for place in places:
        theirs = theirs.union(sdf.capped_cylinder(-0.4 * sdf.Z, 0.4 * sdf.Z, 0.2).translate(place), k=0.1)
        ours = ours.fillet_union(fb.cylinder(0.2, 0.8).translate(place), 0.1)
    points = np.random.default_rng(1).uniform(-1, 1, (POINTS, 3))
    us, them = least(lambda: ours(points)), least(lambda: theirs(points))
    print(
        f"\nA plate with four fillets at {POINTS} points: sdf {1e3 * them:.1f} ms, fibula {1e3 * us:.2f} ms, ratio {them / us:.1f}"
    )
    box = ((-1, -0.8, -0.7), (1, 0.8, 0.5))
    them = least(lambda: theirs.generate(step=0.01, bounds=box, verbose=False), 3)
    us = least(lambda: ours.mesh(cell=0.01, bounds=box, check=False), 5)
    print(
        f"Its mesh with cells of 0.01: sdf {1e3 * them:.1f} ms, fibula, unchecked, {1e3 * us:.2f} ms, ratio {them / us:.1f}"
    )


def points() -> None:
    x, y, z = np.random.default_rng(1).uniform(-1, 1, (3, POINTS))
    text = f"(lambda x, y, z: {FORMULA})"

    def of(module: Any) -> Callable[..., Any]:
        names = {name: getattr(module, name) for name in ("sqrt", "sin", "cos", "exp")}
        return eval(text, names)  # type: ignore[no-any-return]

    print(f"\nA formula at {POINTS} points (times in ms): {FORMULA}\n")
    row("", "first call", "ratio", "next calls", "ratio")
    row(*["---"] * 5)
    # A function of its own, which nobody has compiled.
    ours_first = first(lambda: fb.expression(FORMULA)((x, y, z)))
    function = fb.expression(FORMULA)
    expected = function((x, y, z))
    ours = least(lambda: function((x, y, z)))
    row("fibula", 1e3 * ours_first, 1, 1e3 * ours, 1)

    def peer(name: str, make: Callable[[], Callable[[], Any]]) -> None:
        started = time.perf_counter()
        call = make()
        found = call()
        once = time.perf_counter() - started
        assert np.allclose(np.asarray(found), expected, atol=1e-6), name
        then = least(call)
        row(name, 1e3 * once, once / ours_first, 1e3 * then, then / ours)

    # Imported before: that time is not theirs.
    import math

    import jax.numpy
    import numba.np.ufunc
    import numexpr

    jax.config.update("jax_enable_x64", True)

    def of_numba() -> Callable[[], Any]:
        compiled = numba.vectorize(["float64(float64, float64, float64)"], target="parallel")(of(math))
        return lambda: compiled(x, y, z)

    def of_jax() -> Callable[[], Any]:
        compiled = jax.jit(of(jax.numpy))
        return lambda: compiled(x, y, z).block_until_ready()

    peer("numpy", lambda: lambda: of(np)(x, y, z))
    peer("numexpr", lambda: lambda: numexpr.evaluate(FORMULA, {"x": x, "y": y, "z": z}))
    peer("numba, parallel", of_numba)
    peer("JAX on the CPU", of_jax)


def calls() -> None:
    ball = fb.expression("length(pos) - 5")
    place = np.array([1.0, 2.0, 3.0])
    count = 200_000

    def microseconds(call: Callable[[], Any]) -> float:
        return 1e6 * min(timeit.repeat(call, number=count, repeat=5)) / count

    print(
        f"\nA call at one point: {microseconds(lambda: ball((1.0, 2.0, 3.0))):.2f} us for a tuple, "
        f"{microseconds(lambda: ball(place)):.2f} us for an array"
    )


if __name__ == "__main__":
    print(f"fibula {fb.__version__}, numpy {np.__version__}, Python {sys.version.split()[0]}")
    meshes()
    plates()
    points()
    calls()

"""Signed distances to shapes whose values are no distances: Fibula's `distance` beside libigl, each in a process of its own.

    pip install fibula libigl
    python benches/distance_peers.py

libigl's distances are those from a mesh (an AABB tree, the sign by fast winding numbers). It gets Fibula's mesh, of the accuracy that
`distance` has, from another process. Points are at random in the box of the shape. The memory is the growth of the process's
peak. Both have all cores.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

POINTS = 300_000
# Expressions, the half side of the box, and the exact distance, if it is known.
SHAPES = {
    "a ball by squares": ("dot(pos, pos) / 10 - 10", 11.0, lambda at: np.linalg.norm(at, axis=1) - 10),
    "a torus by squares": (
        "let u = sqrt(x * x + y * y) - 8; u * u + z * z - 4",
        11.0,
        lambda at: np.hypot(np.hypot(at[:, 0], at[:, 1]) - 8, at[:, 2]) - 2,
    ),
    "a gyroid wall in a ball": ("max(gyroid(pos, 8, 1.5), sphere(pos, 10))", 11.0, None),
}


def random_points(half: float) -> np.ndarray:
    """The points, of shape (POINTS, 3), in a box around the origin; the same ones in each process."""
    return np.random.default_rng(1).uniform(-half, half, (POINTS, 3))


def peak() -> float:
    """The largest memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(peer: str, expression: str, half: float, where: str) -> dict[str, float]:
    """Times in s and memory in MiB of one peer, whose distances are left in a file, or of the mesh that libigl gets."""
    import fibula as fb

    points = random_points(half)
    found: dict[str, float] = {}
    started = time.perf_counter()

    def took(name: str) -> None:
        nonlocal started
        now = time.perf_counter()
        found[name] = now - started
        started = now

    accuracy = 2 * half / 1000
    if peer == "fibula":
        project = fb.open(f"{where}/distances.db", "distances")
        before, started = peak(), time.perf_counter()
        bounds = [[-half] * 3, [half] * 3]
        answer = project.create_function_from_expression(
            name="Shape",
            expression=expression,
            distance={"accuracy": accuracy, "bounds": bounds, "time_limit": 300},
        )
        found["error"] = answer["distance"]["error"]
        function = project["Shape"]
        took("make")
        values = function(points)
        took("first")
        values = function(points)
        took("next")
    elif peer == "mesh":
        mesh = fb.expression(expression).mesh(accuracy=accuracy)
        took("make")
        np.savez(f"{where}/mesh.npz", vertices=mesh.vertices, faces=mesh.faces)
        return {**found, "triangles": len(mesh.faces)}
    else:
        import igl

        arrays = np.load(f"{where}/mesh.npz")
        vertices, faces = arrays["vertices"].astype(np.float64), arrays["faces"].astype(np.int64)
        before, started = peak(), time.perf_counter()
        kind = igl.SignedDistanceType.SIGNED_DISTANCE_TYPE_FAST_WINDING_NUMBER
        values = igl.signed_distance(points, vertices, faces, kind)[0]
        took("first")
        values = igl.signed_distance(points, vertices, faces, kind)[0]
        took("next")
    found["memory"] = peak() - before
    np.save(f"{where}/{peer}.npy", values)
    return found


def told(found: dict[str, float]) -> str:
    return f"first values {found['first']:.3f} s, next {found['next']:.3f} s, {found['memory']:.0f} MiB"


def main() -> None:
    if len(sys.argv) > 1:
        peer, shape, where = sys.argv[1:]
        expression, half, _ = SHAPES[shape]
        print(json.dumps(measured(peer, expression, half, where)))
        return
    for shape, (_, half, exact) in SHAPES.items():
        print(f"\n{shape[0].upper()}{shape[1:]}, {POINTS} points in a box of {2 * half}")
        with tempfile.TemporaryDirectory() as where:
            answers = {}
            for peer in ("fibula", "mesh", "libigl"):
                run = [sys.executable, __file__, peer, shape, where]
                answer = subprocess.run(run, check=True, stdout=subprocess.PIPE, text=True)
                answers[peer] = json.loads(answer.stdout.splitlines()[-1])
            ours, mesh, theirs = answers.values()
            print(f"  fibula: made in {ours['make']:.2f} s, {told(ours)}, stated error {ours['error']:.2e}")
            print(f"  libigl: mesh of {mesh['triangles']} triangles in {mesh['make']:.2f} s, {told(theirs)}")
            values = {peer: np.load(f"{where}/{peer}.npy") for peer in ("fibula", "libigl")}
        if exact:
            at = random_points(half)
            for peer, found in values.items():
                print(f"  {peer}: off by {np.abs(found - exact(at)).max():.2e} at most")
        else:
            print(f"  they differ by {np.abs(values['fibula'] - values['libigl']).max():.2e} at most")


main()

"""Times scikit-image on functions that come as kernel operations; run by solid.rs.

Reads {"what": "mesh" or "slice", "cells": N, "folder": PATH, "functions": {NAME: [[OPERATION, OPERAND...], ...]}} from
standard input and writes {NAME: {"evaluate": S, "extract": S, "found": N, "file": NAME or null}}: seconds on one thread,
best of several runs. The function is evaluated by numpy in f64 on the corners of N cells along each axis of [-1, 1], in
blocks that stay in the cache, and what is found there extracted: the triangles of `measure.marching_cubes`, whose
corners go to the file as f64, nine numbers each, or the contours of `measure.find_contours`, which are where z is 0.
"""

import json
import os
import sys

import numpy as np
from skimage import measure

from kernel import best, in_numpy

BLOCK = 8192
SECONDS = 0.5


def main():
    """Times every function."""
    asked = json.load(sys.stdin)
    cells, is_mesh = asked["cells"], asked["what"] == "mesh"
    axis = np.linspace(-1, 1, cells + 1)
    axes = [axis, axis, axis if is_mesh else np.zeros(1)]
    points = [part.ravel() for part in np.meshgrid(*axes, indexing="ij")]
    answers = {}
    for number, (name, operations) in enumerate(asked["functions"].items()):
        run = in_numpy([tuple(operation) for operation in operations], points, BLOCK)
        evaluate = best(run, SECONDS)
        values = run().reshape([len(part) for part in axes])
        file = None
        if is_mesh:
            def extract(values=values):
                return measure.marching_cubes(values, 0.0, spacing=(2 / cells,) * 3)
            vertices, triangles, _, _ = extract()
            file = f"{number}.f64"
            (vertices - 1.0)[triangles].astype("<f8").tofile(os.path.join(asked["folder"], file))
            found = len(triangles)
        else:
            def extract(values=values[:, :, 0]):
                return measure.find_contours(values, 0.0)
            found = len(extract())
        answers[name] = {"evaluate": evaluate, "extract": best(extract, SECONDS), "found": found, "file": file}
    json.dump(answers, sys.stdout)


main()

"""What trimesh reads from files of triangles, and shapely from files of slices, as JSON: one line for each.

    dump.py meshes FILE...
    dump.py slices NAME...

NAME.json, NAME.svg and NAME.cli are the same slices, NAME.ply is the mesh that they are compared with.
"""

import functools
import itertools
import json
import re
import sys
import xml.etree.ElementTree as ET

import numpy as np
import shapely
import trimesh


def solid(mesh):
    """What trimesh says of one mesh, where it is placed."""
    return {
        "watertight": bool(mesh.is_watertight),
        "winding": bool(mesh.is_winding_consistent),
        "volume": float(mesh.volume),
        "bounds": mesh.bounds.tolist(),
        "bodies": int(mesh.body_count),
        "triangles": len(mesh.faces),
    }


def meshes(path):
    """All meshes of a file, in its order. Corners at one place are one in STL, which has no vertices, and only there."""
    scene = trimesh.load_scene(path, split_objects=True, process=path.endswith(".stl"))
    return [solid(mesh) for mesh in scene.dump()]


def json_layers(path):
    """The heights, and for each the rings with what is said of them: whether they are outer ones, and in which ring
    they lie, -1 for none."""
    with open(path, encoding="utf-8") as file:
        said = json.load(file)
    for layer in said["slices"]:
        rings = []
        for ring in layer["contours"]:
            parent = -1 if ring["parent"] is None else ring["parent"]
            rings.append((ring["points"], ring["depth"] % 2 == 0, parent))
        yield layer["z"], rings


def svg_layers(path, corner):
    """The same of SVG, where y points down from the upper left corner, and nothing is said of rings."""
    x, y = corner
    for group in ET.parse(path).getroot().iter("{http://www.w3.org/2000/svg}g"):
        text = group.find("{http://www.w3.org/2000/svg}path").get("d")
        rings = []
        for ring in text.split("Z")[:-1]:
            numbers = [float(word) for word in re.split("[ML ]", ring)[1:]]
            pairs = zip(numbers[::2], numbers[1::2], strict=True)
            rings.append(([(x + a, y - b) for a, b in pairs], None, None))
        yield float(group.get("data-z")), rings


def cli_layers(path):
    """The same of CLI, which says which rings are outer ones, and repeats the first point."""
    height, rings = None, []
    with open(path, encoding="ascii") as file:
        for line in file:
            if line.startswith("$$LAYER/") or line.startswith("$$GEOMETRYEND"):
                if height is not None:
                    yield height, rings
                rings = []
                height = float(line[len("$$LAYER/") :]) if line.startswith("$$LAYER/") else None
            elif line.startswith("$$POLYLINE/"):
                _, direction, count, *numbers = line[len("$$POLYLINE/") :].split(",")
                points = list(zip(map(float, numbers[::2]), map(float, numbers[1::2]), strict=True))
                if len(points) != int(count) or points[0] != points[-1]:
                    raise ValueError(f"an open polyline in {path}: {line[:80]}")
                rings.append((points[:-1], direction == "1", None))


def difference(one, other):
    """What is in one of two polygons only; on a fine grid, since edges of meshes may all but meet."""
    return shapely.symmetric_difference(one, other, grid_size=1e-9)


def section(mesh, height):
    """The cross-section of a mesh, by the rule of even and odd; in sharp corners a mesh may cut itself."""
    path = mesh.section(plane_origin=[0, 0, height], plane_normal=[0, 0, 1])
    rings = [] if path is None else path.discrete
    filled = [shapely.make_valid(shapely.Polygon(np.asarray(ring)[:, :2])) for ring in rings]
    return functools.reduce(difference, filled, shapely.Polygon())


def layer(rings, cut):
    """What shapely says of the rings of a slice, and how they lie to the cross-section."""
    faults = []
    shapes = [shapely.Polygon(points) for points, _, _ in rings]
    around = [[] for _ in rings]
    for number, shape in enumerate(shapes):
        if not shape.is_valid:
            faults.append(f"ring {number}: {shapely.is_valid_reason(shape)}")
    inner = [shape.representative_point() for shape in shapes]
    for one, other in itertools.permutations(range(len(shapes)), 2):
        if shapes[one].area > shapes[other].area and shapes[one].contains(inner[other]):
            around[other].append(one)
    filled = []
    for number, (points, is_outer, parent) in enumerate(rings):
        deep = len(around[number])
        against_the_clock = shapely.LinearRing(points).is_ccw
        if is_outer is not None and is_outer != (deep % 2 == 0):
            faults.append(f"ring {number} lies in {deep} others, and is said to be otherwise")
        if against_the_clock != (deep % 2 == 0):
            faults.append(f"ring {number} lies in {deep} others, and goes the other way round")
        nearest = min(around[number], key=lambda one: shapes[one].area, default=-1)
        if parent is not None and parent != nearest:
            faults.append(f"ring {number} lies in {nearest}, and is said to lie in {parent}")
        if deep % 2 == 0:
            holes = [
                hole
                for other, (hole, _, _) in enumerate(rings)
                if number in around[other] and len(around[other]) == deep + 1
            ]
            filled.append(shapely.Polygon(points, holes))
    filled = shapely.MultiPolygon(filled)
    if not filled.is_valid:
        faults.append(shapely.is_valid_reason(filled))
        filled = shapely.make_valid(filled)
    return {
        "rings": len(rings),
        "faults": faults,
        "area": filled.area,
        "length": filled.length,
        "section": cut.area,
        "difference": difference(filled, cut).area,
    }


def slices(name):
    """The layers of each format."""
    mesh = trimesh.load_mesh(name + ".ply")
    with open(name + ".json", encoding="utf-8") as file:
        low, high = json.load(file)["bounds"]
    formats = {
        "json": json_layers(name + ".json"),
        "svg": svg_layers(name + ".svg", (low[0], high[1])),
        "cli": cli_layers(name + ".cli"),
    }
    cuts = {}
    found = {}
    for key, layers in formats.items():
        found[key] = []
        for height, rings in layers:
            if height not in cuts:
                cuts[height] = section(mesh, height)
            found[key].append({"z": height} | layer(rings, cuts[height]))
    return found


def main():
    what, *names = sys.argv[1:]
    for name in names:
        json.dump({"meshes": meshes, "slices": slices}[what](name), sys.stdout)
        print()


if __name__ == "__main__":
    main()

"""Parts: meshes, slices, masks, measures, pictures, files."""

from __future__ import annotations

import math
from pathlib import Path
from xml.dom import minidom

import numpy as np
import pytest

import fibula as fb
from fibula.errors import ArgumentError, CancelledError

PART = (fb.sphere(10) & fb.box((15, 15, 15))) - fb.cylinder(5, 40)


def test_meshes_are_closed_and_as_large_as_they_should_be() -> None:
    ball = fb.sphere(5).mesh(cell=0.25)
    assert ball.vertices.dtype == np.float64
    assert ball.faces.dtype == np.uint32
    assert ball.parts is not None
    assert ball.parts[0]["closed"]
    assert ball.volume == pytest.approx(4 / 3 * math.pi * 125, rel=2e-3)
    assert ball.parts[0]["volume"] == pytest.approx(ball.volume)
    assert ball.unit == "millimeter"
    plain = fb.sphere(5).mesh(cell=0.25, check=False)
    assert plain.parts is None
    assert plain.volume == pytest.approx(ball.volume, rel=1e-3)
    with pytest.raises(ArgumentError, match="no cell"):
        fb.sphere(5).mesh(check=False)


def test_loose_pieces_and_cavities_are_removed_on_request() -> None:
    part = (fb.sphere(6) - fb.sphere(4)) | fb.sphere(1) | fb.sphere(2).translate((9, 0, 0))
    whole, fewer = part.mesh(), part.mesh(remove=["loose_pieces", "cavities"])
    assert whole.parts is not None
    assert fewer.parts is not None
    assert whole.parts[0]["components"] == 3
    assert fewer.parts[0]["removed"]["pieces"] == 2
    assert fewer.volume == pytest.approx(4 / 3 * math.pi * 6**3, rel=0.01)
    with pytest.raises(ArgumentError, match="need the checks"):
        part.mesh(cell=1, check=False, remove=["cavities"])


def test_meshes_become_those_of_trimesh() -> None:
    mesh = PART.mesh(accuracy=0.02).to_trimesh()
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    figure = PART.measure("volume")["figures"]["volume"]
    assert mesh.volume == pytest.approx(figure["value"], abs=figure["error"] + 0.02 * mesh.area)


def test_slices_are_arrays() -> None:
    tube = fb.tube(10, 7, 20)
    slices = tube.slice([0.0, 5.0])
    assert len(slices) == 2
    assert [contour.depth for contour in slices[0].contours] == [0, 1]
    assert slices[1].area == pytest.approx(math.pi * (100 - 49), rel=1e-3)
    assert slices[0].contours[0].points.shape[1] == 2
    assert len(tube.slice(layer=2.0)) == 10
    with pytest.raises(ArgumentError, match="either heights or a layer"):
        tube.slice()


def test_masks_are_arrays() -> None:
    masks = fb.box((4, 2, 3)).translate((10, 20, 30)).mask(pixel=0.5, layer=1.0)
    assert masks.pixels.shape == (3, 4, 8)
    assert masks.pixels.all()
    assert np.allclose(masks.heights, [29.0, 30.0, 31.0])
    wedge = fb.expression("max(box(pos, vec3(4, 4, 1)), x + y)").mask(
        pixel=1.0, heights=[0.0], bounds=((-2, -2, -1), (2, 2, 1))
    )
    # Rows go up with y: the lowest is inside everywhere but at its end.
    assert wedge.pixels[0][0].sum() > wedge.pixels[0][3].sum()


def test_pictures_and_graphs_show_themselves() -> None:
    picture = PART.render(view="front", size=[64, 48])
    assert picture._repr_png_().startswith(b"\x89PNG")
    graph = PART._repr_svg_()
    assert minidom.parseString(graph).documentElement.tagName == "svg"


def test_files_by_their_endings(tmp_path: Path) -> None:
    assert PART.save(tmp_path / "part.stl", cell=1.0) == []
    assert (tmp_path / "part.stl").stat().st_size > 1000
    PART.save(tmp_path / "part.svg", heights=[0.0])
    assert "<svg" in (tmp_path / "part.svg").read_text()
    with pytest.raises(ArgumentError, match="xyz"):
        PART.save(tmp_path / "part.xyz")


def test_functions_survive_3mf(tmp_path: Path) -> None:
    graded = fb.gyroid(8, fb.expression("1 + z / 20")) & fb.sphere(9)
    assert fb.write(tmp_path / "part.3mf", graded, fb.sphere(3).translate((20, 0, 0))) == []
    found = fb.check(tmp_path / "part.3mf")
    assert found["conforms"]
    assert found["errors"] == 0
    project = fb.read(tmp_path / "part.3mf")
    points = np.random.default_rng(1).uniform(-9, 9, (1000, 3))
    again = project.function(graded.name)
    assert np.array_equal(again(points), graded(points))
    figures = project.part().measure("volume", cell=0.3)["figures"]["volume"]
    assert figures["value"] > 100
    single = fb.read(tmp_path / "part.3mf").function("Translate")
    single.save(tmp_path / "ball.3mf")
    assert fb.read(tmp_path / "ball.3mf").part().mesh(cell=0.2).volume == pytest.approx(
        4 / 3 * math.pi * 27, rel=0.01
    )


def test_meshes_are_functions(tmp_path: Path) -> None:
    fb.box((4, 4, 4)).save(tmp_path / "box.stl", cell=0.5)
    project = fb.read(tmp_path / "box.stl")
    (object_id,) = [one["resource_id"] for one in project.get_structure()["resources"] if one["kind"] == "mesh"]
    applied = project.transaction(
        {"create_function_from_expression": {"name": "Distance", "expression": f"mesh({object_id}, pos)"}}
    )
    assert applied["success"]
    distance = project.function("Distance")
    assert distance((5.0, 0.0, 0.0)) == pytest.approx(3)
    # The mesh goes with the function.
    import pickle

    again = pickle.loads(pickle.dumps(distance))
    assert again == distance
    hollow = again.shell(0.5)
    assert hollow((2.0, 0.0, 0.0)) == pytest.approx(-0.25)
    assert hollow.mesh(cell=0.2).volume > 10
    hollow.save(tmp_path / "hollow.3mf")
    assert fb.read(tmp_path / "hollow.3mf").function("Shell")((2.0, 0.0, 0.0)) == pytest.approx(-0.25)


def test_progress_is_told_and_may_cancel() -> None:
    lattice = fb.gyroid(2, 0.3) & fb.box((10, 10, 10))
    seen: list[tuple[int, int]] = []
    lattice.mesh(cell=0.1, progress=lambda done, total: seen.append((done, total)))
    assert seen
    assert all(0 <= done <= total for done, total in seen)
    with pytest.raises(CancelledError):
        lattice.mesh(cell=0.05, progress=lambda done, total: False)
    with pytest.raises(ZeroDivisionError):
        lattice.mesh(cell=0.05, progress=lambda done, total: 1 / 0)
    axes = fb.grid((-9, -9, -9), (9, 9, 9), 100)
    with pytest.raises(CancelledError):
        fb.expression("sin(x*y)*cos(y*z)*sin(z*x)*exp(sin(x+y+z))").sample(
            fb.grid((-9, -9, -9), (9, 9, 9), 500), progress=lambda done, total: False
        )
    assert lattice.sample(axes, progress=True).shape == (100, 100, 100)


def test_parts_of_functions_are_theirs_alone() -> None:
    ball = fb.sphere(5)
    volume = ball.mesh(cell=0.5).volume
    other = ball.project()
    other.add(fb.box((4, 4, 4)))
    other.undo()
    other.undo()
    assert ball.mesh(cell=0.5).volume == volume
    assert ball.mesh(cell=0.5) != ball.mesh(cell=0.5)
    assert "svg" in ball._repr_svg_()


def test_masks_are_in_the_order_of_their_heights() -> None:
    masks = fb.cone(5, 1, 10).mask(pixel=0.5, heights=[4.0, -4.0])
    assert list(masks.heights) == [-4.0, 4.0]
    assert masks.pixels[0].sum() > masks.pixels[1].sum()


def test_mistakes_say_what_to_do(tmp_path: Path) -> None:
    for call, text in [
        (lambda: PART.save(tmp_path / "part"), r"use one of \.3mf, \.stl"),
        (lambda: PART.mesh(cell=math.nan), "finite"),
        (lambda: PART.mesh(cell=-1.0), "cell"),
        (lambda: fb.write(tmp_path / "part.3mf"), "give functions"),
        (
            lambda: fb.write(tmp_path / "part.3mf", fb.open_in_memory(), bounds=((0, 0, 0), (1, 1, 1))),
            "without bounds",
        ),
    ]:
        with pytest.raises(fb.Error, match=text):
            call()
    with pytest.raises(FileNotFoundError):
        fb.read(tmp_path / "missing.3mf")
    with pytest.raises(CancelledError):
        PART.save(tmp_path / "part.3mf", progress=lambda done, total: False)


def test_what_several_shapes_share_is_written_once(tmp_path: Path) -> None:
    core = fb.gyroid(4, 0.5) & fb.sphere(6)
    fb.write(tmp_path / "parts.3mf", (core | fb.box((1, 1, 1))).named("A"), core.offset(0.1).named("B"))
    names = fb.read(tmp_path / "parts.3mf").functions.values()
    assert sorted(name for name in names if name.startswith(("gyroid", "A", "B"))) == ["A", "B", "gyroid"]

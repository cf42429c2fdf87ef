"""Functions: expressions, library, operators, arrays."""

from __future__ import annotations

import math
import operator
import pickle
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import fibula as fb
from fibula.errors import ArgumentError, ShapeError, ShapeWarning

BALL = fb.expression("length(pos) - r", r=5)
#: A formula of which numpy computes the same bits: each operation rounds by itself.
FORMULA = fb.expression("x * y + z / (1 + x * x) - max(y, z)")


def formula(points: np.ndarray) -> np.ndarray:
    x, y, z = np.moveaxis(points, -1, 0)
    return x * y + z / (1 + x * x) - np.maximum(y, z)


def test_numbers_give_numbers() -> None:
    assert BALL((8.0, 0.0, 0.0)) == 3.0
    assert type(BALL((8, 0, 0))) is float
    assert BALL([8, 0, 0], r=6) == 2.0
    assert type(BALL(np.array([8.0, 0, 0]))) is float
    assert fb.expression("3")() == 3.0


def test_inputs_and_outputs_are_described() -> None:
    assert BALL.inputs == [fb.Port("pos", "float3"), fb.Port("r", "float", 5.0)]
    assert BALL.outputs == [fb.Port("shape", "float")]
    assert BALL.expression == "length(pos) - r"
    assert repr(BALL) == "<Function expression(pos: float3, r: float = 5.0) -> (shape: float)>"


def test_arrays_broadcast() -> None:
    points = np.zeros((4, 1, 3))
    radii = np.arange(3.0)
    assert np.array_equal(BALL(points, r=radii), np.broadcast_to(-radii, (4, 3)))
    x, y, z = np.ogrid[0:2, 0:3, 0:4]
    assert BALL((x, y, z)).shape == (2, 3, 4)
    assert np.array_equal(BALL((x, y, z)), BALL(np.stack(np.broadcast_arrays(x, y, z), axis=-1)))


def test_several_outputs_are_named() -> None:
    both = fb.expression("shape = length(pos) - 1; color = pos * 2")
    values = both(np.ones((5, 3)))
    assert list(values) == ["shape", "color"]
    assert values["shape"].shape == (5,)
    assert np.array_equal(values["color"], np.full((5, 3), 2.0))
    assert np.array_equal(both((1.0, 2.0, 3.0))["color"], [2.0, 4.0, 6.0])


def test_matrices_are_arrays_of_four_rows() -> None:
    moved = fb.expression("transform(m, pos)", m=np.eye(4).tolist())
    shift = np.eye(4)
    # As in 3MF, the translation is the last row.
    shift[3, :3] = [1, 2, 3]
    assert np.array_equal(moved([0, 0, 0]), [0, 0, 0])
    several = np.stack([np.eye(4), shift])
    assert np.array_equal(moved([0, 0, 0], several), [[0, 0, 0], [1, 2, 3]])
    with pytest.raises(ArgumentError, match="4 rows and 4 columns"):
        moved([0, 0, 0], np.eye(3))


ARRAYS = hnp.arrays(
    dtype=st.sampled_from([np.float64, np.float32, np.int16, np.uint8, np.dtype(">f8")]),
    shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6).map(lambda shape: (*shape, 3)),
    elements=st.integers(0, 100),
)


@given(points=ARRAYS, data=st.data())
@settings(deadline=None)
def test_values_do_not_depend_on_strides_and_types(points: np.ndarray, data: st.DataObject) -> None:
    plain = formula(points.astype(np.float64))
    assert np.array_equal(FORMULA(points.astype(np.float64)), plain)
    assert np.array_equal(FORMULA(points), plain) or points.dtype == np.float32
    # Views with other strides, some negative, some 0.
    order = data.draw(st.permutations(range(points.ndim - 1)))
    view = points.transpose([*order, points.ndim - 1])
    view = view[tuple(slice(None, None, data.draw(st.sampled_from([1, -1, 2]))) for _ in order)]
    expected = formula(view.astype(np.float64))
    read_only = view.copy()
    read_only.flags.writeable = False
    for one in (view, np.asfortranarray(view), read_only):
        assert np.allclose(FORMULA(one), expected, rtol=1e-5)
        assert np.shape(FORMULA(one)) == expected.shape
    x, y, z = np.moveaxis(view, -1, 0)
    assert np.array_equal(FORMULA((x, y, z)), FORMULA(view))
    repeated = np.broadcast_to(view, (2, *view.shape))
    assert np.array_equal(FORMULA(repeated)[1], FORMULA(view))


@given(points=hnp.arrays(np.float64, (7, 3), elements=st.floats(allow_nan=True, allow_infinity=True)))
@settings(deadline=None)
def test_nan_and_infinity_are_values(points: np.ndarray) -> None:
    with np.errstate(all="ignore"):
        expected = points[:, 0] * points[:, 1] + points[:, 2]
    found = fb.expression("x * y + z")(points)
    assert np.array_equal(found, expected, equal_nan=True)
    singly = [fb.expression("x * y + z")(tuple(map(float, point))) for point in points]
    assert np.array_equal(singly, expected, equal_nan=True)


def test_large_arrays_are_computed_in_pieces() -> None:
    points = np.random.default_rng(1).normal(size=(300_001, 3))
    assert np.array_equal(FORMULA(points), formula(points))
    assert np.array_equal(FORMULA(points[::-1]), formula(points)[::-1])
    gradient = fb.expression("x * y + z").gradient(points)
    assert np.array_equal(gradient, np.stack([points[:, 1], points[:, 0], np.ones(len(points))], axis=-1))


def test_single_precision_stays_single() -> None:
    points = np.random.default_rng(2).normal(size=(1000, 3)).astype(np.float32)
    values = BALL(points)
    assert values.dtype == np.float32
    assert np.allclose(values, BALL(points.astype(np.float64)), atol=1e-5)
    assert BALL(points, r=2.0).dtype == np.float32
    assert BALL(points, r=np.array(2.0)).dtype == np.float64


@pytest.mark.parametrize(
    ("argument", "kind", "text"),
    [
        ([1.0, 2.0], ArgumentError, "last axis of points has 3"),
        ((1.0, 2.0), ArgumentError, "tuple of 2"),
        ([1j, 0, 0], TypeError, "complex128"),
        ("abc", TypeError, "no numbers"),
        (np.zeros(3, dtype=np.longdouble), TypeError, "cannot hold"),
        (np.ma.masked_array([1.0, 2, 3], [0, 1, 0]), ArgumentError, "masked"),
        (np.array(["a", "b", "c"], dtype=object), TypeError, "object"),
    ],
)
def test_arguments_that_are_no_points_are_refused(argument: object, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        BALL(argument)


def test_calls_that_do_not_fit_are_refused() -> None:
    for call, text in [
        (lambda: BALL(), "pos missing"),
        (lambda: BALL(1, 2, 3), "3 arguments for 2 inputs"),
        (lambda: BALL([1, 2, 3], q=1), "no input 'q'"),
        (lambda: BALL([1, 2, 3], pos=[1, 2, 3]), "given twice"),
        (lambda: BALL(np.zeros((2, 3)), r=np.zeros(3)), "do not broadcast"),
        (lambda: BALL.gradient([1, 2, 3], by="q"), "varies no input q"),
    ]:
        with pytest.raises(ArgumentError, match=text):
            call()


def test_mistakes_in_expressions_name_the_place() -> None:
    with pytest.raises(ArgumentError, match="did you mean length") as raised:
        fb.expression("lenght(pos)")
    assert raised.value.code == "unknown_function_name"
    with pytest.raises(ArgumentError, match="no input 'q'"):
        fb.expression("length(pos)", q=1)
    with pytest.raises(ArgumentError, match="is a kind of node"):
        fb.expression("max(pos)", max=BALL)
    with pytest.raises(ArgumentError, match="finite number"):
        BALL.offset(math.nan)


def test_sizes_beyond_limits_warn() -> None:
    with pytest.warns(ShapeWarning, match="radius"):
        fb.sphere(-1)
    with pytest.warns(ShapeWarning, match="height") as caught:
        fb.circle(3).extrude(-2)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fb.sphere(1).shell(0.1)


def test_gradients() -> None:
    ball = fb.expression("length(pos) - 5")
    assert np.allclose(ball.gradient([[0, 3, 4], [2, 0, 0]]), [[0, 0.6, 0.8], [1, 0, 0]])
    assert BALL.gradient([1, 2, 2], r=5, by="r") == -1.0
    twisted = fb.expression("vec3(x * y, y, z)")
    assert np.array_equal(twisted.gradient([2, 3, 4]), [[3, 2, 0], [0, 1, 0], [0, 0, 1]])


@given(
    low=hnp.arrays(np.float64, 3, elements=st.floats(-5, 5)),
    size=hnp.arrays(np.float64, 3, elements=st.floats(0, 3)),
    inside=hnp.arrays(np.float64, (20, 3), elements=st.floats(0, 1)),
)
@settings(deadline=None)
def test_bounds_hold(low: np.ndarray, size: np.ndarray, inside: np.ndarray) -> None:
    bounds = FORMULA.bounds((low, low + size))
    values = FORMULA(np.minimum(low + inside * size, low + size))
    assert not bounds.may_be_undefined
    assert (values >= bounds.low).all()
    assert (values <= bounds.high).all()


def test_bounds_need_a_box() -> None:
    assert BALL.bounds(((-1, -1, -1), (1, 1, 1)))[:2] == (-5.0, pytest.approx(math.sqrt(3) - 5))
    with pytest.raises(ArgumentError, match="0 ranges"):
        BALL.bounds()
    with pytest.raises(ArgumentError, match="no interval"):
        BALL.bounds(((1, 1, 1), (-1, -1, -1)))


def test_grids_have_the_values_of_their_points() -> None:
    axes = fb.grid((-6, -5, -4), (6, 5, 4), (5, 6, 7))
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    assert np.array_equal(BALL.sample(axes), BALL(points))
    assert BALL.sample(axes, dtype=np.float32).dtype == np.float32
    both = fb.expression("shape = length(pos); color = pos")
    assert np.array_equal(both.sample(axes)["color"], points)
    assert BALL.sample((axes[0], [], axes[2])).shape == (5, 0, 7)
    with pytest.raises(ArgumentError, match="2 axes"):
        BALL.sample(axes[:2])
    with pytest.raises(ArgumentError, match="int32"):
        BALL.sample(axes, dtype=np.int32)


def test_operators_are_those_of_sets() -> None:
    a, b = fb.sphere(5), fb.box((6, 6, 6))
    points = np.random.default_rng(3).uniform(-8, 8, (1000, 3))
    in_a, in_b = a(points) < 0, b(points) < 0
    for combined, expected in [
        (a | b, in_a | in_b),
        (a & b, in_a & in_b),
        (a - b, in_a & ~in_b),
        (~a, ~in_a),
        (
            a.union(b, fb.sphere(1).translate((7, 0, 0))),
            in_a | in_b | (np.linalg.norm(points - [7, 0, 0], axis=1) < 1),
        ),
    ]:
        assert np.array_equal(combined(points) < 0, expected)
    assert (a.union(b, smooth=2)(points) <= (a | b)(points)).all()
    assert a.union(b, fillet=1) != a.union(b, chamfer=1)
    with pytest.raises(ArgumentError, match="exclude each other"):
        a.union(b, smooth=1, fillet=1)
    for wrong in (operator.or_, operator.and_, operator.sub):
        with pytest.raises(TypeError):
            wrong(a, 3)


def test_shapes_are_moved() -> None:
    ball = fb.sphere(1)
    assert ball.translate((5, 0, 0))((5.0, 0.0, 0.0)) == -1.0
    assert ball.scale(3)((9.0, 0.0, 0.0)) == 6.0
    assert ball.scale((1, 2, 1))((0.0, 2.0, 0.0)) == 0.0
    assert fb.box((4, 2, 2)).rotate_z(math.pi / 2)((0.0, 3.0, 0.0)) == pytest.approx(1)
    assert fb.circle(2).extrude(4)((0.0, 0.0, 3.0)) == 1.0
    assert fb.rectangle(2, 2).translate((5, 0, 0)).revolve()((0.0, 6.0, 0.0)) == pytest.approx(0)


def test_sizes_may_be_functions() -> None:
    graded = fb.gyroid(8, fb.expression("1 + z / 20"))
    assert graded((1.0, 2.0, 10.0)) == fb.gyroid(8, 1.5)((1.0, 2.0, 10.0))
    assert type(fb.gyroid_thickness(10, 0.3)) is float
    assert isinstance(fb.gyroid_thickness(10, fb.expression("0.2 + z / 100")), fb.Function)
    with pytest.raises(ArgumentError, match="radius is str"):
        fb.sphere("5")


def test_every_function_of_the_library_is_there() -> None:
    import json

    from fibula import _native

    functions = json.loads(_native.library_functions())
    assert len(functions) > 80
    for function in functions:
        name = function["name"]
        found = getattr(fb, name, None) or getattr(fb.Function, name, None)
        assert callable(found), name
        assert found.__doc__, name


def test_equality_is_that_of_contents() -> None:
    assert fb.sphere(5) == fb.sphere(5)
    assert hash(fb.sphere(5)) == hash(fb.sphere(5))
    assert fb.sphere(5) != fb.sphere(6)
    assert fb.sphere(5) != 5
    assert fb.sphere(5).bind(radius=6) == fb.sphere(6)
    assert fb.sphere(5).named("Ball").name == "Ball"


def test_pickles_are_small_and_the_same() -> None:
    part = (fb.sphere(10) & fb.box((15, 15, 15))) - fb.cylinder(5, 40)
    packed = pickle.dumps(part)
    assert len(packed) < 2_000
    again = pickle.loads(packed)
    assert again == part
    assert pickle.dumps(again) == packed
    points = np.random.default_rng(4).normal(size=(100, 3))
    assert np.array_equal(again(points), part(points))
    from fibula import _native

    for damaged in (b"", b"fibula\x02", part.graph.packed()[:-4], part.graph.packed()[:40]):
        with pytest.raises(ArgumentError, match="no function of this version"):
            _native.unpack(damaged)


def test_shared_parts_stay_shared() -> None:
    part = fb.sphere(1)
    for _ in range(30):
        # Each step has the shape twice: 2^30 spheres, if it were not shared.
        part = part | part.translate((0.1, 0, 0))
    assert len(pickle.dumps(part)) < 20_000
    assert len(part.project().functions) < 100


def test_long_chains_do_not_overflow() -> None:
    chain = fb.sphere(1)
    for _ in range(3_000):
        chain = chain.offset(0.001)
    assert chain((5.0, 0.0, 0.0)) == pytest.approx(1)
    assert pickle.loads(pickle.dumps(chain)) == chain
    del chain


def test_threads_share_a_function() -> None:
    part = fb.gyroid(3, 0.5) & fb.sphere(9)
    points = np.random.default_rng(5).normal(size=(50_000, 3))
    expected = part(points)
    results: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: results.append(part(points))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert all(np.array_equal(result, expected) for result in results)


def test_a_million_points_are_not_copied() -> None:
    script = """
import resource
import numpy as np
import fibula as fb

part = fb.sphere(1) & fb.box((1, 1, 1))
points = np.random.default_rng(1).normal(size=(4_000_000, 3))
part(points[:100_000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
values = part(points)
strided = part(points[::-2])
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    # The results take 46 MiB, and a copy of the points would take 92.
    assert float(done.stdout) < 60


def test_functions_that_have_no_inside_are_refused() -> None:
    with pytest.raises(ShapeError, match="give bounds"):
        fb.expression("x").mesh()
    with pytest.raises(ShapeError, match="no float output"):
        fb.expression("pos").mesh()


def test_arguments_have_one_place_whatever_their_type() -> None:
    difference = fb.expression("a - b", a=5)
    for number in (3.0, np.float64(3.0), np.array([3.0])):
        # The first input is a, though it has a default.
        with pytest.raises(ArgumentError, match="b missing"):
            difference(number)
    assert difference(7.0, 3.0) == 4.0
    assert difference(b=3.0) == 2.0
    second = fb.expression("r * 0 + length(p)", r=1, p=[0, 0, 0]).closed()
    assert second() == 0.0


def test_defaults_are_finite_and_of_their_type() -> None:
    for value in (math.inf, math.nan):
        with pytest.raises(ArgumentError, match="finite"):
            fb.sphere(5).bind(radius=value)
        with pytest.raises(ArgumentError, match="finite"):
            fb.expression("length(pos) - r", r=value)
    with pytest.warns(ShapeWarning, match="radius"):
        fb.sphere(5).bind(radius=-1)
    moved = fb.expression("transform(m, pos)", m=np.eye(4))
    assert moved.bind(m=moved.inputs[1].default) == moved
    assert moved.bind(m=2 * np.eye(4))(np.ones((2, 3), dtype=np.float32)).dtype == np.float32
    with pytest.raises(ArgumentError):
        fb.sphere(5).named("")


def test_ranges_are_those_of_their_inputs() -> None:
    both = fb.expression("a * 1000 + length(pos)")
    assert [port.name for port in both.inputs] == ["pos", "a"]
    assert both.bounds(((0, 0, 0), (1, 0, 0)), (0, 2))[:2] == (0.0, 2001.0)
    with pytest.raises(ArgumentError, match="range of pos"):
        both.bounds((0, 2), ((0, 0, 0), (1, 1, 1)))


def test_what_is_no_shape_is_refused() -> None:
    ball = fb.sphere(5)
    for wrong in (
        lambda: ball.union(5),  # type: ignore[arg-type]
        lambda: ball.scale("2"),  # type: ignore[arg-type]
        lambda: ball.scale(ball),  # type: ignore[arg-type]
        lambda: ball.translate(np.zeros((3, 1))),
        lambda: ball.sample((np.ma.masked_array([1.0], [1]), [0.0], [0.0])),
        lambda: ball.sample((["a"], [0.0], [0.0])),
        lambda: fb.grid((0, 0, 0), (1, 1), 5),
        lambda: fb.expression("5").gradient(),
    ):
        with pytest.raises(ArgumentError):
            wrong()
    assert ball.scale(np.float32(2)) == ball.scale(2.0)

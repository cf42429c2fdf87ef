"""Functions: values that are called with numbers and numpy arrays, and combined by operators."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._display import Diagram
from ._library_methods import LibraryMethods
from ._progress import Progress, reported
from .errors import ArgumentError
from .part import Part, PartMethods

if TYPE_CHECKING:
    from .project import Project

__all__ = ["Bounds", "Function", "Number", "Port", "Vector", "expression", "grid"]

#: A number, or a function of the point that has one everywhere.
Number: TypeAlias = Union[float, "Function"]
#: Three numbers, or a function of the point that has them everywhere.
Vector: TypeAlias = Union[Sequence[float], npt.NDArray[np.float64], "Function"]


class Port(NamedTuple):
    """An input or output.

    Attributes:
        name: Its name.
        type: ``"float"``, ``"float3"`` or ``"matrix4x4"``.
        default: The value of an input that is left out; None if it has to be given.
    """

    name: str
    type: str
    default: Any = None


class Bounds(NamedTuple):
    """Bounds of an output in a region.

    Attributes:
        low: No value is below it: a float, or an array of the components.
        high: No value is above it.
        may_be_undefined: True if there may be points without a value (NaN).
    """

    low: Any
    high: Any
    may_be_undefined: bool


class Function(LibraryMethods, PartMethods, _native.Function):
    """A function of typed inputs, above all a signed distance: below 0 inside a shape, in millimetres.

    A function is a value: immutable, equal to another of the same content, hashable, and small when it is pickled.

    ``f(points)`` evaluates it. An input of type ``float3`` takes an array whose last axis has 3 coordinates, or a tuple
    ``(x, y, z)`` of numbers and arrays; one of type ``float`` a number or an array. Arrays of all inputs are broadcast. The
    result has their shape: a float for numbers, an array for arrays, a dict by name if there are several outputs. It is
    float32 if all arrays are, else float64. Inputs that have a default may be left out.

    ``a | b``, ``a & b`` and ``a - b`` are union, intersection and difference, and ``~a`` the complement. There is a method
    for each operator of the library: ``f.translate((1, 0, 0))``, ``f.shell(2)``, ``f.extrude(10)``, ...

    Make functions with :func:`fibula.expression`, with the library (``fibula.sphere(5)``), or take them out of projects.
    """

    _place: tuple[Project, int]

    def __repr__(self) -> str:
        ports = [
            f"{name}: {ty}" + ("" if value is None else f" = {value}") for name, ty, value in self.input_ports
        ]
        outputs = [f"{name}: {ty}" for name, ty, _ in self.output_ports]
        return f"<Function {self.name}({', '.join(ports)}) -> ({', '.join(outputs)})>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.graph.packed(),)

    def __dask_tokenize__(self) -> str:
        return self.digest

    @property
    def inputs(self) -> list[Port]:
        """The inputs, in their order."""
        ports = []
        for name, ty, text in self.input_ports:
            default = None if text is None else json.loads(text)
            if ty == "matrix4x4" and default is not None:
                default = np.reshape(default, (4, 4)).tolist()
            ports.append(Port(name, ty, default))
        return ports

    @property
    def outputs(self) -> list[Port]:
        """The outputs, in their order."""
        return [Port(name, ty) for name, ty, _ in self.output_ports]

    @property
    def expression(self) -> str:
        """The text of the function; functions that it calls have their names in it."""
        return self.text()

    def bind(self, **values: float | Sequence[float]) -> Function:
        """Returns the function with these values as defaults of its inputs."""
        return Function(self.graph.with_(None, _values(values)))

    def named(self, name: str) -> Function:
        """Returns the function under another name."""
        return Function(self.graph.with_(name, {}))

    def closed(self) -> Function:
        """Returns the function of those inputs only that have no default; the others become constants."""
        return Function(self.graph.closed())

    # Evaluation.

    def gradient(self, *arguments: Any, by: str | None = None, **keywords: Any) -> Any:
        """Derivatives of the outputs by an input.

        Args:
            arguments: As in a call of the function.
            by: Name of the input; the first if it is left out.
            keywords: As in a call of the function.

        Returns:
            For one output an array of the shape of the points, then the components of the output, then those of the
            input; a dict by name if there are several. At a kink it is the derivative of one side; where the value is
            NaN it means nothing.
        """
        return self.derivatives(arguments, keywords, by)

    def bounds(self, *ranges: Sequence[Any]) -> Any:
        """Bounds of the values in a region, by interval arithmetic: never wrong, but often wider than necessary.

        Args:
            ranges: For each input without a default its lower and upper bound: ``((-5, -5, -5), (5, 5, 5))`` for a
                point, ``(0, 2)`` for a number.

        Returns:
            :class:`Bounds`; a dict by name if there are several outputs.
        """
        open_inputs = [port for port in self.inputs if port.default is None]
        if len(ranges) != len(open_inputs):
            names = ", ".join(port.name for port in open_inputs)
            raise ArgumentError(
                "invalid_arguments",
                f"{len(ranges)} ranges are given for the inputs {names}",
                "give a lower and an upper bound for each input without a default",
            )
        widths = {"float": 1, "float3": 3, "matrix4x4": 16}
        region: list[tuple[float, float]] = []
        for port, given in zip(open_inputs, ranges):
            ends = [np.ravel(np.asarray(end, float)) for end in given]
            if [len(end) for end in ends] != 2 * [widths[port.type]]:
                raise ArgumentError(
                    "invalid_arguments",
                    f"the range of {port.name}: {port.type} is {given!r}",
                    "give its lower and its upper bound, each of its type",
                )
            region.extend(zip(*(end.tolist() for end in ends)))
        found = iter(self.intervals(region))
        bounds: dict[str, Bounds] = {}
        for port in self.outputs:
            own = [next(found) for _ in range(widths[port.type])]
            lows, highs = (np.array([one[end] for one in own]) for end in (0, 1))
            if port.type == "float":
                bounds[port.name] = Bounds(float(lows[0]), float(highs[0]), own[0][2])
            else:
                bounds[port.name] = Bounds(lows, highs, any(one[2] for one in own))
        return bounds if len(bounds) > 1 else next(iter(bounds.values()))

    def sample(
        self,
        axes: Sequence[npt.ArrayLike],
        *,
        dtype: npt.DTypeLike = np.float64,
        progress: Progress = None,
    ) -> Any:
        """Values on a grid; what depends on one axis only is computed once.

        Args:
            axes: The coordinates on each axis, as :func:`fibula.grid` makes them.
            dtype: float64 or float32.
            progress: Called with the work done and its total; True shows a bar of tqdm.

        Returns:
            An array with an axis for each of ``axes``, then the components of the output; a dict by name if there are
            several outputs.
        """
        kind = np.dtype(dtype)
        if kind not in (np.dtype(np.float64), np.dtype(np.float32)):
            raise ArgumentError("invalid_arguments", f"dtype is {kind}", "use float64 or float32")
        lines = []
        for axis in axes:
            line = np.atleast_1d(np.asarray(axis))
            if np.ma.isMaskedArray(axis) or (line.size and line.dtype.kind not in "biuf") or line.ndim != 1:
                raise ArgumentError(
                    "invalid_arguments",
                    f"an axis is {axis!r}",
                    "an axis is an array of one axis with the coordinates, which are numbers",
                )
            lines.append(np.ascontiguousarray(line, dtype=kind))
        sample = self.grid_single if kind.itemsize == 4 else self.grid_double
        with reported(progress) as report:
            found = sample(lines, report)
        values: dict[str, Any] = {}
        for port in self.outputs:
            components = found[port.name]
            shape = components.shape[1:]
            match port.type:
                case "float":
                    values[port.name] = components[0]
                case "float3":
                    values[port.name] = np.moveaxis(components, 0, -1)
                case _:
                    values[port.name] = np.moveaxis(components, 0, -1).reshape(*shape, 4, 4)
        return values if len(values) > 1 else next(iter(values.values()))

    # Combination.

    def __or__(self, other: Function) -> Function:
        return self.union(other) if isinstance(other, Function) else NotImplemented

    def __and__(self, other: Function) -> Function:
        return self.intersection(other) if isinstance(other, Function) else NotImplemented

    def __sub__(self, other: Function) -> Function:
        return self.difference(other) if isinstance(other, Function) else NotImplemented

    def __invert__(self) -> Function:
        return expression("-(f(pos))", name="Complement", f=self)

    def union(
        self,
        *others: Function,
        smooth: float | None = None,
        fillet: float | None = None,
        chamfer: float | None = None,
    ) -> Function:
        """The union with other shapes.

        Args:
            others: The other shapes.
            smooth: Blends them where their distances differ by less than this.
            fillet: Radius of a circular fillet between them.
            chamfer: Leg of a chamfer between them.
        """
        return self._combined("union", others, smooth, fillet, chamfer)

    def intersection(
        self,
        *others: Function,
        smooth: float | None = None,
        fillet: float | None = None,
        chamfer: float | None = None,
    ) -> Function:
        """What is in this and all other shapes; options as for :meth:`union`."""
        return self._combined("intersection", others, smooth, fillet, chamfer)

    def difference(
        self,
        *others: Function,
        smooth: float | None = None,
        fillet: float | None = None,
        chamfer: float | None = None,
    ) -> Function:
        """This shape without the others; options as for :meth:`union`."""
        return self._combined("difference", others, smooth, fillet, chamfer)

    def _combined(
        self,
        operator: str,
        others: Sequence[Function],
        smooth: float | None,
        fillet: float | None,
        chamfer: float | None,
    ) -> Function:
        edges = {"smooth_": smooth, "fillet_": fillet, "chamfer_": chamfer}
        given = [(prefix, size) for prefix, size in edges.items() if size is not None]
        if len(given) > 1:
            raise ArgumentError(
                "invalid_arguments", "smooth, fillet and chamfer exclude each other", "give one of them"
            )
        prefix, size = given[0] if given else ("", None)
        combined = self
        for other in others:
            if not isinstance(other, Function):
                raise ArgumentError("invalid_arguments", f"{other!r} is no function", "give shapes")
            sizes = [] if size is None else [("size", size)]
            combined = call_library(prefix + operator, [("a", combined), ("b", other), *sizes])
        return combined

    def scale(self, factor: float | Sequence[float]) -> Function:
        """The shape scaled about the origin.

        Args:
            factor: A number, which keeps distances exact; or three for the axes, with which the value is a bound of the
                distance.
        """
        by = _literal("factor", factor)
        least = float(np.min(np.asarray(factor, dtype=float)))
        if not least > 0:
            raise ArgumentError("invalid_value", f"factor is {factor}", "give factors above 0")
        return expression(
            f"let factor = {by}; f(pos / factor) * {_literal('factor', least)}", name="scale", f=self
        )

    # As a part.

    def project(self) -> Project:
        """A new project in memory with this function, and what it calls."""
        return self._placed()[0]

    def _placed(self) -> tuple[Project, int]:
        """A new project with the function, and its id there."""
        from .project import open_in_memory

        project = open_in_memory()
        return project, project.add(self)

    def _located(self) -> tuple[Project, dict[str, Any]]:
        # Nobody else has that project, which is made once.
        try:
            project, number = self._place
        except AttributeError:
            project, number = self._place = self._placed()
        return project, {"function_id": number}

    def part(self, output: str | None = None) -> Part:
        """The function as a part: what is inside where its output, the first float if it is not named, is below 0."""
        project, subject = self._located()
        return Part(project, subject if output is None else {**subject, "output": output})

    def draw(self) -> Diagram:
        """Draws the graph of the function, which a notebook shows."""
        project, subject = self._located()
        svg, _ = project._call("get_function_picture", {**subject, "format": "svg"})
        return Diagram(svg.decode())

    def _repr_svg_(self) -> str | None:
        # A larger graph is no picture for a notebook; draw() makes it.
        return self.draw().svg if self.node_count <= 200 else None

    def save(self, path: str | os.PathLike[str], *, progress: Progress = None, **options: Any) -> list[str]:
        """Writes the shape to a file: the function itself as a level set of 3MF if the path ends with .3mf, else triangles or
        slices, see :meth:`fibula.Part.save`.

        Args:
            path: The file, which is replaced if it exists.
            progress: Called with the work done and its total; True shows a bar of tqdm.
            options: For 3MF ``bounds`` and ``dialect`` as for :func:`fibula.write`; else as for :meth:`fibula.Part.save`.

        Returns:
            What is not as it was asked for.
        """
        if Path(path).suffix.lower() == ".3mf":
            from .project import write

            return write(path, self, progress=progress, **options)
        return super().save(path, progress=progress, **options)


def _unpickled(packed: bytes) -> Function:
    return Function(_native.unpack(packed))


def _values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of inputs, of the types that the extension module reads."""
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()}


def expression(
    text: str, /, *, name: str = "expression", **bindings: Function | float | Sequence[float]
) -> Function:
    """Makes a function from an expression.

    ``fb.expression("length(pos) - r", r=5)`` is a ball: ``pos`` is the point, ``x``, ``y`` and ``z`` are its coordinates, and
    other free names are inputs. Numbers are defaults of inputs, and functions are called by their names in the text, as
    are those of the library: ``fb.expression("max(part(pos), gyroid(pos, 8, 1))", part=part)``.

    Args:
        text: The expression; docs/tutorial.md describes the language.
        name: Name of the function.
        bindings: Numbers, lists of three numbers, four rows of four numbers, and functions, by their names in
            the text.

    Raises:
        ArgumentError: The text is invalid; the message has the place.
    """
    functions = [(key, one.graph) for key, one in bindings.items() if isinstance(one, Function)]
    numbers = {key: one for key, one in bindings.items() if not isinstance(one, Function)}
    return Function(_native.compile(name, text, functions, _values(numbers)))


def grid(
    low: Sequence[float], high: Sequence[float], count: int | Sequence[int]
) -> tuple[npt.NDArray[np.float64], ...]:
    """The coordinates of a grid from one corner to the other, both included: an array for each axis.

    Args:
        low: The lower corner.
        high: The upper corner.
        count: Number of points along each axis, or one for all.
    """
    if len(low) != len(high):
        raise ArgumentError(
            "invalid_arguments",
            f"the corners have {len(low)} and {len(high)} coordinates",
            "give both as many as the grid has axes",
        )
    counts = np.broadcast_to(count, len(low))
    return tuple(np.linspace(*ends) for ends in zip(low, high, counts.tolist()))


def _literal(name: str, value: Any) -> str:
    """A number or a vector as it is written in an expression."""
    try:
        array = np.asarray(None if isinstance(value, str) else value, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    numbers = array.ravel().tolist() if array.shape in ((), (3,)) else []
    if not numbers or not all(map(math.isfinite, numbers)):
        raise ArgumentError("invalid_value", f"{name} is {value!r}", "give a finite number, or three of them")
    texts = [repr(one) for one in numbers]
    return texts[0] if len(texts) == 1 else f"vec3({', '.join(texts)})"


def call_library(
    function: str,
    arguments: Sequence[tuple[str, Any]],
    *,
    point: str | None = None,
    at: Function | None = None,
) -> Function:
    """The function of a call of the library.

    Numbers become named parameters of the function.

    Args:
        function: Name in the library.
        arguments: Names and values, in the order of the inputs after the point.
        point: Name of the input for the point, if it has one.
        at: A shape that is evaluated at the point that the call returns.
    """
    statements: list[str] = []
    passed: list[str] = [] if point is None else ["pos"]
    bound: dict[str, Function] = {}
    if at is not None:
        bound["shape_"] = at
    for name, value in arguments:
        if isinstance(value, Function):
            bound[f"{name}_"] = value
            inputs = [port.name for port in value.inputs if port.default is None]
            passed.append(f"{name}_({'pos' if inputs else ''})")
        else:
            statements.append(f"let {name} = {_literal(name, value)}")
            passed.append(name)
    call = f"{function}({', '.join(passed)})"
    statements.append(call if at is None else f"shape_({call})")
    name = "".join(word.capitalize() for word in function.split("_"))
    return expression("; ".join(statements), name=name, **bound)


def from_library(function: str, values: Mapping[str, Any], point: str) -> Function:
    """A shape of the library; numbers are defaults of its inputs.

    Args:
        function: Name in the library.
        values: The inputs after the point.
        point: Name of the input for the point.
    """
    if any(isinstance(value, Function) for value in values.values()):
        return call_library(function, list(values.items()), point=point)
    return Function(_native.from_library(function, _values(values)))


def number_of(function: str, values: Mapping[str, Any]) -> Any:
    """A number of the library: a float for numbers, a function if one of the values is one."""
    if any(isinstance(value, Function) for value in values.values()):
        return call_library(function, list(values.items()))
    return Function(_native.from_library(function, {}))(**values)

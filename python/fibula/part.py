"""Parts: what has an inside, to be meshed, measured, sliced and drawn."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ._display import Picture
from ._progress import Progress, reported
from ._project_operations import FORMATS
from .errors import ArgumentError

if TYPE_CHECKING:
    import trimesh

    from .project import Project

__all__ = ["Box", "Contour", "Masks", "Mesh", "Part", "Slice", "Slices"]

#: Minimum and maximum corner of a box.
Box: TypeAlias = Sequence[Sequence[float]] | npt.NDArray[np.float64]

# Requests have a limit of time of their own, which is for servers.
_MOST_SECONDS = 3600


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh.

    Attributes:
        vertices: Positions, float64 of shape (vertices, 3), in the unit of the project.
        faces: Vertex indexes of the triangles, uint32 of shape (triangles, 3), counter-clockwise as seen from outside.
        colors: Linear red, green and blue of each vertex, float32 of shape (vertices, 3), if the part has colours.
        parts: Properties of each part: volume, area, bounds, whether it is closed, the deviation, ...; None if the mesh was
            not checked.
        unit: The unit of length, such as "millimeter".
        warnings: What is not as it was asked for, such as walls that are thinner than a cell.
    """

    vertices: npt.NDArray[np.float64] = field(repr=False)
    faces: npt.NDArray[np.uint32] = field(repr=False)
    colors: npt.NDArray[np.float32] | None = field(repr=False)
    parts: list[dict[str, Any]] | None
    unit: str
    warnings: list[str]

    @property
    def volume(self) -> float:
        """Volume inside the triangles, in the cube of the unit."""
        a, b, c = (self.vertices[self.faces[:, corner]] for corner in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)

    def to_trimesh(self) -> trimesh.Trimesh:
        """The same mesh for the package trimesh, which has to be installed; vertices and faces keep their order."""
        import trimesh

        colors = None
        if self.colors is not None:
            # trimesh has sRGB in bytes.
            linear = np.clip(self.colors, 0, 1)
            srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
            colors = np.round(255 * srgb).astype(np.uint8)
        faces = self.faces.astype(np.int64)
        return trimesh.Trimesh(self.vertices, faces, vertex_colors=colors, process=False)


@dataclass(frozen=True, eq=False)
class Contour:
    """A closed polygon around material or a hole.

    Attributes:
        points: Corners, float64 of shape (corners, 2): counter-clockwise around material, clockwise around a hole. The
            first is not repeated.
        depth: Number of contours around it: odd for holes.
    """

    points: npt.NDArray[np.float64] = field(repr=False)
    depth: int

    @property
    def area(self) -> float:
        """Enclosed area; negative for a hole."""
        x, y = self.points.T
        return float(0.5 * (x * np.roll(y, -1) - np.roll(x, -1) * y).sum())


@dataclass(frozen=True, eq=False)
class Slice:
    """A slice across z.

    Attributes:
        z: Height.
        contours: The contours.
        area_error: Error of the area.
    """

    z: float
    contours: list[Contour]
    area_error: float | None

    @property
    def area(self) -> float:
        """Area of the material."""
        return sum((contour.area for contour in self.contours), 0.0)


@dataclass(frozen=True, eq=False)
class Slices(Sequence[Slice]):
    """Slices, in the order of the heights.

    Attributes:
        slices: The slices.
        bounds: Minimum and maximum corner of the part.
        tolerance: Maximum deviation of the contours.
        unit: The unit of length.
        warnings: What is not as it was asked for.
    """

    slices: list[Slice]
    bounds: list[list[float]]
    tolerance: float
    unit: str
    warnings: list[str]

    def __len__(self) -> int:
        return len(self.slices)

    def __getitem__(self, place: Any) -> Any:
        return self.slices[place]


@dataclass(frozen=True, eq=False)
class Masks:
    """Pixels inside the part, for printers that expose whole layers.

    Attributes:
        pixels: bool of shape (layers, rows, columns): rows from the lowest y on, columns from the lowest x on.
        heights: Height of each layer, float64.
        bounds: Minimum and maximum corner of what the masks show.
        pixel: Side of a pixel.
        warnings: What is not as it was asked for.
    """

    pixels: npt.NDArray[np.bool_] = field(repr=False)
    heights: npt.NDArray[np.float64]
    bounds: list[list[float]]
    pixel: float
    warnings: list[str]


def _json(members: Mapping[str, Any]) -> str:
    """The members as JSON.

    Raises:
        ArgumentError: A number is NaN or infinite, or a value has no form in JSON.
    """
    try:
        return json.dumps(_plain(dict(members)), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            "invalid_value", f"the arguments cannot be sent: {error}", "give finite numbers"
        ) from None


def _plain(value: Any) -> Any:
    """The value for JSON: arrays as lists."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return value


def _request(**members: Any) -> dict[str, Any]:
    """The members that are given."""
    return {name: _plain(value) for name, value in members.items() if value is not None}


class PartMethods:
    """Methods of parts, and of functions as parts."""

    def _located(self) -> tuple[Project, dict[str, Any]]:
        """The project that has the part, and the part as requests name it."""
        raise NotImplementedError

    def _arrays(self, method: str, members: dict[str, Any], progress: Progress) -> Any:
        """What a method of the extension module returns for the part."""
        project, subject = self._located()
        with reported(progress) as report:
            return getattr(project._native, method)(_json({**subject, **members}), report)

    def _answer(self, operation: str, members: dict[str, Any], progress: Progress) -> Any:
        """The answer of an operation about the part."""
        project, subject = self._located()
        request = {**subject, "time_limit": _MOST_SECONDS, **members}
        return project._call(operation, request, progress)

    def mesh(
        self,
        *,
        cell: float | None = None,
        accuracy: float | None = None,
        simplify: float | None = None,
        remove: Sequence[Literal["loose_pieces", "cavities"]] = (),
        bounds: Box | None = None,
        check: bool = True,
        progress: Progress = None,
    ) -> Mesh:
        """Meshes the part by dual contouring: closed, manifold, with sharp edges.

        Args:
            cell: Longest edge of a cell: smaller details are lost. By default a hundredth of the longest side, or less
                if walls or gaps are thinner.
            accuracy: Maximum deviation of the surface, from which the cell and a simplification follow. By default,
                without a cell, a thousandth of the longest side.
            simplify: Removes triangles as long as the surface moves no farther than this.
            remove: ``loose_pieces`` removes what is not connected with the largest piece, ``cavities`` fills hollows without a
                way out; ``removed`` of the mesh's ``parts`` tells what.
            bounds: Part of space that is meshed.
            check: False leaves out what takes most of the time: the search for triangles that cut each other, for details
                that the cells lost, and the properties of the mesh. It needs a cell.
            progress: Called with the work done and its total; True shows a bar of tqdm.

        Raises:
            ShapeError: Nothing is inside, or the shape has no bounds.
            LimitError: There would be too many cells.
        """
        request = _request(cell=cell, accuracy=accuracy, simplify=simplify, remove=list(remove), bounds=bounds)
        if not check:
            vertices, faces, info = self._arrays("unchecked_mesh", request, progress)
            facts = json.loads(info)
            return Mesh(vertices, faces, None, None, facts["unit"], facts["warnings"])
        vertices, faces, colors, info = self._arrays("mesh", request, progress)
        facts = json.loads(info)
        return Mesh(vertices, faces, colors, facts["info"]["parts"], facts["unit"], facts["warnings"])

    def slice(
        self,
        heights: Sequence[float] | npt.NDArray[np.float64] | None = None,
        *,
        layer: float | None = None,
        cell: float | None = None,
        accuracy: float | None = None,
        tolerance: float | None = None,
        bounds: Box | None = None,
        progress: Progress = None,
    ) -> Slices:
        """Slices the part across z.

        Args:
            heights: Heights of the slices.
            layer: Or the thickness of layers, which are sliced in their middles.
            cell: Longest edge of a cell: smaller details are lost; by default a 500th of the longer side.
            accuracy: Maximum deviation of the contours, from which the cell follows too.
            tolerance: Maximum deviation of the contours; by default a tenth of a cell.
            bounds: Part of space that is sliced.
            progress: Called with the work done and its total; True shows a bar of tqdm.
        """
        request = _request(
            heights=None if heights is None else list(heights),
            layer=layer,
            cell=cell,
            accuracy=accuracy,
            tolerance=tolerance,
            bounds=bounds,
        )
        found, info = self._arrays("slices", request, progress)
        facts = json.loads(info)
        slices = [
            Slice(z, [Contour(points, depth) for points, depth in contours], error)
            for z, contours, error in found
        ]
        return Slices(slices, facts["bounds"], facts["tolerance"], facts["unit"], facts["warnings"])

    def mask(
        self,
        *,
        pixel: float,
        heights: Sequence[float] | npt.NDArray[np.float64] | None = None,
        layer: float | None = None,
        bounds: Box | None = None,
        progress: Progress = None,
    ) -> Masks:
        """Rasterizes layers of the part: a pixel is set if its middle is inside. Layers are in the order of their heights, from
        the lowest on.

        Args:
            pixel: Side of a pixel.
            heights: Heights of the layers.
            layer: Or the thickness of layers, which are shown in their middles.
            bounds: Part of space that is shown.
            progress: Called with the work done and its total; True shows a bar of tqdm.
        """
        request = _request(
            pixel=pixel,
            heights=None if heights is None else list(heights),
            layer=layer,
            bounds=bounds,
        )
        pixels, at, info = self._arrays("masks", request, progress)
        facts = json.loads(info)
        return Masks(pixels, at, facts["bounds"], facts["pixel"], facts["warnings"])

    def measure(self, *figures: str, progress: Progress = None, **options: Any) -> dict[str, Any]:
        """Measures the part: each figure has a value and an error.

        Args:
            figures: Names of figures, such as "volume", "area", "bounds", "wall"; all if left out.
            progress: Called with the work done and its total; True shows a bar of tqdm.
            options: Members of the request: cell, accuracy, density, thickness_at, ...; ``help(Project.measure)``
                lists them.
        """
        if figures:
            options["figures"] = list(figures)
        answer: dict[str, Any] = self._answer("measure", {"digits": "full", **options}, progress)
        return answer

    def render(self, *, progress: Progress = None, **options: Any) -> Picture:
        """Draws the part as a PNG picture, which a notebook shows.

        Args:
            progress: Called with the work done and its total; True shows a bar of tqdm.
            options: Members of the request: view ("iso", "front", "sheet", ...), size, section ({"x": 0}), orbit, zoom,
                color, bounds, ...; ``help(Project.render)`` lists them.
        """
        png, warnings = self._answer("render", options, progress)
        return Picture(png, warnings)

    def save(self, path: str | os.PathLike[str], *, progress: Progress = None, **options: Any) -> list[str]:
        """Writes triangles or slices to a file, whose ending is the format: stl, obj, ply, glb, svg, cli, json; 3mf is the
        whole project.

        Args:
            path: The file, which is replaced if it exists.
            progress: Called with the work done and its total; True shows a bar of tqdm.
            options: Members of the request: cell, accuracy, simplify, heights, layer, ...; ``help(Project.export)``
                lists them.

        Returns:
            What is not as it was asked for.
        """
        path = Path(path)
        ending = path.suffix.removeprefix(".").lower()
        if "format" not in options and ending not in FORMATS:
            raise ArgumentError(
                "unknown_format",
                f"the ending of {path.name!r} is no format of parts",
                f"use one of .{', .'.join(FORMATS)}",
            )
        request = {"format": ending, **options}
        contents, warnings = self._answer("export", request, progress)
        path.write_bytes(contents)
        return list(warnings)


class Part(PartMethods):
    """The build, an object or a function of a project, as something with an inside.

    A function is below 0 inside. Lengths are in the unit of the project, millimetres unless a file says otherwise.
    """

    def __init__(self, project: Project, subject: dict[str, Any]) -> None:
        self._project = project
        self._subject = subject

    def __repr__(self) -> str:
        return f"<Part of {self._project!r}: {self._subject or 'the build'}>"

    def _located(self) -> tuple[Project, dict[str, Any]]:
        return self._project, self._subject

"""The operators of the library as methods of functions, see docs/library.md."""

# Written by python/generate.py.

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from .function import Function, Number, Vector


class LibraryMethods:
    """Methods of :class:`fibula.Function`."""

    def extrude(self, height: Number = 10.0) -> Function:
        """A profile, extruded along z, half of it above the origin.

        Args:
            height: The length along z (length).

        Value: the exact distance, if the distances are exact.
        """
        from .function import call_library

        return call_library("extrude", [("distance", cast("Function", self)), ("height", height)], point="pos")

    def extrude_rounded(self, height: Number = 10.0, radius: Number = 1.0) -> Function:
        """A profile, extruded along z, half of it above the origin, with rounded upper and lower edges; the
        rounds are part of its size. Exact if all corners of the profile have at least this radius.

        Args:
            height: The length along z (length).
            radius: The radius of the edges, at most half of the height and of the width of the profile
                (length).

        Value: a bound: its magnitude never exceeds the distance, if the distances are exact.
        """
        from .function import call_library

        return call_library(
            "extrude_rounded",
            [("distance", cast("Function", self)), ("height", height), ("radius", radius)],
            point="pos",
        )

    def extrude_chamfered(self, height: Number = 10.0, leg: Number = 1.0) -> Function:
        """A profile, extruded along z, half of it above the origin, with chamfered upper and lower edges.

        Args:
            height: The length along z (length).
            leg: How far the chamfer reaches from the edge along each face, at most half of the height and of
                the width of the profile; its width is 1.414 times this (length).

        Value: a bound: its magnitude never exceeds the distance, if the distances are exact.
        """
        from .function import call_library

        return call_library(
            "extrude_chamfered",
            [("distance", cast("Function", self)), ("height", height), ("leg", leg)],
            point="pos",
        )

    def extrude_tapered(self, height: Number = 10.0, draft: Number = 0.05) -> Function:
        """A profile, extruded along z, half of it above the origin with a draft: its sides lean inwards from
        the lower end on, where the profile has its size, by an equal amount everywhere. Corners stay sharp
        where the profile becomes smaller, and are rounded where it becomes larger.

        Args:
            height: The length along z (length).
            draft: The angle of the sides from upright, below a quarter turn; a negative one leans outwards
                (radians).

        Value: a bound: its magnitude never exceeds the distance, if the distances are exact.
        """
        from .function import call_library

        return call_library(
            "extrude_tapered",
            [("distance", cast("Function", self)), ("height", height), ("draft", draft)],
            point="pos",
        )

    def revolve(self) -> Function:
        """Revolution about z: evaluate a profile at this point to revolve it; its x is the distance from the
        axis, its y the height. For a part of a turn, intersect with `sector`.
        """
        from .function import call_library

        return call_library("revolve", [], point="pos", at=cast("Function", self))

    def sweep_arc(self, radius: Number = 20.0) -> Function:
        """Sweep along an arc: evaluate an extrusion along z at this point to bend it; the path begins at the
        origin along z and bends towards x. An extrusion from 0 to radius * angle along z is an arc of that
        angle, at most half a turn; for more, intersect `revolve` with `sector`.

        Args:
            radius: The radius of the path (length).
        """
        from .function import call_library

        return call_library("sweep_arc", [("radius", radius)], point="pos", at=cast("Function", self))

    def helix(self, radius: Number = 10.0, pitch: Number = 5.0) -> Function:
        """Sweep along a helix about the z axis, as for springs and threads: evaluate an extrusion along z at
        this point to wind it; the path begins at the radius on the x axis and rises counterclockwise. x points
        outwards, and z is the length along the path: n turns are n * sqrt((2 * pi * radius)^2 + pitch^2) long.

        Args:
            radius: The radius of the path (length).
            pitch: The rise of a turn (length).
        """
        from .function import call_library

        return call_library(
            "helix", [("radius", radius), ("pitch", pitch)], point="pos", at=cast("Function", self)
        )

    def loft(self, b: Function, height: Number = 10.0) -> Function:
        """A loft along z: one profile at the lower end, another at the upper one, and between them the mixture
        of their distances, whose corners are rounded.

        Args:
            b: The distance to the upper one (length).
            height: The length along z (length).

        Value: a field: not a distance, if the distances are exact.
        """
        from .function import call_library

        return call_library("loft", [("a", cast("Function", self)), ("b", b), ("height", height)], point="pos")

    def fillet_union(self, b: Function, radius: Number = 2.0, angle: Number = 1.5707963267948966) -> Function:
        """The union of two shapes, with a fillet between them. Of planes that meet at the angle it is a
        circular arc of exactly this radius, and the distance is exact; elsewhere the value may exceed the
        distance. Where both shapes have surfaces closer to each other than the radius that do not meet, as
        flush faces do, it bulges: use half spaces and `slab` there, and cut the result.

        Args:
            b: The distance to the other (length).
            radius: The radius (length).
            angle: The angle at which the surfaces meet, through the empty space (radians).

        Value: a field: not a distance, if the distances are exact.
        """
        from .function import call_library

        return call_library(
            "fillet_union", [("a", cast("Function", self)), ("b", b), ("radius", radius), ("angle", angle)]
        )

    def fillet_intersection(
        self, b: Function, radius: Number = 2.0, angle: Number = 1.5707963267948966
    ) -> Function:
        """The intersection of two shapes, with a round at their common edge. Of planes that meet at the angle
        it is a circular arc of exactly this radius, and the distance is exact; elsewhere the value may exceed
        the distance.

        Args:
            b: The distance to the other (length).
            radius: The radius (length).
            angle: The angle at which the surfaces meet, through the material (radians).

        Value: a field: not a distance, if the distances are exact.
        """
        from .function import call_library

        return call_library(
            "fillet_intersection",
            [("a", cast("Function", self)), ("b", b), ("radius", radius), ("angle", angle)],
        )

    def fillet_difference(
        self, b: Function, radius: Number = 2.0, angle: Number = 1.5707963267948966
    ) -> Function:
        """The first shape without the second, with a round at the rim. Of planes that meet at the angle it is a
        circular arc of exactly this radius, and the distance is exact; elsewhere the value may exceed the
        distance.

        Args:
            b: The distance to the shape to subtract (length).
            radius: The radius (length).
            angle: The angle at which the surfaces meet, through the material (radians).

        Value: a field: not a distance, if the distances are exact.
        """
        from .function import call_library

        return call_library(
            "fillet_difference", [("a", cast("Function", self)), ("b", b), ("radius", radius), ("angle", angle)]
        )

    def chamfer_union(self, b: Function, leg: Number = 2.0, angle: Number = 1.5707963267948966) -> Function:
        """The union of two shapes, with a chamfer in the corner between them. Of planes that meet at the angle
        it has exactly this size; elsewhere the value may exceed the distance.

        Args:
            b: The distance to the other (length).
            leg: How far the chamfer reaches from the edge along each surface; between perpendicular ones its
                width is 1.414 times this (length).
            angle: The angle at which the surfaces meet, through the empty space (radians).

        Value: a field: not a distance, if the distances are exact.
        """
        from .function import call_library

        return call_library(
            "chamfer_union", [("a", cast("Function", self)), ("b", b), ("leg", leg), ("angle", angle)]
        )

    def chamfer_intersection(
        self, b: Function, leg: Number = 2.0, angle: Number = 1.5707963267948966
    ) -> Function:
        """The intersection of two shapes, with a chamfer at their common edge. Of planes that meet at the angle
        it has exactly this size; elsewhere the value may exceed the distance.

        Args:
            b: The distance to the other (length).
            leg: How far the chamfer reaches from the edge along each surface; between perpendicular ones its
                width is 1.414 times this (length).
            angle: The angle at which the surfaces meet, through the material (radians).

        Value: a field: not a distance, if the distances are exact.
        """
        from .function import call_library

        return call_library(
            "chamfer_intersection", [("a", cast("Function", self)), ("b", b), ("leg", leg), ("angle", angle)]
        )

    def chamfer_difference(
        self, b: Function, leg: Number = 2.0, angle: Number = 1.5707963267948966
    ) -> Function:
        """The first shape without the second, with a chamfer at the rim. Of planes that meet at the angle it
        has exactly this size; elsewhere the value may exceed the distance.

        Args:
            b: The distance to the shape to subtract (length).
            leg: How far the chamfer reaches from the edge along each surface; between perpendicular ones its
                width is 1.414 times this (length).
            angle: The angle at which the surfaces meet, through the material (radians).

        Value: a field: not a distance, if the distances are exact.
        """
        from .function import call_library

        return call_library(
            "chamfer_difference", [("a", cast("Function", self)), ("b", b), ("leg", leg), ("angle", angle)]
        )

    def smooth_union(self, b: Function, radius: Number = 2.0) -> Function:
        """The union of two shapes, blended where their distances differ by less than `radius`. The blend is a
        parabola; `fillet_union` is a circular fillet.

        Args:
            b: The distance to the other (length).
            radius: The difference of the distances up to which they blend (length).

        Value: a bound: its magnitude never exceeds the distance, if the distances are exact.
        """
        from .function import call_library

        return call_library("smooth_union", [("a", cast("Function", self)), ("b", b), ("radius", radius)])

    def smooth_intersection(self, b: Function, radius: Number = 2.0) -> Function:
        """The intersection of two shapes, blended where their distances differ by less than `radius`. The blend
        is a parabola; `fillet_intersection` is a circular round.

        Args:
            b: The distance to the other (length).
            radius: The difference of the distances up to which they blend (length).

        Value: a bound: its magnitude never exceeds the distance, if the distances are exact.
        """
        from .function import call_library

        return call_library(
            "smooth_intersection", [("a", cast("Function", self)), ("b", b), ("radius", radius)]
        )

    def smooth_difference(self, b: Function, radius: Number = 2.0) -> Function:
        """The first shape without the second, its rim blended where the distances differ by less than `radius`.
        The blend is a parabola; `fillet_difference` is a circular round.

        Args:
            b: The distance to the shape to subtract (length).
            radius: The difference of the distances up to which they blend (length).

        Value: a bound: its magnitude never exceeds the distance, if the distances are exact.
        """
        from .function import call_library

        return call_library("smooth_difference", [("a", cast("Function", self)), ("b", b), ("radius", radius)])

    def shell(self, thickness: Number = 1.0) -> Function:
        """A wall along a shape's surface, half of it inside. Of the stated thickness where `distance` is a
        distance.

        Args:
            thickness: The wall's thickness (length).

        Value: a bound: its magnitude never exceeds the distance, if the distances are exact.
        """
        from .function import call_library

        return call_library("shell", [("distance", cast("Function", self)), ("thickness", thickness)])

    def hollow(self, thickness: Number = 2.0) -> Function:
        """A shape with a cavity: a wall along its surface, all of it inside; `hole` drains it. Of the stated
        thickness where `distance` is a distance.

        Args:
            thickness: The wall's thickness (length).

        Value: a bound: its magnitude never exceeds the distance, if the distances are exact.
        """
        from .function import call_library

        return call_library("hollow", [("distance", cast("Function", self)), ("thickness", thickness)])

    def thicken(self, thickness: Number = 2.0) -> Function:
        """A wall along a shape's surface, all of it outside. Of the stated thickness where `distance` is a
        distance.

        Args:
            thickness: The wall's thickness (length).

        Value: a bound: its magnitude never exceeds the distance, if the distances are exact.
        """
        from .function import call_library

        return call_library("thicken", [("distance", cast("Function", self)), ("thickness", thickness)])

    def offset(self, amount: Number = 1.0) -> Function:
        """Grows a shape by an amount on all sides, or shrinks it if the amount is negative: exactly where
        `distance` is a distance.

        Args:
            amount: The distance by which it grows (length).

        Value: a bound: its magnitude never exceeds the distance, if the distances are exact.
        """
        from .function import call_library

        return call_library("offset", [("distance", cast("Function", self)), ("amount", amount)])

    def blend(self, b: Function, weight: Number = 0.5) -> Function:
        """Linear interpolation between two shapes: the first at weight 0, the second at weight 1.

        Args:
            b: The distance to the other (length).
            weight: The share of the second shape; may be a field.

        Value: a field: not a distance, if the distances are exact.
        """
        from .function import call_library

        return call_library("blend", [("a", cast("Function", self)), ("b", b), ("weight", weight)])

    def translate(self, by: Vector = (0.0, 0.0, 0.0)) -> Function:
        """Translation: evaluate a shape at this point to move it.

        Args:
            by: The translation (length).
        """
        from .function import call_library

        return call_library("translate", [("by", by)], point="pos", at=cast("Function", self))

    def rotate_x(self, angle: Number = 0.0) -> Function:
        """Rotation about the x axis: evaluate a shape at this point to rotate it.

        Args:
            angle: The angle, from y towards z (radians).
        """
        from .function import call_library

        return call_library("rotate_x", [("angle", angle)], point="pos", at=cast("Function", self))

    def rotate_y(self, angle: Number = 0.0) -> Function:
        """Rotation about the y axis: evaluate a shape at this point to rotate it.

        Args:
            angle: The angle, from z towards x (radians).
        """
        from .function import call_library

        return call_library("rotate_y", [("angle", angle)], point="pos", at=cast("Function", self))

    def rotate_z(self, angle: Number = 0.0) -> Function:
        """Rotation about the z axis: evaluate a shape at this point to rotate it.

        Args:
            angle: The angle, from x towards y (radians).
        """
        from .function import call_library

        return call_library("rotate_z", [("angle", angle)], point="pos", at=cast("Function", self))

    def rotate(self, axis: Vector = (0.0, 0.0, 1.0), angle: Number = 0.0) -> Function:
        """Rotation about an axis through the origin: evaluate a shape at this point to rotate it.

        Args:
            axis: The axis, of any length but 0.
            angle: The angle, counterclockwise as seen against the axis (radians).
        """
        from .function import call_library

        return call_library(
            "rotate", [("axis", axis), ("angle", angle)], point="pos", at=cast("Function", self)
        )

    def mirror(self, normal: Vector = (1.0, 0.0, 0.0), offset: Number = 0.0) -> Function:
        """Reflection at a plane: evaluate a shape at this point to replace its part behind the plane with the
        mirror image of its part in front.

        Args:
            normal: From the plane to the part that is kept, of any length but 0.
            offset: From the origin to the plane, along the normal (length).
        """
        from .function import call_library

        return call_library(
            "mirror", [("normal", normal), ("offset", offset)], point="pos", at=cast("Function", self)
        )

    def repeat(self, spacing: Vector = (10.0, 10.0, 10.0)) -> Function:
        """Infinite repetition along all axes: evaluate a shape at this point to repeat it. The shape must fit
        in a cell around the origin. If it is symmetric about the centre of the cell on each axis, distances are
        preserved.

        Args:
            spacing: The distance between copies along each axis, above 0 (length).
        """
        from .function import call_library

        return call_library("repeat", [("spacing", spacing)], point="pos", at=cast("Function", self))

    def repeat_limited(self, spacing: Vector = (10.0, 10.0, 10.0), count: Vector = (3.0, 3.0, 3.0)) -> Function:
        """Limited repetition along each axis, centred on the origin: evaluate a shape at this point to repeat
        it. The shape must fit in a cell. If it is symmetric about the centre of the cell on each axis,
        distances are preserved.

        Args:
            spacing: The distance between copies along each axis, above 0 (length).
            count: The number of copies along each axis (whole number).
        """
        from .function import call_library

        return call_library(
            "repeat_limited", [("spacing", spacing), ("count", count)], point="pos", at=cast("Function", self)
        )

    def repeat_polar(self, count: Number = 6.0) -> Function:
        """Repetition around the z axis: evaluate a shape at this point to repeat it; the copy on the x axis is
        the shape itself. The shape must fit in its sector. If it is symmetric about y = 0, distances are
        preserved.

        Args:
            count: The number of copies (whole number).
        """
        from .function import call_library

        return call_library("repeat_polar", [("count", count)], point="pos", at=cast("Function", self))

    def twist(self, pitch: Number = 100.0) -> Function:
        """Twist about the z axis: evaluate a shape at this point to twist it.

        Args:
            pitch: The length along z of a full turn, not 0; a negative pitch twists the other way (length).
        """
        from .function import call_library

        return call_library("twist", [("pitch", pitch)], point="pos", at=cast("Function", self))

    def bend(self, radius: Number = 50.0) -> Function:
        """Bend: evaluate a bar along x at this point to bend it upwards, about the line along y at the height
        of the radius.

        Args:
            radius: The radius of the bent bar's centre line, above 0 (length).
        """
        from .function import call_library

        return call_library("bend", [("radius", radius)], point="pos", at=cast("Function", self))

    def taper(self, height: Number = 20.0, top: Number = 0.5) -> Function:
        """Taper: evaluate a shape at this point to scale its cross sections from z = 0 up to a height.

        Args:
            height: The height from which the sections have their final size, not 0 (length).
            top: The scale of the sections there, relative to z = 0, above 0.
        """
        from .function import call_library

        return call_library("taper", [("height", height), ("top", top)], point="pos", at=cast("Function", self))

    def to_cylindrical(self) -> Function:
        """Cylindrical coordinates of a point: the distance from the z axis, the angle from x towards y, the
        height.
        """
        from .function import call_library

        return call_library("to_cylindrical", [], point="pos", at=cast("Function", self))

    def from_cylindrical(self) -> Function:
        """The point with cylindrical coordinates: a distance from the z axis, an angle from x towards y, a
        height.
        """
        from .function import call_library

        return call_library("from_cylindrical", [], point="pos", at=cast("Function", self))

    def to_spherical(self) -> Function:
        """Spherical coordinates of a point: the distance from the origin, the angle from x towards y, the angle
        from z.
        """
        from .function import call_library

        return call_library("to_spherical", [], point="pos", at=cast("Function", self))

    def from_spherical(self) -> Function:
        """The point with spherical coordinates: a distance from the origin, an angle from x towards y, an angle
        from z.
        """
        from .function import call_library

        return call_library("from_spherical", [], point="pos", at=cast("Function", self))

    def infill(self, lattice: Function, skin: Number = 1.0) -> Function:
        """A shape filled with a lattice, under a solid skin.

        Args:
            lattice: The distance to the lattice (length).
            skin: The thickness of the skin; 0 for none (length).

        Value: a bound: its magnitude never exceeds the distance, if the distances are exact.
        """
        from .function import call_library

        return call_library(
            "infill", [("distance", cast("Function", self)), ("lattice", lattice), ("skin", skin)]
        )

    def frame(
        self, origin: Vector = (0.0, 0.0, 0.0), axis: Vector = (0.0, 0.0, 1.0), across: Vector = (1.0, 0.0, 0.0)
    ) -> Function:
        """A point in the frame at an origin whose z axis points along an axis and whose x axis as far as
        possible across: evaluate a shape at this point to put it there.

        Args:
            origin: Where the origin of the shape goes (length).
            axis: The direction of its z axis, of any length but 0.
            across: The direction of its x axis, as far as it is perpendicular to the axis; if parallel to it, x
                is some perpendicular direction.
        """
        from .function import call_library

        return call_library(
            "frame",
            [("origin", origin), ("axis", axis), ("across", across)],
            point="pos",
            at=cast("Function", self),
        )

    def repeat_linear(
        self, direction: Vector = (1.0, 0.0, 0.0), spacing: Number = 10.0, count: Number = 3.0
    ) -> Function:
        """Repetition along a line: evaluate a shape at this point to repeat it; the first copy is the shape
        itself. The shape must fit between the planes halfway to its neighbours. If it is symmetric about the
        plane through the origin, distances are preserved.

        Args:
            direction: The direction of the line, of any length but 0.
            spacing: The distance between copies (length).
            count: The number of copies (whole number).
        """
        from .function import call_library

        return call_library(
            "repeat_linear",
            [("direction", direction), ("spacing", spacing), ("count", count)],
            point="pos",
            at=cast("Function", self),
        )

    def repeat_arc(self, count: Number = 3.0, step: Number = 0.5235987755982988) -> Function:
        """Repetition along an arc around the z axis: evaluate a shape at this point to repeat it; the first
        copy is the shape itself, the others follow from x towards y. The shape must fit in its sector; all
        copies must fit in one turn.

        Args:
            count: The number of copies (whole number).
            step: The angle from one copy to the next (radians).
        """
        from .function import call_library

        return call_library(
            "repeat_arc", [("count", count), ("step", step)], point="pos", at=cast("Function", self)
        )

    def around_cylinder(self, radius: Number = 20.0) -> Function:
        """A point unrolled from a cylinder around z: evaluate a lattice at this point to wrap it around; x is
        the length along the circumference, y the height, z the distance from the cylinder. Cells meet if the
        circumference is a whole number of periods.

        Args:
            radius: The radius at which nothing is stretched (length).
        """
        from .function import call_library

        return call_library("around_cylinder", [("radius", radius)], point="pos", at=cast("Function", self))

    def around_sphere(self, radius: Number = 20.0) -> Function:
        """A point unrolled from a sphere: evaluate a lattice at this point to wrap it around; x is the length
        along the equator, y that along the meridian, z the distance from the sphere. Cells shrink along x
        towards the poles.

        Args:
            radius: The radius at which nothing is stretched along the equator (length).
        """
        from .function import call_library

        return call_library("around_sphere", [("radius", radius)], point="pos", at=cast("Function", self))

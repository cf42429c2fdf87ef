"""The shapes and numbers of the library, see docs/library.md: ``fibula.sphere(5)``."""

# Written by python/generate.py.

from __future__ import annotations

from typing import Any

from .function import Function, Number, Vector, from_library, number_of

__all__ = [
    "body_centred_lattice",
    "body_centred_lattice_radius",
    "boss",
    "box",
    "capsule",
    "chamfered_box",
    "circle",
    "cone",
    "counterbore",
    "countersink",
    "cubic_lattice",
    "cubic_lattice_radius",
    "cylinder",
    "ellipsoid",
    "face_centred_lattice",
    "face_centred_lattice_radius",
    "gyroid",
    "gyroid_network",
    "gyroid_sheet",
    "gyroid_thickness",
    "hexagonal_prism",
    "hole",
    "honeycomb",
    "iwp",
    "iwp_network",
    "iwp_sheet",
    "iwp_thickness",
    "kelvin_lattice",
    "kelvin_lattice_radius",
    "lidinoid",
    "lidinoid_network",
    "lidinoid_thickness",
    "neovius",
    "neovius_network",
    "neovius_thickness",
    "octet_lattice",
    "octet_lattice_radius",
    "plane",
    "rectangle",
    "regular_polygon",
    "rib",
    "rounded_box",
    "rounded_rectangle",
    "schwarz_d",
    "schwarz_d_network",
    "schwarz_d_sheet",
    "schwarz_d_thickness",
    "schwarz_p",
    "schwarz_p_network",
    "schwarz_p_sheet",
    "schwarz_p_thickness",
    "sector",
    "slab",
    "slot",
    "sphere",
    "torus",
    "tube",
]


def sphere(radius: Number = 10.0) -> Function:
    """A ball around the origin.

    Args:
        radius: The ball's radius (length).

    Value: the exact distance.
    """
    return from_library("sphere", {"radius": radius}, "pos")


def ellipsoid(radii: Vector = (10.0, 6.0, 4.0)) -> Function:
    """An ellipsoid around the origin, its axes along x, y and z.

    Args:
        radii: The radius along each axis, above 0 (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("ellipsoid", {"radii": radii}, "pos")


def box(size: Vector = (20.0, 20.0, 20.0)) -> Function:
    """A box around the origin, its edges along the axes.

    Args:
        size: The length of the edges along each axis (length).

    Value: the exact distance.
    """
    return from_library("box", {"size": size}, "pos")


def rounded_box(size: Vector = (20.0, 20.0, 20.0), radius: Number = 2.0) -> Function:
    """A box around the origin with rounded edges and corners; the rounding is part of its size.

    Args:
        size: The whole length along each axis (length).
        radius: The radius of the edges, at most half of the smallest size (length).

    Value: the exact distance.
    """
    return from_library("rounded_box", {"size": size, "radius": radius}, "pos")


def torus(major_radius: Number = 10.0, minor_radius: Number = 3.0) -> Function:
    """A ring around the z axis.

    Args:
        major_radius: The distance from the axis to the centre of the tube (length).
        minor_radius: The tube's radius, at most the larger one (length).

    Value: the exact distance.
    """
    return from_library("torus", {"major_radius": major_radius, "minor_radius": minor_radius}, "pos")


def capsule(from_: Vector = (0.0, 0.0, -10.0), to: Vector = (0.0, 0.0, 10.0), radius: Number = 5.0) -> Function:
    """A straight rod with round ends.

    Args:
        from_: The middle of one end (length).
        to: The middle of the other (length).
        radius: The rod's radius (length).

    Value: the exact distance.
    """
    return from_library("capsule", {"from": from_, "to": to, "radius": radius}, "pos")


def cylinder(radius: Number = 5.0, height: Number = 20.0) -> Function:
    """A cylinder around the origin, its axis along z.

    Args:
        radius: The radius (length).
        height: The length along z (length).

    Value: the exact distance.
    """
    return from_library("cylinder", {"radius": radius, "height": height}, "pos")


def tube(outer_radius: Number = 10.0, inner_radius: Number = 7.0, height: Number = 20.0) -> Function:
    """A cylinder with a hole along its axis, which is z.

    Args:
        outer_radius: The outer radius (length).
        inner_radius: The hole's radius, above 0 and below the outer one (length).
        height: The length along z (length).

    Value: the exact distance.
    """
    return from_library(
        "tube", {"outer_radius": outer_radius, "inner_radius": inner_radius, "height": height}, "pos"
    )


def cone(lower_radius: Number = 10.0, upper_radius: Number = 0.0, height: Number = 20.0) -> Function:
    """A cone around the origin, its axis along z; cut off above unless the upper radius is 0.

    Args:
        lower_radius: The radius at the lower end (length).
        upper_radius: The radius at the upper end (length).
        height: The length along z, above 0 (length).

    Value: the exact distance.
    """
    return from_library(
        "cone", {"lower_radius": lower_radius, "upper_radius": upper_radius, "height": height}, "pos"
    )


def plane(normal: Vector = (0.0, 0.0, 1.0), offset: Number = 0.0) -> Function:
    """The half-space behind a plane, on the side opposite to the normal.

    Args:
        normal: The direction out of the solid, of any length but 0.
        offset: From the origin to the plane, along the normal (length).

    Value: the exact distance.
    """
    return from_library("plane", {"normal": normal, "offset": offset}, "pos")


def hexagonal_prism(width: Number = 20.0, height: Number = 10.0) -> Function:
    """A hexagonal prism around the origin, its axis along z, two of its faces perpendicular to y.

    Args:
        width: The distance between opposite faces (length).
        height: The length along z (length).

    Value: the exact distance.
    """
    return from_library("hexagonal_prism", {"width": width, "height": height}, "pos")


def slab(bottom: Number = -5.0, top: Number = 5.0) -> Function:
    """The space between two heights.

    Args:
        bottom: The lower height (length).
        top: The upper height, above the lower one (length).

    Value: the exact distance.
    """
    return from_library("slab", {"bottom": bottom, "top": top}, "pos")


def circle(radius: Number = 10.0) -> Function:
    """A circle around the z axis.

    Args:
        radius: The radius (length).

    Value: the exact distance.
    """
    return from_library("circle", {"radius": radius}, "pos")


def rectangle(width: Number = 20.0, height: Number = 10.0) -> Function:
    """A rectangle around the origin.

    Args:
        width: The length along x (length).
        height: The length along y (length).

    Value: the exact distance.
    """
    return from_library("rectangle", {"width": width, "height": height}, "pos")


def rounded_rectangle(width: Number = 20.0, height: Number = 10.0, radius: Number = 2.0) -> Function:
    """A rectangle around the origin with rounded corners.

    Args:
        width: The length along x (length).
        height: The length along y (length).
        radius: The radius of the corners, at most half of either (length).

    Value: the exact distance.
    """
    return from_library("rounded_rectangle", {"width": width, "height": height, "radius": radius}, "pos")


def slot(overall: Number = 20.0, width: Number = 6.0) -> Function:
    """A slot along x around the origin, its ends half circles.

    Args:
        overall: The length with the ends (length).
        width: The width, at most the length (length).

    Value: the exact distance.
    """
    return from_library("slot", {"overall": overall, "width": width}, "pos")


def regular_polygon(sides: Number = 6.0, radius: Number = 10.0) -> Function:
    """A regular polygon around the origin, one of its corners on the x axis. `polygon(pos, x1, y1, x2, y2,
    ...)` is one of any corners, `arc_polygon` one with arcs.

    Args:
        sides: The number of sides (whole number).
        radius: From the centre to the corners; to the middles of the sides it is this times cos(pi / sides)
            (length).

    Value: the exact distance.
    """
    return from_library("regular_polygon", {"sides": sides, "radius": radius}, "pos")


def sector(from_: Number = 0.0, to: Number = 1.5707963267948966) -> Function:
    """The sector of the plane between two directions from the origin, counterclockwise.

    Args:
        from_: The direction of its first side, an angle from x towards y (radians).
        to: That of its second side, at most a turn more; nothing is inside if it is less (radians).

    Value: the exact distance.
    """
    return from_library("sector", {"from": from_, "to": to}, "pos")


def chamfered_box(size: Vector = (20.0, 20.0, 20.0), leg: Number = 1.0) -> Function:
    """A box around the origin with chamfered edges.

    Args:
        size: The length along each axis (length).
        leg: How far the chamfers reach from the edges along each face, at most half of the smallest size
            (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("chamfered_box", {"size": size, "leg": leg}, "pos")


def hole(diameter: Number = 5.0, depth: Number = 10.0) -> Function:
    """A cylindrical hole, to subtract: from the origin down along z, and open above without end.

    Args:
        diameter: The diameter (length).
        depth: The depth below the origin (length).

    Value: the exact distance.
    """
    return from_library("hole", {"diameter": diameter, "depth": depth}, "pos")


def counterbore(
    diameter: Number = 5.0, depth: Number = 20.0, head_diameter: Number = 10.0, head_depth: Number = 5.0
) -> Function:
    """A hole with a wider, flat-bottomed entrance for the head of a screw, to subtract: from the origin down
    along z, and open above without end.

    Args:
        diameter: The diameter of the hole (length).
        depth: Its depth below the origin (length).
        head_diameter: The diameter of the entrance (length).
        head_depth: The depth of the entrance (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library(
        "counterbore",
        {"diameter": diameter, "depth": depth, "head_diameter": head_diameter, "head_depth": head_depth},
        "pos",
    )


def countersink(
    diameter: Number = 5.0,
    depth: Number = 20.0,
    head_diameter: Number = 10.0,
    angle: Number = 1.5707963267948966,
) -> Function:
    """A hole with a conical entrance for a flat head, to subtract: from the origin down along z, and open above
    without end.

    Args:
        diameter: The diameter of the hole (length).
        depth: Its depth below the origin (length).
        head_diameter: The diameter of the entrance at the origin (length).
        angle: The angle of the whole cone (radians).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library(
        "countersink",
        {"diameter": diameter, "depth": depth, "head_diameter": head_diameter, "angle": angle},
        "pos",
    )


def boss(diameter: Number = 10.0, height: Number = 10.0, draft: Number = 0.0) -> Function:
    """A round boss, to add: from the origin up along z, with a draft.

    Args:
        diameter: The diameter at the foot (length).
        height: The height (length).
        draft: The angle of its side from upright (radians).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("boss", {"diameter": diameter, "height": height, "draft": draft}, "pos")


def rib(span: Number = 20.0, thickness: Number = 2.0, height: Number = 10.0, draft: Number = 0.0) -> Function:
    """A rib along x, to add: from the origin up along z, with a draft at its sides.

    Args:
        span: The length along x (length).
        thickness: The thickness at the foot (length).
        height: The height (length).
        draft: The angle of its sides from upright (radians).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("rib", {"span": span, "thickness": thickness, "height": height, "draft": draft}, "pos")


def gyroid(period: Number = 10.0, thickness: Number = 1.0) -> Function:
    """A wall along the gyroid, a surface that repeats on every axis and splits space into two equal parts.

    Args:
        period: The period, above 0 (length).
        thickness: The minimum thickness of the wall (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("gyroid", {"period": period, "thickness": thickness}, "pos")


def schwarz_p(period: Number = 10.0, thickness: Number = 1.0) -> Function:
    """A wall along Schwarz' primitive surface, which leaves straight channels along every axis.

    Args:
        period: The period, above 0 (length).
        thickness: The minimum thickness of the wall (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("schwarz_p", {"period": period, "thickness": thickness}, "pos")


def schwarz_d(period: Number = 10.0, thickness: Number = 1.0) -> Function:
    """A wall along Schwarz' diamond surface.

    Args:
        period: The period, above 0 (length).
        thickness: The minimum thickness of the wall (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("schwarz_d", {"period": period, "thickness": thickness}, "pos")


def lidinoid(period: Number = 10.0, thickness: Number = 1.0) -> Function:
    """A wall along the lidinoid surface.

    Args:
        period: The period, above 0 (length).
        thickness: The minimum thickness of the wall (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("lidinoid", {"period": period, "thickness": thickness}, "pos")


def neovius(period: Number = 10.0, thickness: Number = 1.0) -> Function:
    """A wall along Neovius' surface; where the surface is flat, the wall is several times as thick as
    `thickness`.

    Args:
        period: The period, above 0 (length).
        thickness: The minimum thickness of the wall (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("neovius", {"period": period, "thickness": thickness}, "pos")


def honeycomb(width: Number = 10.0, thickness: Number = 1.0) -> Function:
    """Walls between hexagonal cells, infinite along z.

    Args:
        width: The distance between the centres of opposite walls, above 0 (length).
        thickness: The thickness of the walls, below the width (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("honeycomb", {"width": width, "thickness": thickness}, "pos")


def cubic_lattice(period: Number = 10.0, radius: Number = 1.0) -> Function:
    """Round struts along the axes that cross at every corner of a cubic cell.

    Args:
        period: The size of a cell, above 0 (length).
        radius: The struts' radius (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("cubic_lattice", {"period": period, "radius": radius}, "pos")


def body_centred_lattice(period: Number = 10.0, radius: Number = 1.0) -> Function:
    """Round struts from the centre of every cubic cell to its corners.

    Args:
        period: The size of a cell, above 0 (length).
        radius: The struts' radius (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("body_centred_lattice", {"period": period, "radius": radius}, "pos")


def face_centred_lattice(period: Number = 10.0, radius: Number = 1.0) -> Function:
    """Round struts from every corner of a cubic cell to the middles of its faces.

    Args:
        period: The size of a cell, above 0 (length).
        radius: The struts' radius (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("face_centred_lattice", {"period": period, "radius": radius}, "pos")


def iwp(period: Number = 10.0, thickness: Number = 1.0) -> Function:
    """A wall along Schoen's I-WP surface, whose two sides are unequal.

    Args:
        period: The period, above 0 (length).
        thickness: The minimum thickness of the wall (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("iwp", {"period": period, "thickness": thickness}, "pos")


def octet_lattice(period: Number = 10.0, radius: Number = 0.5) -> Function:
    """Round struts between all neighbours among the corners of a cubic cell and the middles of its faces.

    Args:
        period: The size of a cell, above 0 (length).
        radius: The struts' radius (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("octet_lattice", {"period": period, "radius": radius}, "pos")


def kelvin_lattice(period: Number = 10.0, radius: Number = 0.5) -> Function:
    """Round struts along the edges of truncated octahedra, which fill space as the cells of a foam.

    Args:
        period: The size of a cell, above 0 (length).
        radius: The struts' radius (length).

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("kelvin_lattice", {"period": period, "radius": radius}, "pos")


def gyroid_sheet(period: Number = 10.0, thickness: Number = 1.0) -> Function:
    """A wall along the gyroid that has the same thickness everywhere, within 2 percent.

    Args:
        period: The period, above 0 (length).
        thickness: The thickness of the wall, at most a fifth of the period (length).

    Value: a field: not a distance.
    """
    return from_library("gyroid_sheet", {"period": period, "thickness": thickness}, "pos")


def schwarz_p_sheet(period: Number = 10.0, thickness: Number = 1.0) -> Function:
    """A wall along Schwarz' primitive surface that has the same thickness everywhere, within 2 percent.

    Args:
        period: The period, above 0 (length).
        thickness: The thickness of the wall, at most a fifth of the period (length).

    Value: a field: not a distance.
    """
    return from_library("schwarz_p_sheet", {"period": period, "thickness": thickness}, "pos")


def schwarz_d_sheet(period: Number = 10.0, thickness: Number = 1.0) -> Function:
    """A wall along Schwarz' diamond surface that has the same thickness everywhere, within 2 percent.

    Args:
        period: The period, above 0 (length).
        thickness: The thickness of the wall, at most a fifth of the period (length).

    Value: a field: not a distance.
    """
    return from_library("schwarz_d_sheet", {"period": period, "thickness": thickness}, "pos")


def iwp_sheet(period: Number = 10.0, thickness: Number = 1.0) -> Function:
    """A wall along Schoen's I-WP surface that has the same thickness everywhere, within 2 percent.

    Args:
        period: The period, above 0 (length).
        thickness: The thickness of the wall, at most 0.15 periods (length).

    Value: a field: not a distance.
    """
    return from_library("iwp_sheet", {"period": period, "thickness": thickness}, "pos")


def gyroid_network(period: Number = 10.0, fraction: Number = 0.3) -> Function:
    """A solid on one side of the gyroid, by its share of space (its volume fraction), within half a percentage
    point.

    Args:
        period: The period, above 0 (length).
        fraction: The share of space that is solid, above 0.05 and at most 0.9; it may vary in space.

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("gyroid_network", {"period": period, "fraction": fraction}, "pos")


def schwarz_p_network(period: Number = 10.0, fraction: Number = 0.3) -> Function:
    """A solid on one side of Schwarz' primitive surface, by its share of space (its volume fraction), within
    half a percentage point.

    Args:
        period: The period, above 0 (length).
        fraction: The share of space that is solid, above 0.22, below which the solid is loose pieces, and at
            most 0.9; it may vary in space.

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("schwarz_p_network", {"period": period, "fraction": fraction}, "pos")


def schwarz_d_network(period: Number = 10.0, fraction: Number = 0.3) -> Function:
    """A solid on one side of Schwarz' diamond surface, by its share of space (its volume fraction), within half
    a percentage point.

    Args:
        period: The period, above 0 (length).
        fraction: The share of space that is solid, above 0.05 and at most 0.9; it may vary in space.

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("schwarz_d_network", {"period": period, "fraction": fraction}, "pos")


def lidinoid_network(period: Number = 10.0, fraction: Number = 0.4) -> Function:
    """A solid on one side of the lidinoid, by its share of space (its volume fraction), within half a
    percentage point.

    Args:
        period: The period, above 0 (length).
        fraction: The share of space that is solid, above 0.28, below which the solid is loose pieces, and at
            most 0.9; it may vary in space.

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("lidinoid_network", {"period": period, "fraction": fraction}, "pos")


def neovius_network(period: Number = 10.0, fraction: Number = 0.4) -> Function:
    """A solid on one side of Neovius' surface, by its share of space (its volume fraction), within half a
    percentage point.

    Args:
        period: The period, above 0 (length).
        fraction: The share of space that is solid, above 0.34, below which the solid is loose pieces, and at
            most 0.66, above which the space around it is sealed cavities; it may vary in space.

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("neovius_network", {"period": period, "fraction": fraction}, "pos")


def iwp_network(period: Number = 10.0, fraction: Number = 0.3) -> Function:
    """A solid on one side of Schoen's I-WP surface: struts along the diagonals of cubes, by its share of space
    (its volume fraction), within half a percentage point.

    Args:
        period: The period, above 0 (length).
        fraction: The share of space that is solid, above 0.05 and at most 0.9; it may vary in space.

    Value: a bound: its magnitude never exceeds the distance.
    """
    return from_library("iwp_network", {"period": period, "fraction": fraction}, "pos")


def gyroid_thickness(period: Number = 10.0, fraction: Number = 0.3) -> Any:
    """The thickness at which `gyroid` fills a share of space (a volume fraction), within half a percentage
    point: gyroid(pos, 10, gyroid_thickness(10, 0.3)).

    Args:
        period: The period of the lattice (length).
        fraction: The share of space that is solid, above 0 and at most 0.9; it may vary in space.

    Value: a float; a function if an argument is one.
    """
    return number_of("gyroid_thickness", {"period": period, "fraction": fraction})


def schwarz_p_thickness(period: Number = 10.0, fraction: Number = 0.3) -> Any:
    """The thickness at which `schwarz_p` fills a share of space (a volume fraction), within half a percentage
    point: schwarz_p(pos, 10, schwarz_p_thickness(10, 0.3)).

    Args:
        period: The period of the lattice (length).
        fraction: The share of space that is solid, above 0 and at most 0.9; it may vary in space.

    Value: a float; a function if an argument is one.
    """
    return number_of("schwarz_p_thickness", {"period": period, "fraction": fraction})


def schwarz_d_thickness(period: Number = 10.0, fraction: Number = 0.3) -> Any:
    """The thickness at which `schwarz_d` fills a share of space (a volume fraction), within half a percentage
    point: schwarz_d(pos, 10, schwarz_d_thickness(10, 0.3)).

    Args:
        period: The period of the lattice (length).
        fraction: The share of space that is solid, above 0 and at most 0.9; it may vary in space.

    Value: a float; a function if an argument is one.
    """
    return number_of("schwarz_d_thickness", {"period": period, "fraction": fraction})


def lidinoid_thickness(period: Number = 10.0, fraction: Number = 0.3) -> Any:
    """The thickness at which `lidinoid` fills a share of space (a volume fraction), within half a percentage
    point: lidinoid(pos, 10, lidinoid_thickness(10, 0.3)).

    Args:
        period: The period of the lattice (length).
        fraction: The share of space that is solid, above 0 and at most 0.9; it may vary in space.

    Value: a float; a function if an argument is one.
    """
    return number_of("lidinoid_thickness", {"period": period, "fraction": fraction})


def neovius_thickness(period: Number = 10.0, fraction: Number = 0.3) -> Any:
    """The thickness at which `neovius` fills a share of space (a volume fraction), within half a percentage
    point: neovius(pos, 10, neovius_thickness(10, 0.3)).

    Args:
        period: The period of the lattice (length).
        fraction: The share of space that is solid, above 0 and at most 0.9; it may vary in space.

    Value: a float; a function if an argument is one.
    """
    return number_of("neovius_thickness", {"period": period, "fraction": fraction})


def iwp_thickness(period: Number = 10.0, fraction: Number = 0.3) -> Any:
    """The thickness at which `iwp` fills a share of space (a volume fraction), within half a percentage point:
    iwp(pos, 10, iwp_thickness(10, 0.3)).

    Args:
        period: The period of the lattice (length).
        fraction: The share of space that is solid, above 0 and at most 0.9; it may vary in space.

    Value: a float; a function if an argument is one.
    """
    return number_of("iwp_thickness", {"period": period, "fraction": fraction})


def cubic_lattice_radius(period: Number = 10.0, fraction: Number = 0.3) -> Any:
    """The radius at which `cubic_lattice` fills a share of space (a volume fraction), within half a percentage
    point: cubic_lattice(pos, 10, cubic_lattice_radius(10, 0.3)).

    Args:
        period: The size of a cell of the lattice (length).
        fraction: The share of space that is solid, above 0 and at most 0.8; it may vary in space.

    Value: a float; a function if an argument is one.
    """
    return number_of("cubic_lattice_radius", {"period": period, "fraction": fraction})


def body_centred_lattice_radius(period: Number = 10.0, fraction: Number = 0.3) -> Any:
    """The radius at which `body_centred_lattice` fills a share of space (a volume fraction), within half a
    percentage point: body_centred_lattice(pos, 10, body_centred_lattice_radius(10, 0.3)).

    Args:
        period: The size of a cell of the lattice (length).
        fraction: The share of space that is solid, above 0 and at most 0.8; it may vary in space.

    Value: a float; a function if an argument is one.
    """
    return number_of("body_centred_lattice_radius", {"period": period, "fraction": fraction})


def face_centred_lattice_radius(period: Number = 10.0, fraction: Number = 0.3) -> Any:
    """The radius at which `face_centred_lattice` fills a share of space (a volume fraction), within half a
    percentage point: face_centred_lattice(pos, 10, face_centred_lattice_radius(10, 0.3)).

    Args:
        period: The size of a cell of the lattice (length).
        fraction: The share of space that is solid, above 0 and at most 0.8; it may vary in space.

    Value: a float; a function if an argument is one.
    """
    return number_of("face_centred_lattice_radius", {"period": period, "fraction": fraction})


def octet_lattice_radius(period: Number = 10.0, fraction: Number = 0.3) -> Any:
    """The radius at which `octet_lattice` fills a share of space (a volume fraction), within half a percentage
    point: octet_lattice(pos, 10, octet_lattice_radius(10, 0.3)).

    Args:
        period: The size of a cell of the lattice (length).
        fraction: The share of space that is solid, above 0 and at most 0.8; it may vary in space.

    Value: a float; a function if an argument is one.
    """
    return number_of("octet_lattice_radius", {"period": period, "fraction": fraction})


def kelvin_lattice_radius(period: Number = 10.0, fraction: Number = 0.3) -> Any:
    """The radius at which `kelvin_lattice` fills a share of space (a volume fraction), within half a percentage
    point: kelvin_lattice(pos, 10, kelvin_lattice_radius(10, 0.3)).

    Args:
        period: The size of a cell of the lattice (length).
        fraction: The share of space that is solid, above 0 and at most 0.8; it may vary in space.

    Value: a float; a function if an argument is one.
    """
    return number_of("kelvin_lattice_radius", {"period": period, "fraction": fraction})

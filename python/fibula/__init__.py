"""Fibula: typed function graphs over numpy arrays, as parts, and in projects that agents edit.

    >>> import fibula as fb
    >>> part = (fb.sphere(10) & fb.box((15, 15, 15))) - fb.cylinder(5, 30)
    >>> part((0.0, 0.0, 9.0))
    5.0

Lengths are in millimetres and angles in radians; a shape is where its function is below 0. docs/python.md is a tour.
"""

from . import errors, library
from ._display import Diagram, Picture
from ._native import __version__
from .errors import Error
from .function import Bounds, Function, Number, Port, Vector, expression, grid
from .knowledge import Knowledge
from .library import *
from .part import Box, Contour, Masks, Mesh, Part, Slice, Slices
from .project import Project, check, open_in_memory, read, write
from .project import open as open

# Not `open`, which would replace the one of Python.
__all__ = [
    "Bounds",
    "Box",
    "Contour",
    "Diagram",
    "Error",
    "Function",
    "Knowledge",
    "Masks",
    "Mesh",
    "Number",
    "Part",
    "Picture",
    "Port",
    "Project",
    "Slice",
    "Slices",
    "Vector",
    "__version__",
    "check",
    "errors",
    "expression",
    "grid",
    "library",
    "open_in_memory",
    "read",
    "write",
    *library.__all__,
]

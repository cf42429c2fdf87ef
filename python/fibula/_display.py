"""Pictures and diagrams, which notebooks show."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Picture:
    """A PNG picture; a notebook shows it.

    Attributes:
        png: The bytes of the file.
        warnings: What is not as it was asked for.
    """

    png: bytes = field(repr=False)
    warnings: list[str] = field(default_factory=list)

    def _repr_png_(self) -> bytes:
        return self.png

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file."""
        Path(path).write_bytes(self.png)


@dataclass(frozen=True)
class Diagram:
    """A diagram in SVG; a notebook shows it.

    Attributes:
        svg: The text of the file.
    """

    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the diagram to a file."""
        Path(path).write_text(self.svg, encoding="utf-8")

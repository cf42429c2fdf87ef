"""The pages and notebooks: their code runs as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.S | re.M)


def test_the_tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    checked = 0
    for block in blocks("python.md"):
        exec(block, names)
        # What a comment begins with, if it is a value, is what its line gives.
        for call, value in re.findall(
            r'^([a-z][^#=\n]*\)[^#=\n]*?) +# (-?\d[\d.]*|\[[-\d., ]+\]|"\w+")(?=[ :,]|$)', block, re.M
        ):
            found, promised = eval(call, names), eval(value)
            assert found == promised if isinstance(promised, str) else np.allclose(found, promised), call
            checked += 1
    assert checked >= 4


def test_codes_are_documented() -> None:
    from fibula import errors

    pages = [
        (ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("refusals.md", "python.md", "tools.md")
    ]
    missing = [code for code in errors._CODES if not any(f"`{code}`" in page for page in pages)]
    assert missing == []


@pytest.mark.parametrize("place", range(3))
def test_clusters(place: int, tmp_path: Path) -> None:
    block = blocks("clusters.md")[place]
    small = {
        "COUNT": "40",
        "CHUNK": "20",
        "LAYERS": "100",
        "ROWS": "50000",
        "STORE": str(tmp_path / "lattice.zarr"),
    }
    script = tmp_path / "block.py"
    script.write_text(block, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], env={**os.environ, **small}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    # The figures of the whole runs hold for the small ones but for their resolution.
    expected = [r"0\.1\d+ of the box", r"1[78]\d{4} cubic", r"13\d{3} of 50000"][place]
    assert re.match(expected, done.stdout), done.stdout


@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "python" / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem
)
@pytest.mark.filterwarnings("ignore")
def test_notebooks(notebook: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.read(notebook, as_version=4)
    kinds = [sorted(output.get("data", {})) for cell in book.cells for output in cell.get("outputs", [])]
    NotebookClient(book, timeout=120).execute()
    again = [sorted(output.get("data", {})) for cell in book.cells for output in cell.get("outputs", [])]
    assert again == kinds, "run the notebook again, and commit what it shows"

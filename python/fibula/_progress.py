"""Progress of long calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: A callable of the work done and its total, which may return False to cancel; or True for a bar of tqdm.
Progress = Callable[[int, int], Any] | bool | None


@contextmanager
def reported(progress: Progress) -> Iterator[Callable[[int, int], Any] | None]:
    """Yields the callable to which a call reports; with True it moves a bar of tqdm."""
    if progress is None or progress is False:
        yield None
        return
    if progress is not True:
        yield progress
        return
    from tqdm.auto import tqdm

    with tqdm(unit="", leave=False) as bar:

        def move(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield move

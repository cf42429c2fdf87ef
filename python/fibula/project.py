"""Projects: the same store, edits, undo, history and events as agents, the page and the command line have."""

from __future__ import annotations

import base64
import json
import operator
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from . import _native
from ._progress import Progress, reported
from ._project_operations import WITHOUT_PROJECT, ProjectOperations
from .errors import ArgumentError, ConflictError, NotFoundError
from .function import Function
from .knowledge import Knowledge
from .part import Box, Part, _json, _plain

# Not `open`, which would replace the one of Python.
__all__ = ["Project", "check", "open_in_memory", "read", "write"]


class Project(ProjectOperations):
    """A project: functions, resources, a 3MF model and a knowledge graph, with their history.

    Every operation of the REST routes and of the tools of MCP is a method that takes the members of its request and returns
    its answer: ``project.create_node(function_id=1, node_type="Sine")``. The methods below that are not among them return
    values of Python. Changes are durable when a method returns, and other processes see them.

    Open projects with :func:`fibula.open` and :func:`fibula.read`.
    """

    def __init__(self, native: _native.Project, path: str | None = None) -> None:
        self._native = native
        self._path = path

    def __repr__(self) -> str:
        return f"<Project {self.name!r}>"

    def _call(self, operation: str, request: Mapping[str, Any], progress: Progress = None) -> Any:
        members = dict(request)
        if operation not in WITHOUT_PROJECT:
            members.setdefault("project", self.name)
        with reported(progress) as report:
            answer = self._native.call(operation, _json(members), report)
        return json.loads(answer) if isinstance(answer, str) else answer

    def _answer(self, operation: str, request: Mapping[str, Any]) -> Any:
        return self._call(operation, {name: value for name, value in request.items() if value is not None})

    def call(self, operation: str, *, progress: Progress = None, **members: Any) -> Any:
        """Calls an operation by its name; None is sent as null, where the methods leave it out.

        Args:
            operation: Name of the operation, such as ``"update_edge"``.
            progress: Called with the work done and its total; True shows a bar of tqdm.
            members: Members of the request.

        Returns:
            The answer; of a file its bytes and the warnings about it.
        """
        return self._call(operation, members, progress)

    @property
    def name(self) -> str:
        """Name of the project."""
        return self._native.name

    @property
    def revision(self) -> int:
        """Number of the last change."""
        return int(self._call("get_project", {})["revision"])

    @cached_property
    def knowledge(self) -> Knowledge:
        """The knowledge graph."""
        return Knowledge(self)

    def _pages(self, operation: str, member: str, **request: Any) -> Iterator[dict[str, Any]]:
        """All items of a list, page by page."""
        cursor: str | None = None
        while True:
            page = self._call(operation, {**request, **({"cursor": cursor} if cursor else {})})
            yield from page[member]
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    @property
    def functions(self) -> dict[int, str]:
        """Names of all functions by their ids."""
        return self._functions(None)

    def _functions(self, revision: int | None) -> dict[int, str]:
        at = {} if revision is None else {"revision": _whole("revision", revision)}
        return {one["function_id"]: one["name"] for one in self._pages("list_functions", "functions", **at)}

    def find(self, function: int | str | None = None, *, revision: int | None = None) -> int:
        """Id of a function: of this name, of this id, or the only one.

        Args:
            function: Its name or id; the only one if it is left out.
            revision: State of the project.

        Raises:
            NotFoundError: There is none, or there are several.
        """
        functions = self._functions(revision)
        if function is None:
            found = list(functions)
        elif isinstance(function, str):
            found = [key for key, name in functions.items() if name == function]
        else:
            number = _whole("function", function)
            found = [number] if number in functions else []
        if len(found) == 1:
            return found[0]
        listed = ", ".join(f"{key} {name!r}" for key, name in list(functions.items())[:20]) or "none"
        asked = "function" if function is None else f"function {function!r}"
        raise NotFoundError(
            "unknown_function",
            f"the project has {len(found) or 'no'} {asked}{'s' if len(found) > 1 else ''}",
            f"give the id of one of its functions, which are {listed}",
        )

    def function(self, function: int | str | None = None, *, revision: int | None = None) -> Function:
        """A function of the project as a value, with what it calls; later changes of the project do not affect it.

        Args:
            function: Its name or id; the only one if it is left out.
            revision: State of the project.
        """
        return Function(self._native.graph(self.find(function, revision=revision), revision))

    def __getitem__(self, function: int | str) -> Function:
        return self.function(function)

    def __contains__(self, function: object) -> bool:
        functions = self.functions
        return function in functions or function in functions.values()

    def __iter__(self) -> Iterator[int]:
        return iter(self.functions)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._path is None:
            raise TypeError("a project in memory is gone with its process; pickle its functions instead")
        return _reopened, (self._path, self.name, self._native.author)

    def add(self, function: Function, name: str | None = None) -> int:
        """Adds a function with what it calls, as one change; returns its id. What the project has already is added once more."""
        return self.add_all([function if name is None else function.named(name)])[0]

    def add_all(self, functions: Iterable[Function]) -> list[int]:
        """Adds functions with what they call, as one change: what they share is added once. Returns their ids."""
        added = list(functions)
        for function in added:
            if not isinstance(function, Function):
                raise ArgumentError("invalid_arguments", f"{function!r} is no function", "give functions")
        numbers, _ = self._native.insert([function.graph for function in added])
        return numbers

    def rename_project(self, *, name: str) -> dict[str, Any]:
        """Renames the project; this object goes on with the new name."""
        answer = super().rename_project(name=name)
        self._native = self._native.sibling(name)
        return answer

    def part(
        self,
        object_id: int | None = None,
        *,
        function: int | str | None = None,
        output: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        revision: int | None = None,
    ) -> Part:
        """An object or a function as a part; the build if neither is given.

        Args:
            object_id: A mesh, a level set or an assembly.
            function: Or a function, by its name or id.
            output: Its output that is below 0 inside; the first float if it is left out.
            arguments: Values of its inputs other than the point.
            revision: State of the project.
        """
        subject = {
            "object_id": object_id,
            "function_id": None if function is None else self.find(function, revision=revision),
            "output": output,
            "arguments": None if arguments is None else _plain(dict(arguments)),
            "revision": revision,
        }
        return Part(self, {key: value for key, value in subject.items() if value is not None})

    def events(self, *, after: str | None = None, timeout: float | None = None) -> Iterator[dict[str, Any]]:
        """Changes of the project by any process, from now on or after an event, in their order.

        Args:
            after: Id of an event, PROJECT:REVISION.
            timeout: Ends after so many seconds without a change; None waits forever.
        """
        events = self._native.events(after)

        def changes() -> Iterator[dict[str, Any]]:
            while (event := events.next(timeout)) is not None:
                yield json.loads(event)

        return changes()

    def write(self, path: str | os.PathLike[str], *, dialect: str | None = None) -> list[str]:
        """Writes the project as a 3MF file, which is replaced if it exists; returns what is not in it as it was.

        Args:
            path: The file.
            dialect: ``"lib3mf"``, as lib3mf and Gladius read it, or ``"specification"``.
        """
        request = {} if dialect is None else {"dialect": dialect}
        contents, warnings = self._call("get_package", request)
        Path(path).write_bytes(contents)
        return list(warnings)

    def import_file(
        self, path: str | os.PathLike[str], *, progress: Progress = None, **options: Any
    ) -> dict[str, Any]:
        """Imports a 3MF, STL, OBJ or .vm file into the project, as one change.

        Args:
            path: The file.
            progress: Called with the work done and its total; True shows a bar of tqdm.
            options: Members of the request: format, check, dry_run, ...
        """
        path = Path(path)
        content = base64.b64encode(path.read_bytes()).decode("ascii")
        suffix = path.suffix.removeprefix(".").lower()
        if suffix in ("vm", "stl", "obj", "3mf"):
            options.setdefault("format", suffix)
        answer: dict[str, Any] = self._call("import", {"content": content, **options}, progress)
        return answer

    def transaction(self, *edits: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        """Applies edits as one change, all or none: ``project.transaction({"create_node": {...}}, ...)``."""
        return self.apply_edits(edits=list(edits), **options)


def _opened(path: str | None, name: str, author: str, read_only: bool) -> Project:
    return Project(_native.Project.open(path, name, author, read_only), path)


def _reopened(path: str, name: str, author: str) -> Project:
    return open(path, name, create=False, author=author)


def _whole(name: str, value: Any) -> int:
    """A whole number from 0 on."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if number < 0 or isinstance(value, bool):
        raise ArgumentError("invalid_value", f"{name} is {value!r}", "give a whole number from 0 on")
    return number


def open(
    path: str | os.PathLike[str] | None = None,
    project: str = "default",
    *,
    create: bool = True,
    read_only: bool = False,
    author: str = "python",
) -> Project:
    """Opens a project of a store: the file that ``fibula --data PATH`` uses, at the same time as other processes.

    Args:
        path: The file, or the folder of ``fibula.db``; ``":memory:"`` keeps nothing. Left out, the place that the program
            uses.
        project: Name of the project.
        create: Creates the project if it does not exist.
        read_only: Changes nothing.
        author: Name of the author in the history.
    """
    place = _native.default_store() if path is None else os.fspath(path)
    if place == ":memory:":
        return open_in_memory(project, author=author)
    if os.path.isdir(place):
        place = os.path.join(place, "fibula.db")
    if (read_only or not create) and not os.path.exists(place):
        raise NotFoundError("not_a_store", f"there is no store at {place}", "name another file, or create it")
    opened = _opened(place, project, author, read_only)
    try:
        opened.get_project()
    except NotFoundError:
        if read_only or not create:
            raise
        try:
            opened.create_project()
        except ConflictError:
            # Another process was faster.
            opened.get_project()
    return opened


def open_in_memory(project: str = "default", *, author: str = "python") -> Project:
    """Opens a project in memory, which ends with the process."""
    opened = _opened(None, project, author, False)
    if project != "default":
        # Each store has that one.
        opened.create_project()
    return opened


def read(path: str | os.PathLike[str], *, progress: Progress = None) -> Project:
    """Reads a 3MF, STL, OBJ or .vm file as a project in memory.

    ``fb.read("part.3mf").function("sphere")`` is a function of it, and ``fb.read("part.3mf").part()`` the build.
    """
    project = open_in_memory()
    project.import_file(path, progress=progress)
    return project


def write(
    path: str | os.PathLike[str],
    *shapes: Function | Project,
    bounds: Box | None = None,
    dialect: str | None = None,
    progress: Progress = None,
) -> list[str]:
    """Writes functions as level sets of a 3MF file, each a build item; or a project.

    Args:
        path: The file, which is replaced if it exists.
        shapes: Functions, or one project.
        bounds: Minimum and maximum corner of the level sets; those of each shape if left out.
        dialect: As for :meth:`Project.write`.
        progress: Called with the work done and its total while bounds are found; True shows a bar of tqdm.

    Returns:
        What is not in the file as it was.
    """
    functions = [shape for shape in shapes if isinstance(shape, Function)]
    if len(shapes) == 1 and isinstance(shapes[0], Project) and bounds is None:
        return shapes[0].write(path, dialect=dialect)
    if not functions or len(functions) < len(shapes):
        raise ArgumentError(
            "invalid_arguments",
            "these are no functions, or a project with bounds" if shapes else "nothing is given",
            "give functions, or one project without bounds",
        )
    closed = [function.closed() for function in functions]
    boxes = [_box_around(one, progress) if bounds is None else _plain(bounds) for one in closed]
    project = open_in_memory()
    numbers = project.add_all(closed)
    edits = [
        {"create_level_set": {"function_id": number, "bounds": box, "name": one.name, "build": True}}
        for number, box, one in zip(numbers, boxes, closed)
    ]
    project.transaction(*edits)
    return project.write(path, dialect=dialect)


def _box_around(function: Function, progress: Progress) -> list[list[float]]:
    """A box with the shape and a margin, in which programs that sample level sets see all of its surface."""
    figure = function.measure("bounds", progress=progress)["figures"]["bounds"]
    low, high = figure["value"]
    margin = figure["error"] + 0.01 * max(top - bottom for bottom, top in zip(low, high))
    return [[one - margin for one in low], [one + margin for one in high]]


def check(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Checks a 3MF file against the specifications: ``findings``, each with severity, code, message and place."""
    found: dict[str, Any] = json.loads(_native.check(Path(path).read_bytes()))
    return found

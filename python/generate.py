"""Writes the parts of the package that follow from the program: the functions of the library and the operations of projects.

python python/generate.py            with ruff and the package installed that they are for
python python/generate.py --check    fails if a file is not as it should be
"""

from __future__ import annotations

import importlib.util
import json
import keyword
import subprocess
import sys
import textwrap
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parent / "fibula"
MARK = "# Written by python/generate.py.\n"
NUMBERS = {"float": "Number", "float3": "Vector"}
WIDTH = 112


def extension() -> ModuleType:
    """The extension module alone: the package cannot be imported before its generated files are there."""
    spec = PathFinder.find_spec("_native", [str(Path(folder) / "fibula") for folder in sys.path])
    if spec is None or spec.loader is None:
        sys.exit("the package fibula is not installed")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_native = extension()


def name_of(name: str) -> str:
    return name + "_" if keyword.iskeyword(name) else name


def paragraph(text: str, indent: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def sentence(text: str) -> str:
    # Names stay as they are.
    first = text[:1] if "_" in text.partition(" ")[0] else text[:1].upper()
    return first + text[1:].rstrip(".") + "."


def default_of(port: dict[str, Any]) -> str:
    value = port["default"]
    return repr(tuple(value)) if isinstance(value, list) else repr(value)


def parameter(port: dict[str, Any]) -> str:
    default = "" if port["default"] is None else f" = {default_of(port)}"
    return f"{name_of(port['name'])}: {NUMBERS[port['type']]}{default}"


def described(ports: list[dict[str, Any]], indent: str) -> str:
    lines = []
    for port in ports:
        unit = {"length": " (length)", "radians": " (radians)", "whole number": " (whole number)"}.get(
            port["unit"], ""
        )
        first = f"{indent}    {name_of(port['name'])}: "
        text = f"{sentence(port['about']).rstrip('.')}{unit}."
        lines.append(textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=indent + " " * 8))
    return "\n".join(lines)


def docstring(function: dict[str, Any], ports: list[dict[str, Any]], indent: str, value: str | None) -> str:
    # A remark for agents, who have a tool for it.
    about = function["about"].partition("; create_function_from_expression")[0]
    text = paragraph('"""' + sentence(about), indent)
    if ports:
        text += f"\n\n{indent}Args:\n{described(ports, indent)}"
    if value:
        text += f"\n\n{indent}Value: {value}."
    return text + f'\n{indent}"""'


def classified(function: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """What a function of the library becomes, and its parameters there."""
    ports = function["inputs"]
    first, rest = ports[0], ports[1:]
    output = function["outputs"][0]["type"]
    is_point = first["type"] == "float3" and first["default"] is None
    if is_point and output == "float3":
        return "warp", rest
    if is_point and rest and rest[0]["default"] is None:
        return "solid", rest[1:]
    if is_point:
        return "shape", rest
    return ("operator", rest) if first["default"] is None else ("number", ports)


def library() -> str:
    functions = json.loads(_native.library_functions())
    text = (
        f'"""The shapes and numbers of the library, see docs/library.md: ``fibula.sphere(5)``."""\n\n{MARK}\n'
        "from __future__ import annotations\n\nfrom typing import Any\n\n"
        "from .function import Function, Number, Vector, from_library, number_of\n\n"
    )
    bodies = []
    names = []
    for function in functions:
        kind, ports = classified(function)
        if kind not in ("shape", "number"):
            continue
        name = name_of(function["name"])
        names.append(name)
        result = "Function" if kind == "shape" else "Any"
        value = function["distance"] if kind == "shape" else "a float; a function if an argument is one"
        members = ", ".join(f'"{port["name"]}": {name_of(port["name"])}' for port in ports)
        call = (
            f'from_library("{function["name"]}", {{{members}}}, "{function["inputs"][0]["name"]}")'
            if kind == "shape"
            else f'number_of("{function["name"]}", {{{members}}})'
        )
        bodies.append(
            f"def {name}({', '.join(map(parameter, ports))}) -> {result}:\n"
            f"{docstring(function, ports, '    ', value)}\n    return {call}\n"
        )
    listed = "".join(f'    "{name}",\n' for name in sorted(names))
    return f"{text}__all__ = [\n{listed}]\n\n\n" + "\n\n".join(bodies)


def methods() -> str:
    functions = json.loads(_native.library_functions())
    text = (
        f'"""The operators of the library as methods of functions, see docs/library.md."""\n\n{MARK}\n'
        "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING, cast\n\n"
        "if TYPE_CHECKING:\n    from .function import Function, Number, Vector\n\n\n"
        "class LibraryMethods:\n"
        '    """Methods of :class:`fibula.Function`."""\n'
    )
    # Written by hand, with options for edges.
    combined = {"union", "intersection", "difference"}
    for function in functions:
        kind, ports = classified(function)
        if kind not in ("warp", "solid", "operator") or function["name"] in combined:
            continue
        annotated = [
            f"{name_of(port['name'])}: Function" if port["default"] is None else parameter(port)
            for port in ports
        ]
        pairs = ", ".join(f'("{port["name"]}", {name_of(port["name"])})' for port in ports)
        own = 'cast("Function", self)'
        if kind == "warp":
            # The shape is evaluated at the point that the function returns.
            call = f'call_library("{function["name"]}", [{pairs}], point="pos", at={own})'
            value = None
        else:
            first = function["inputs"][1 if kind == "solid" else 0]["name"]
            every = ", ".join(filter(None, [f'("{first}", {own})', pairs]))
            point = ', point="pos"' if kind == "solid" else ""
            call = f'call_library("{function["name"]}", [{every}]{point})'
            value = f"{function['distance']}, if the distances are exact"
        text += (
            f"\n    def {name_of(function['name'])}(self{''.join(', ' + one for one in annotated)}) -> Function:\n"
            f"{docstring(function, ports, '        ', value)}\n"
            f"        from .function import call_library\n\n        return {call}\n"
        )
    return text


TYPES = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}


def type_of(schema: Any) -> str:
    if not isinstance(schema, dict):
        return "Any"
    kind = schema.get("type")
    if kind == "array":
        return f"Sequence[{type_of(schema.get('items', {}))}]"
    if kind == "object":
        return "Mapping[str, Any]"
    return TYPES.get(kind, "Any") if isinstance(kind, str) else "Any"


def operations() -> str:
    # What answers as another system does is for clients of that system.
    all_operations = [one for one in json.loads(_native.operations()) if one["group"] != "graph-mode"]
    without = [one["name"] for one in all_operations if "project" not in one["request"].get("properties", {})]
    export = next(one["request"]["properties"] for one in all_operations if one["name"] == "export")
    formats = tuple(export["format"]["enum"])
    text = (
        f'"""The operations of projects as methods, the same as the routes of REST and the tools of MCP."""\n\n{MARK}\n'
        "from __future__ import annotations\n\nimport builtins\nfrom collections.abc import Mapping, Sequence\nfrom typing import Any\n\n"
        f"#: Operations on the store.\nWITHOUT_PROJECT = frozenset({without!r})\n"
        f"#: Endings of the files of parts.\nFORMATS = {formats!r}\n\n\n"
        "class ProjectOperations:\n"
        '    """Methods of :class:`fibula.Project`; each returns the answer of the operation: JSON, or a file with warnings."""\n\n'
        "    def _answer(self, operation: str, request: Mapping[str, Any]) -> Any:\n"
        "        raise NotImplementedError\n"
    )
    for operation in all_operations:
        schema = operation["request"]
        members = {key: one for key, one in schema.get("properties", {}).items() if key != "project"}
        required = [key for key in schema.get("required", []) if key in members]
        optional = [key for key in members if key not in required]
        signature = [f"{name_of(key)}: {type_of(members[key])}" for key in required]
        signature += [f"{name_of(key)}: {type_of(members[key])} | None = None" for key in optional]
        signature = [one.replace("Any | None", "Any") for one in signature]
        star = ", *, " if signature else ""
        lines = [paragraph('"""' + sentence(operation["summary"].partition(" Example: ")[0]), "        ")]
        about = [(key, members[key].get("description", "")) for key in [*required, *optional]]
        if about:
            lines.append("\n        Args:")
        for key, description in about:
            first = f"            {name_of(key)}: "
            said = sentence(description) if description else "See the schema of the request."
            lines.append(textwrap.fill(said, WIDTH, initial_indent=first, subsequent_indent=" " * 16))
        lines.append('        """')
        body = "\n".join(lines).replace("\\", "\\\\")
        pairs = ", ".join(f'"{key}": {name_of(key)}' for key in [*required, *optional])
        answer = "tuple[bytes, builtins.list[str]]" if operation["is_file"] else "dict[str, Any]"
        text += (
            f"\n    def {name_of(operation['name'])}(self{star}{', '.join(signature)}) -> {answer}:\n{body}\n"
            f'        answer: {answer} = self._answer("{operation["name"]}", {{{pairs}}})\n'
            "        return answer\n"
        )
    return text


def formatted(name: str, text: str) -> str:
    """The text as ruff formats it."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(FOLDER / name), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def main() -> int:
    files = {"library.py": library(), "_library_methods.py": methods(), "_project_operations.py": operations()}
    files = {name: formatted(name, text) for name, text in files.items()}
    stale = [name for name, text in files.items() if (FOLDER / name).read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        for name in stale:
            print(f"python/fibula/{name} is stale: run python python/generate.py, and commit the result")
        return bool(stale)
    for name, text in files.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs the adder of the README as an agent would: with the official Python SDK, over stdio and over
streamable HTTP, in both protocol eras. Ends with 1 and the first difference it meets.

    python adder.py PATH_TO_FIBULA        (or FIBULA_BIN=PATH_TO_FIBULA python adder.py)

The SDK itself checks that every structuredContent fits the outputSchema of its tool.
adder.mjs is the same with the TypeScript SDKs.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

# The mode a client asks for, and the protocol that must come of it.
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}

# Tools that answer with an image carry no structuredContent; see adder.mjs.
IMAGE_TOOLS = {"create_function_from_expression", "render", "slice"}


class Difference(Exception):
    """The server did not do what an agent relies on."""


def expect(holds, what):
    if not holds:
        raise Difference(what)


def expect_equal(got, wanted, what):
    expect(got == wanted, f"{what}: expected {wanted!r}, got {got!r}")


async def converse(server, mode, protocol):
    """Connects, looks at the tools, builds the adder, is refused, goes back."""
    failure = None
    async with Client(server, mode=mode, read_timeout_seconds=30) as client:
        # Raised inside, it would arrive wrapped in the SDK's exception groups.
        try:
            expect_equal(client.protocol_version, protocol, "protocol version")
            tools = await list_tools(client)
            for tool in tools:
                check_tool(tool)
            await build_adder(Calls(client))
        except Exception as error:
            failure = error
    if failure is not None:
        raise failure
    return len(tools)


async def list_tools(client):
    tools, cursor = [], None
    while True:
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            return tools


def check_tool(tool):
    """What hosts need of a tool: they drop, silently, one whose schema they cannot take."""
    about = f"tool {tool.name}"
    expect(tool.title, f"{about}: no title")
    expect(tool.description, f"{about}: no description")
    for hint in ("read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint"):
        expect(isinstance(getattr(tool.annotations, hint, None), bool), f"{about}: annotations.{hint}")
    check_schema(tool.input_schema, f"{about}: inputSchema")
    if tool.output_schema is None:
        expect(tool.name in IMAGE_TOOLS, f"{about}: no outputSchema")
    else:
        check_schema(tool.output_schema, f"{about}: outputSchema")


def check_schema(schema, about):
    expect_equal(schema.get("type"), "object", f"{about}: type of the root")
    for key in ("oneOf", "anyOf", "allOf"):
        expect(key not in schema, f"{about}: {key} at the root")
    walk(schema, about)


def walk(schema, about):
    if isinstance(schema, list):
        for at, item in enumerate(schema):
            walk(item, f"{about}[{at}]")
    elif isinstance(schema, dict):
        for key in ("$ref", "$defs", "definitions"):
            expect(key not in schema, f"{about}: has {key}")
        for key, value in schema.items():
            walk(value, f"{about}.{key}")


class Calls:
    def __init__(self, client):
        self.client = client

    async def call(self, name, /, **arguments):
        """Calls a tool and gives its fields."""
        result = await self.client.call_tool(name, arguments)
        expect(not result.is_error, f"{name} {arguments} was refused: {text_of(result)}")
        expect(result.structured_content is not None, f"{name}: no structuredContent")
        return result.structured_content

    async def refused(self, code, name, /, **arguments):
        """Calls a tool and expects its refusal."""
        result = await self.client.call_tool(name, arguments)
        about, text = f"{name} {arguments}", text_of(result)
        expect(result.is_error, f"{about} was not refused: {text}")
        expect(result.structured_content is None, f"{about}: structuredContent on an error")
        expect(text.startswith(f"{code}: "), f"{about}: expected '{code}: ...', got '{text}'")
        expect(re.search(r'"success":\s*false', text), f"{about}: the text lacks success: false as JSON")


def text_of(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


async def build_adder(tools):
    made = await tools.call("create_function_from_expression", name="MyAdder", expression="0")
    function_id = made["function_id"]

    async def create(node_type):
        return (await tools.call("create_node", function_id=function_id, node_type=node_type))["node_id"]

    async def set_value(node_id, value):
        answer = await tools.call(
            "set_parameter_value", function_id=function_id, node_id=node_id, parameter_name="Value", value=value
        )
        expect_equal(answer["success"], True, "set_parameter_value: success")

    def ends(source, port, target, parameter):
        return {
            "function_id": function_id,
            "source_node_id": source,
            "source_port_name": port,
            "target_node_id": target,
            "target_parameter_name": parameter,
        }

    async def link(*of):
        expect_equal((await tools.call("create_link", **ends(*of)))["success"], True, "create_link: success")

    expect_equal(await create("ConstantScalar"), 1, "id of the first ConstantScalar")
    expect_equal(await create("ConstantScalar"), 2, "id of the second ConstantScalar")
    await set_value(1, 5)
    await set_value(2, 10)
    expect_equal(await create("Addition"), 3, "id of the Addition")
    await link(1, "Value", 3, "A")
    await link(2, "Value", 3, "B")
    await link(3, "Result", 0, "Shape")

    values = (await tools.call("evaluate", function_id=function_id))["values"]
    expect_equal(values.get("shape"), 15, f"5 + 10, answered {values}")

    info = await tools.call("get_node_info", function_id=function_id, node_id=3)
    expect_equal(info["success"], True, "get_node_info: success")
    expect_equal(info["node_id"], 3, "get_node_info: node_id")
    expect_equal(info["node_type"], "Addition", "get_node_info: node_type")
    for name in ("A", "B"):
        expect(info["parameters"][name].get("type"), f"get_node_info: parameters.{name}.type")
        expect(info["parameters"][name].get("source"), f"get_node_info: parameters.{name}.source")
    expect(all(output.get("type") for output in info["outputs"].values()), "get_node_info: outputs")

    await tools.refused("unknown_port", "create_link", **ends(1, "Nonsense", 3, "A"))
    vector, compose = await create("ConstantVector"), await create("ComposeVector")
    await tools.refused("type_mismatch", "create_link", **ends(vector, "Vector", compose, "X"))
    one, other = await create("Addition"), await create("Addition")
    await link(one, "Result", other, "A")
    await tools.refused("cycle", "create_link", **ends(other, "Result", one, "A"))

    # The refusals left no trace, so the newest step is the link between the two Additions.
    before = await listed(tools, function_id)
    expect_equal(before["name"], "MyAdder", "list_functions: name")
    await tools.call("undo")
    after = await listed(tools, function_id)
    expect_equal(after["link_count"], before["link_count"] - 1, "link_count after undo")
    expect_equal(after["node_count"], before["node_count"], "node_count after undo")

    kinds = json.dumps(await tools.call("list_node_types", search="addition"))
    expect('"Addition"' in kinds, f"list_node_types finds no Addition: {kinds}")


async def listed(tools, function_id):
    functions = (await tools.call("list_functions"))["functions"]
    found = [one for one in functions if one["function_id"] == function_id]
    expect(len(found) == 1, f"list_functions: {len(found)} functions have the id {function_id}")
    return found[0]


@contextmanager
def stdio_server(binary, scratch):
    yield StdioServerParameters(command=binary, args=["mcp"], env={"XDG_DATA_HOME": scratch}, cwd=scratch)


@contextmanager
def http_server(binary, scratch):
    """Starts `fibula serve` on a free port and stops it afterwards."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [binary, "serve", "--listen", f"127.0.0.1:{port}"],
        cwd=scratch,
        env=os.environ | {"XDG_DATA_HOME": scratch},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_until_listening(process, port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(timeout=10)


def wait_until_listening(process, port):
    end = time.monotonic() + 20
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.025)
    raise Difference(f"fibula serve ended, or did not listen on port {port} within 20 s")


def main():
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("FIBULA_BIN", "target/debug/fibula")
    binary = str(Path(given).resolve())
    failed = False
    for mode, protocol in ERAS.items():
        for means, start in (("stdio", stdio_server), ("HTTP", http_server)):
            where = f"Python SDK over {means}, protocol {protocol}"
            with tempfile.TemporaryDirectory(prefix="fibula-ci-") as scratch:
                try:
                    with start(binary, scratch) as server:
                        count = anyio.run(converse, server, mode, protocol)
                    print(f"ok: {where}, {count} tools", flush=True)
                except Exception:
                    failed = True
                    print(f"FAILED: {where}:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

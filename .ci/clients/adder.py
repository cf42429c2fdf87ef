"""Runs the adder of the README as an agent would: with the official Python SDK, over stdio and over
streamable HTTP, in both protocol eras. Ends with 1 if the server does not do what it should, and names the first difference of each run.

    python adder.py PATH_TO_FIBULA        (or FIBULA_BIN=PATH_TO_FIBULA python adder.py)

The SDK itself checks that every structuredContent fits the outputSchema of its tool.
adder.mjs is the same with the TypeScript SDKs.
"""

import json
import re
import sys
import time

import anyio
from sdks import IMAGE_TOOLS, expect, expect_equal, text_of, with_each

OPTIONS = ["--toolsets", "project,project-extra,function,geometry,knowledge"]


async def converse(hears, connected):
    """Connects, looks at the tools, builds the adder, is refused, goes back, is asked, gives up."""
    decisions, questions = ["decline", "accept"], []

    def decide(message):
        questions.append(message)
        return decisions.pop(0)

    async def use(connection):
        tools = await connection.list_tools()
        for tool in tools:
            check_tool(tool)
        calls = Calls(connection)
        await build_adder(calls)
        await is_asked(calls, questions, hears)
        await gives_up(connection, calls)
        return f"{len(tools)} tools"

    return await connected(OPTIONS, use, decide)


def check_tool(tool):
    """What hosts need of a tool: they drop, silently, one whose schema they cannot take."""
    about = f"tool {tool['name']}"
    expect(tool.get("title"), f"{about}: no title")
    expect(tool.get("description"), f"{about}: no description")
    for hint in ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"):
        expect(isinstance(tool.get("annotations", {}).get(hint), bool), f"{about}: annotations.{hint}")
    check_schema(tool["inputSchema"], f"{about}: inputSchema")
    if "outputSchema" in tool:
        check_schema(tool["outputSchema"], f"{about}: outputSchema")
    else:
        expect(tool["name"] in IMAGE_TOOLS, f"{about}: no outputSchema")


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
    def __init__(self, connection):
        self.connection = connection

    async def call(self, name, /, **arguments):
        """Calls a tool and gives its fields."""
        result = await self.connection.call_tool(name, arguments)
        expect(not result.get("isError"), f"{name} {arguments} was refused: {text_of(result)}")
        expect("structuredContent" in result, f"{name}: no structuredContent")
        return result["structuredContent"]

    async def refused(self, code, name, /, **arguments):
        """Calls a tool and expects its refusal."""
        result = await self.connection.call_tool(name, arguments)
        about, text = f"{name} {arguments}", text_of(result)
        expect(result.get("isError"), f"{about} was not refused: {text}")
        expect("structuredContent" not in result, f"{about}: structuredContent on an error")
        expect(text.startswith(f"{code}: "), f"{about}: expected '{code}: ...', got '{text}'")
        expect(re.search(r'"success":\s*false', text), f"{about}: the text lacks success: false as JSON")


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


async def is_asked(calls, questions, can_ask):
    """A person is asked before a project is deleted, if the server can ask, and their decision counts."""
    await calls.call("create_project", project="asked")
    if can_ask:
        await calls.refused("not_confirmed", "delete_project", project="asked")
    await calls.call("delete_project", project="asked")
    expect_equal(len(questions), 2 if can_ask else 0, "questions")
    for question in questions:
        expect(question.startswith("Delete the project 'asked'"), f"the question is: {question}")


async def gives_up(connection, calls):
    """A client that waits no longer, by its own time limit or because it cancels, does not disturb the server."""
    expression = "gyroid(pos, 3, 0.5) + 1e-9 * sin(7 * pos.x) * sin(5 * pos.y)"
    made = await calls.call("create_function_from_expression", name="Lattice", expression=expression)
    work = {
        "function_id": made["function_id"],
        "bounds": [[0, 0, 0], [60, 60, 60]],
        "figures": ["wall"],
        "time_limit": 40,
    }
    try:
        await connection.call_tool("measure", work, seconds=0.3)
        expect(False, "the client's time limit had no effect")
    except Exception as error:
        expect(re.search("timed out", str(error), re.IGNORECASE), f"not timed out: {error!r}")
    with anyio.move_on_after(0.3) as scope:
        await connection.call_tool("measure", work)
    expect(scope.cancelled_caught, "the call ended before it was cancelled")
    begun = time.monotonic()
    await calls.call("list_functions")
    expect(time.monotonic() - begun < 5, "the server is busy with work that nobody waits for")


if __name__ == "__main__":
    sys.exit(with_each(converse))

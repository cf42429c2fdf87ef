"""Calls every tool of every toolset, and has nearly every one refused: the calls of tests/agents/tour.json with the official Python SDK, over
stdio and over streamable HTTP. Ends with 1 if the server does not do what it should, and names the first difference of each run.

    python tour.py PATH_TO_FIBULA        (or FIBULA_BIN=PATH_TO_FIBULA python tour.py)

The SDK itself checks every answer against the outputSchema of its tool. tour.mjs is the same with the TypeScript SDKs.
"""

import json
import sys
from pathlib import Path

from sdks import expect_equal, text_of, with_each

TOUR = json.loads((Path(__file__).parents[2] / "tests/agents/tour.json").read_text(encoding="utf-8"))


async def converse(_, connected):
    tools, calls = 0, 0
    for part in TOUR:

        async def use(connection, part=part):
            listed = {tool["name"] for tool in await connection.list_tools()}
            uncalled = set(listed)
            for name, arguments, *refusal in part["calls"]:
                check(f"{name} {arguments}", await connection.call_tool(name, arguments), refusal)
                if not refusal:
                    uncalled.discard(name)
            expect_equal(uncalled, set(), f"tools that are not called, of {part['options']}")
            return len(listed)

        tools += await connected(part["options"], use)
        calls += len(part["calls"])
    return f"{calls} calls of {tools} tools"


def check(about, result, refusal):
    """A refusal names its code in the last block, in every toolset."""
    text = text_of(result)
    expect_equal(result.get("isError", False), bool(refusal), f"{about}: {text}")
    if refusal:
        said = json.loads(result["content"][-1]["text"])
        expect_equal([said["error"], said["success"]], [*refusal, False], f"{about}: {text}")


if __name__ == "__main__":
    sys.exit(with_each(converse))

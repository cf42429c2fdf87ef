"""The official Python SDK by one interface, in whichever of its versions 1 and 2 is installed, and servers to try it with, for
adder.py and tour.py. Tools and results are as they are in JSON."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

import anyio
import mcp
from mcp import StdioServerParameters

if hasattr(mcp, "Client"):
    from mcp_types import ElicitResult

    VERSION = 2
    # The mode a client asks for, and the protocol that must come of it.
    ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
else:
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.types import ElicitResult

    VERSION = 1
    ERAS = {"legacy": "2025-11-25"}

# Tools that answer with an image carry no structuredContent; see sdks.mjs.
IMAGE_TOOLS = {"create_function_from_expression", "render", "render_graph", "slice"}

# How long a call may take, in seconds.
PATIENCE = 60


class Difference(Exception):
    """The server did not do what an agent relies on."""


def expect(holds, what):
    if not holds:
        raise Difference(what)


def expect_equal(got, wanted, what):
    expect(got == wanted, f"{what}: expected {wanted!r}, got {got!r}")


class Connection:
    """A client that is connected to a server."""

    def __init__(self, client, protocol):
        self.client = client
        self.protocol = protocol

    async def list_tools(self):
        tools, cursor = [], None
        while True:
            page = in_json(await self.client.list_tools(cursor=cursor))
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if cursor is None:
                return tools

    async def call_tool(self, name, arguments, seconds=PATIENCE):
        limit = seconds if VERSION == 2 else timedelta(seconds=seconds)
        return in_json(await self.client.call_tool(name, arguments, read_timeout_seconds=limit))


def in_json(answer):
    return answer.model_dump(mode="json", by_alias=True, exclude_none=True)


def text_of(result):
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")


def with_each(converse):
    """Runs a conversation in each era over each transport, in an empty folder that is the server's working directory, and reports how
    each one went; returns 1 if one failed. `converse` takes two arguments: whether the server can send notifications and questions that
    belong to no call; and a function that starts a server with some options, calls its second argument with a connection to it, and
    ends both."""
    failed = 0
    for mode, protocol in ERAS.items():
        for means, start in (("stdio", stdio_server), ("HTTP", http_server)):
            where = f"Python SDK {VERSION} over {means}, protocol {protocol}"
            with tempfile.TemporaryDirectory(prefix="fibula-ci-") as scratch:
                try:
                    hears = means == "stdio" or protocol > "2026"
                    told = anyio.run(converse, hears, partial(connected, start, scratch, mode))
                    print(f"ok: {where}, {told}", flush=True)
                except Exception:
                    failed = 1
                    print(f"FAILED: {where}:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
    return failed


async def connected(start, scratch, mode, options, use, decide=None):
    """Connects and calls `use` with the connection; `decide` answers the server's questions."""
    outcome, failure = None, None

    async def question(_, params):
        return ElicitResult(action=decide(params.message), content={})

    asked = {} if decide is None else {"elicitation_callback": question}
    with start(scratch, options) as server:
        async with connection(server, mode, asked) as (client, protocol):
            # Raised inside, it would arrive wrapped in the SDK's exception groups.
            try:
                expect_equal(protocol, ERAS[mode], "protocol version")
                outcome = await use(Connection(client, protocol))
            except Exception as error:
                failure = error
    if failure is not None:
        raise failure
    return outcome


@asynccontextmanager
async def connection(server, mode, asked):
    """A client of the installed version and the protocol that it speaks."""
    if VERSION == 2:
        async with mcp.Client(server, mode=mode, **asked) as client:
            yield client, client.protocol_version
        return
    transport = streamable_http_client(server) if isinstance(server, str) else stdio_client(server)
    async with transport as (read, write, *_), mcp.ClientSession(read, write, **asked) as client:
        greeting = await client.initialize()
        yield client, greeting.protocolVersion


@contextmanager
def stdio_server(scratch, options):
    yield StdioServerParameters(command=binary(), args=["mcp", "--data", ":memory:", *options], cwd=scratch)


@contextmanager
def http_server(scratch, options):
    """Starts `fibula serve` on a free port and stops it afterwards."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [binary(), "serve", "--data", ":memory:", "--listen", f"127.0.0.1:{port}", *options],
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        try:
            wait_until_listening(process, port)
            yield f"http://127.0.0.1:{port}/mcp"
        except Exception:
            said.seek(0)
            print(said.read().decode(errors="replace"), file=sys.stderr)
            raise
        finally:
            process.terminate()
            process.wait(timeout=10)


def binary():
    """The program that is tried."""
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("FIBULA_BIN", "target/debug/fibula")
    return str(Path(given).resolve())


def wait_until_listening(process, port):
    end = time.monotonic() + 20
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.025)
    raise Difference(f"fibula serve ended, or did not listen on port {port} within 20 s")

"""The official Python client against the built program, over stdio and over HTTP, in each revision it speaks."""

import sys

import anyio
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

BINARY, ROOT, URL = sys.argv[1:4]

# Finds one line, in a folder of its own.
GREET = {"pattern": "pub fn greet", "path": "src"}

# No file matches it, there are gigabytes of files below `big`, and no literal part makes it quick.
SLOW = {"pattern": r"\b[a-f]{3}[0-9]{2}[a-f]{3}\b", "path": "big"}

passed = 0


def check(fact, holds):
    global passed
    assert holds, f"not so: {fact}"
    passed += 1


async def session(name, server, mode, version):
    async with Client(server, mode=mode) as client:
        check(f"{name}: {version} is spoken", client.protocol_version == version)
        if mode != version:
            # A client that brings the version along asks nobody, and learns no names.
            check(f"{name}: the server says who it is", client.server_info.name == "orienteer")
            check(f"{name}: it gives instructions", "search_code" in client.instructions)

        # The client keeps the output schemas and from now on checks every structured result against them.
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        check(f"{name}: search_code is offered", "search_code" in tools)
        check(f"{name}: read_file is offered", "read_file" in tools)
        check(f"{name}: every tool has an output schema", all(tool.output_schema for tool in tools.values()))

        found = await client.call_tool("search_code", GREET)
        check(f"{name}: the search succeeds", not found.is_error and found.structured_content["ok"] is True)
        check(f"{name}: the text names file and line", "src/greeting.rs:3:" in found.content[0].text)
        file = found.structured_content["files"][0]
        check(f"{name}: so does the structure", (file["file_path"], file["matches"][0]["line"]) == ("src/greeting.rs", 3))

        missing = await client.call_tool("read_file", {"file_path": "src/greting.rs"})
        check(f"{name}: a failed call is marked", missing.is_error and missing.structured_content["ok"] is False)
        step = missing.structured_content["next_steps"][0]
        check(f"{name}: it says what to do next", (step["kind"], step["tool"]) == ("tool", "read_file"))
        advised = await client.call_tool(step["tool"], step["arguments"])
        check(f"{name}: the step runs as given", not advised.is_error)

        try:
            await client.call_tool("serch_code", {})
            code = None
        except MCPError as error:
            code = error.error.code
        check(f"{name}: an unknown tool is an error of the protocol", code == -32602)

        await cancelled(name, client)
        with anyio.fail_after(30):
            after = await client.call_tool("search_code", GREET)
        check(f"{name}: cancelled calls give their places back", after.structured_content["ok"] is True)


async def cancelled(name, client):
    # Cancelled by the first sign of life, so that the search is surely at work by then.
    reports = []
    with anyio.fail_after(60):
        with anyio.CancelScope() as scope:

            async def progress(done, total, message):
                reports.append(done)
                scope.cancel()

            await client.call_tool("search_code", SLOW, progress_callback=progress)
    check(f"{name}: progress counts files", reports and reports[0] > 0)
    check(f"{name}: the cancelled call ends", scope.cancelled_caught)

    # More than may run at once: were their places not given back, the next call would wait for ever.
    with anyio.move_on_after(0.5) as scope:
        async with anyio.create_task_group() as group:
            for _ in range(12):
                group.start_soon(client.call_tool, "search_code", SLOW)
    check(f"{name}: all of them end", scope.cancelled_caught)


async def main():
    stdio = StdioServerParameters(command=BINARY, args=["mcp"], cwd=ROOT)
    for name, server in [("stdio", stdio), ("http", URL)]:
        await session(f"{name}, handshake", server, "legacy", LATEST_HANDSHAKE_VERSION)
        await session(f"{name}, discovery", server, "auto", LATEST_MODERN_VERSION)
        await session(f"{name}, without", server, LATEST_MODERN_VERSION, LATEST_MODERN_VERSION)


anyio.run(main)
# The last line tells "everything was checked" from "the script ended early".
print(f"{passed} checks passed")

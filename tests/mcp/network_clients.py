#!/usr/bin/env python3
"""network_clients.py TILEWRIGHT FOLDER: the protocol's own clients list and call every tool with the example in its schema.

The inspector comes from npm, the package `mcp` from PyPI; they are kept in FOLDER. Both hold each answer against the tool's schema.
Exit status 77 where neither can be had.
"""
import json
import os
import shutil
import subprocess
import sys
import venv

BINARY, FOLDER = (os.path.abspath(path) for path in sys.argv[1:3])

SESSION = '''
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    async with stdio_client(StdioServerParameters(command=sys.argv[1], args=["mcp"])) as streams, ClientSession(*streams) as session:
        await session.initialize()
        called = 0
        for tool in (await session.list_tools()).tools:
            schema = tool.model_dump(by_alias=True)["inputSchema"]
            for example in schema["examples"]:
                result = (await session.call_tool(tool.name, example)).model_dump(by_alias=True)
                assert not result["isError"] and result["structuredContent"], (tool.name, result)
                called += 1
        resources = (await session.list_resources()).resources
        await session.read_resource(resources[0].uri)
        await session.send_ping()
        print(json.dumps({"called": called, "resources": len(resources)}))


asyncio.run(main())
'''


def done(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **more)


def python_client():
    """What the client of the package did; None: it cannot be had."""
    where = os.path.join(FOLDER, "python")
    python = os.path.join(where, "bin", "python")
    if not os.path.exists(os.path.join(where, "ready")):
        shutil.rmtree(where, ignore_errors=True)
        venv.create(where, with_pip=True)
        if done(python, "-m", "pip", "install", "-q", "mcp").returncode:
            return None
        open(os.path.join(where, "ready"), "w").close()
    said = done(python, "-c", SESSION, BINARY)
    assert said.returncode == 0, said.stdout + said.stderr
    return json.loads(said.stdout)


def inspector():
    """How many tools the inspector called; None: it cannot be had."""
    where = os.path.join(FOLDER, "inspector")
    program = os.path.join(where, "node_modules", ".bin", "mcp-inspector")
    if not shutil.which("npm"):
        return None
    if not os.path.exists(program):
        os.makedirs(where, exist_ok=True)
        if done("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "@modelcontextprotocol/inspector", cwd=where).returncode:
            return None

    def ask(*words):
        said = done(program, "--cli", BINARY, "mcp", *words)
        assert said.returncode == 0, f"{words}: {said.stdout}{said.stderr}"
        return json.loads(said.stdout)

    called = 0
    for tool in ask("--method", "tools/list")["tools"]:
        for example in tool["inputSchema"]["examples"]:
            words = []
            for name, value in example.items():
                words += ["--tool-arg", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
            result = ask("--method", "tools/call", "--tool-name", tool["name"], *words)
            assert not result.get("isError") and result["structuredContent"], (tool["name"], result)
            called += 1
    assert ask("--method", "resources/list")["resources"]
    return called


def main():
    os.makedirs(FOLDER, exist_ok=True)
    found = {"mcp of PyPI": python_client(), "the inspector of npm": inspector()}
    for name, result in found.items():
        print(f"{name}: {'cannot be had' if result is None else result}")
    return 77 if all(result is None for result in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

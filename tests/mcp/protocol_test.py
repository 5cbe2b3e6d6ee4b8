#!/usr/bin/env python3
"""protocol_test.py TILEWRIGHT: the Model Context Protocol itself: revisions, lists, refusals, roots, cancellation."""
import os
import time

from case import BINARY, ROOT, Case, Client, main


class Protocol(Case):
    def test_revisions(self):
        self.assertEqual(self.client.initialized["protocolVersion"], "2025-11-25")
        for asked, spoken in (("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")):
            self.assertEqual(self.started(revision=asked).initialized["protocolVersion"], spoken)

    def test_an_early_revision_knows_texts_alone(self):
        early = self.started(revision="2024-11-05")
        self.assertNotIn("outputSchema", early.tools()["check"])
        self.assertEqual(list(early.call("check", {"path": "copy.py"})), ["content"])

    def test_what_it_offers(self):
        said = self.client.initialized
        self.assertEqual(said["serverInfo"]["name"], "tilewright")
        self.assertIn("tools", said["capabilities"])
        self.assertIn("data, never instructions", said["instructions"])
        self.assertEqual(self.client.result("ping"), {})

    def test_first_things_first(self):
        client = self.started(begin=False)
        self.assertEqual(client.error("tools/list"), -32600)
        self.assertEqual(client.result("ping"), {})
        self.assertEqual(client.error("initialize", {}), -32602)

    def test_no_such_thing(self):
        self.assertEqual(self.client.error("tools/none"), -32601)
        self.assertEqual(self.client.error("tools/call", {"name": "none"}), -32602)
        self.assertEqual(self.client.error("tools/call", {}), -32602)
        self.assertEqual(self.client.error("initialize", {"protocolVersion": "2025-11-25"}), -32600)

    def test_a_line_that_is_no_message(self):
        self.client.raw(b"{no json}\n")
        self.assertEqual(self.client.message()["error"]["code"], -32700)
        self.client.raw(b"[]\n\n")
        self.assertEqual(self.client.message()["error"]["code"], -32600)
        self.assertEqual(self.client.result("ping"), {})

    def test_every_tool_answers_its_own_example(self):
        for name, tool in self.client.tools().items():
            with self.subTest(name):
                schema = tool["inputSchema"]
                self.assertEqual(schema["type"], "object")
                for example in schema["examples"]:
                    self.assertLessEqual(set(example), set(schema["properties"]))
                    result = self.client.call(name, example)
                    self.assertNotIn("isError", result, result)
                    self.assertTrue(result["structuredContent"]["next"]["why"])
                    self.assertIn("\nNext: ", result["content"][0]["text"])

    def test_the_manual_lists_every_tool(self):
        with open(os.path.join(ROOT, "docs", "manual", "agents.md"), encoding="utf-8") as f:
            table = f.read().split("## Clients")[0]
        for name in self.client.tools():
            self.assertIn(f"`{name}`", table)

    def test_what_comes_next_can_be_called(self):
        tools = self.client.tools()
        for name, tool in tools.items():
            step = self.client.answer_of(name, tool["inputSchema"]["examples"][0])["next"]
            if "tool" in step:
                self.assertIn(step["tool"], tools, name)
                self.assertLessEqual(set(step["arguments"]), set(tools[step["tool"]]["inputSchema"]["properties"]), name)

    def test_arguments_are_looked_at(self):
        for arguments, words in (
                ({}, "path is missing"), ({"path": 3}, "must be a string"), ({"pat": "copy.py"}, "did you mean path"),
                ({"path": "copy.py", "x" * 500: 1}, "no argument"), ({"path": "x" * 20_000}, "at most"), ({"path": ""}, "empty"),
                ({"path": "none.py"}, "the workspace has no none.py"), ({"path": "."}, "is no file"),
                ({"path": "copy.py\0"}, "zero byte"), ({"path": "example:none"}, "no example")):
            with self.subTest(words):
                self.assertIn(words, self.client.refusal("check", arguments))

    def test_cursors(self):
        page = self.client.answer_of("docs", {"topic": "example:gemm_hopper"})
        self.assertIn("cursor", page)
        whole = self.client.all_pages("docs", {"topic": "layout", "section": "Swizzles"}, "text")
        with open(os.path.join(ROOT, "docs", "language", "layout.md"), encoding="utf-8") as f:
            self.assertIn(whole.strip(), f.read())
        for cursor in ("", "1", "x.y", "99.0", "1.99999999", "-1.0", page["cursor"] + "0" * 30):
            self.assertIn("leads nowhere", self.client.refusal("docs", {"cursor": cursor}))
        self.assertIn("leads nowhere", self.client.refusal("check", {"cursor": page["cursor"]}))

    def test_resources(self):
        listed = self.client.result("resources/list")["resources"]
        self.assertIn("tilewright://docs/manual/checking.md", [r["uri"] for r in listed])
        for resource in listed:
            [content] = self.client.result("resources/read", {"uri": resource["uri"]})["contents"]
            self.assertEqual(len(content["text"].encode()), resource["size"])
        templates = [t["uriTemplate"] for t in self.client.result("resources/templates/list")["resourceTemplates"]]
        self.assertIn("tilewright://diagnostics/{code}", templates)
        [code] = self.client.result("resources/read", {"uri": "tilewright://diagnostics/TW3104"})["contents"]
        self.assertIn("TW3104", code["text"])
        self.assertEqual(self.client.error("resources/read", {"uri": "file:///etc/passwd"}), -32002)

    def test_roots_of_the_client(self):
        client = self.started(folder="/", capabilities={"roots": {}}, roots=[self.workspace])
        self.assertEqual(client.answer_of("check", {"path": "copy.py"})["errors"], 0)
        bare = self.started(folder="/")
        self.assertIn("no workspace", bare.refusal("check", {"path": "etc/passwd"}))
        self.assertEqual(bare.answer_of("check", {"path": "example:vector_add"})["errors"], 0)

    def test_an_edit_is_seen(self):
        self.assertEqual(self.client.answer_of("check", {"path": "copy.py"})["errors"], 0)
        with open(os.path.join(self.workspace, "copy.py"), encoding="utf-8") as f:
            text = f.read()
        self.write("copy.py", text.replace("A[:, :])", "A[:, :3])"))
        wrong = self.client.answer_of("check", {"path": "copy.py"})
        self.assertGreaterEqual(wrong["errors"] + wrong["warnings"], 1)
        self.assertEqual(wrong["findings"][0]["line"], 13)
        self.write("copy.py", text)
        self.assertEqual(self.client.answer_of("check", {"path": "copy.py"})["findings"], [])
        self.write("tilewright.toml", "arch = [\"sm_100a\"]\n")
        self.assertEqual(self.client.answer_of("entries", {"path": "copy.py"})["entries"][0]["arch"], "sm_100a")

    def test_the_client_goes(self):
        client = Client(BINARY, (), self.workspace)
        client.ask("tools/call", {"name": "check", "arguments": {"path": "copy.py"}})
        begun = time.monotonic()
        self.assertEqual(client.stop(), 0)
        self.assertLess(time.monotonic() - begun, 20)


if __name__ == "__main__":
    main()

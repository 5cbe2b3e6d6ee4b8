#!/usr/bin/env python3
"""http_test.py TILEWRIGHT: the Model Context Protocol over HTTP: sessions, the token, whose page may ask, bounds."""
import http.client
import json
import os
import re
import subprocess
import socket
import threading
import unittest

from case import BINARY, COPY, Case, main

NEWEST = "2025-11-25"


class Http(Case):
    def setUp(self):
        super().setUp()
        self.process = subprocess.Popen([BINARY, "mcp", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, cwd=self.workspace, text=True)
        self.token = re.search(r"show: (\w+)", self.process.stderr.readline())[1]
        self.port = int(re.search(r"http://127.0.0.1:(\d+)/mcp", self.process.stderr.readline())[1])
        self.addCleanup(self.end)

    def end(self):
        self.process.terminate()
        self.assertEqual(self.process.wait(30), 0)
        self.process.stderr.close()

    def ask(self, message, session=None, method="POST", path="/mcp", **headers):
        """(status, headers, body) of a request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        given |= {"Mcp-Session-Id": session} if session else {}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        body = message if isinstance(message, (bytes, type(None))) else json.dumps(message).encode()
        connection.request(method, path, body, {k: v for k, v in given.items() if v is not None})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), data

    def begin(self):
        status, headers, body = self.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                                          "params": {"protocolVersion": NEWEST, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
        self.assertEqual(status, 200, body)
        self.assertEqual(json.loads(body)["result"]["protocolVersion"], NEWEST)
        session = headers["Mcp-Session-Id"]
        self.assertEqual(self.ask({"jsonrpc": "2.0", "method": "notifications/initialized"}, session)[0], 202)
        return session

    def call(self, session, name, arguments, **more):
        return {"jsonrpc": "2.0", "id": more.pop("id", 1), "method": "tools/call", "params": {"name": name, "arguments": arguments, **more}}

    def test_a_session(self):
        session = self.begin()
        status, _, body = self.ask(self.call(session, "check", {"path": "copy.py"}), session, MCP_Protocol_Version=NEWEST)
        self.assertEqual(status, 200)
        self.assertEqual(json.loads(body)["result"]["structuredContent"]["errors"], 0)
        pretty = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"}, indent=4).encode()
        self.assertEqual(json.loads(self.ask(pretty, session)[2]), {"jsonrpc": "2.0", "id": 2, "result": {}})
        self.assertEqual(self.ask(None, session, "DELETE")[0], 204)
        self.assertEqual(self.ask(self.call(session, "check", {"path": "copy.py"}), session)[0], 404)

    def test_events_tell_how_far_it_is(self):
        session = self.begin()
        status, headers, body = self.ask(self.call(session, "simulate", {"path": "copy.py"}, _meta={"progressToken": 5}), session)
        self.assertEqual((status, headers["Content-Type"]), (200, "text/event-stream"))
        events = [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: ")]
        self.assertEqual(events[0]["method"], "notifications/progress")
        self.assertEqual(events[-1]["result"]["structuredContent"]["verdict"], "clean")

    def test_who_may_ask(self):
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.assertEqual(self.ask(ping, Authorization=None)[0], 401)
        self.assertEqual(self.ask(ping, Authorization="Bearer " + "0" * 64)[0], 401)
        for origin in ("http://evil.example", "null", "http://127.0.0.1.evil.example", "http://localhost@evil.example"):
            self.assertEqual(self.ask(ping, Origin=origin)[0], 403, origin)
        self.assertEqual(self.ask(ping, Host="evil.example")[0], 403)
        session = self.begin()
        self.assertEqual(self.ask(ping, session, Origin="http://localhost:6274")[0], 200)

    def test_what_is_no_message_of_a_session(self):
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.assertEqual(self.ask(ping)[0], 400)
        self.assertEqual(self.ask(ping, "f" * 64)[0], 404)
        session = self.begin()
        self.assertEqual(self.ask(ping, session, path="/other")[0], 404)
        self.assertEqual(self.ask(None, session, "GET")[0], 405)
        self.assertEqual(self.ask(ping, session, Content_Type="text/plain")[0], 415)
        self.assertEqual(self.ask(b"{", session)[0], 400)
        self.assertEqual(self.ask(ping, session, MCP_Protocol_Version="1999-01-01")[0], 400)
        self.assertEqual(self.ask(b" " * (5 << 20), session)[0], 413)
        self.assertEqual(self.ask(ping, session)[0], 200)

    def test_bytes_that_are_no_request(self):
        for data in (b"\x16\x03\x01\x02\x00\x01", b"GET\n\n", b"POST /mcp HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                     b"POST /mcp HTTP/1.1\r\nX: " + b"a" * 100_000, b"POST /mcp HTTP/1.1\r\nContent-Length: 9\r\n\r\nab"):
            with socket.create_connection(("127.0.0.1", self.port), 10) as s:
                try:
                    s.sendall(data)
                    s.shutdown(socket.SHUT_WR)
                    while s.recv(4096):
                        pass
                except OSError:
                    pass
        self.begin()

    def test_sessions_are_bounded(self):
        sessions = []
        for _ in range(16):
            sessions.append(self.begin())
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": NEWEST, "capabilities": {}}}
        self.assertEqual(self.ask(message)[0], 503)
        self.assertEqual(self.ask(None, sessions[0], "DELETE")[0], 204)
        self.begin()

    def test_several_clients_at_once(self):
        self.write("slow.py", COPY)
        sessions = [self.begin() for _ in range(4)]
        found = []

        def work(session):
            for i in range(10):
                body = self.ask(self.call(session, "check", {"path": "copy.py"}, id=i), session)[2]
                found.append(json.loads(body)["result"]["structuredContent"]["errors"])

        threads = [threading.Thread(target=work, args=(s,)) for s in sessions]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, [0] * 40)


class Listening(unittest.TestCase):
    def refused(self, *arguments):
        done = subprocess.run([BINARY, "mcp", *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        return done.stderr

    def test_addresses(self):
        self.assertIn("loopback", self.refused("--listen", "0.0.0.0:0"))
        self.assertIn("HOST:PORT", self.refused("--listen", "7878"))
        self.assertIn("no port", self.refused("--listen", "127.0.0.1:99999"))
        self.assertIn("belongs to --listen", self.refused("--token-file", "x"))

    def test_a_token_of_a_file_is_its_owners(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "http_test.py")
        self.assertTrue(self.refused("--listen", "127.0.0.1:0", "--token-file", path))


if __name__ == "__main__":
    main()

"""A client of the build server, message by message."""
import json
import os
import queue
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import schema  # noqa: E402

SCHEMA = schema.load("bsp")
seen = set()  # names in the schema that messages of this process were held against


class Client:
    """Speaks to `argv` on its standard streams, or to an address through `connect`."""
    patience = 120  # seconds for an answer

    def __init__(self, argv=None, stream=None, cwd=None, env=None):
        self.process = None
        if argv:
            self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd, env=env)
            self.input, self.output = self.process.stdin, self.process.stdout
        else:
            self.input = self.output = stream
        self.next_id = 0
        self.answers, self.notes = {}, []
        self.asked, self.violations = {}, []
        self.changed = threading.Condition()
        self.over = False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            while True:
                length = None
                while (line := self.output.readline()) not in (b"\r\n", b""):
                    name, value = line.decode().split(":")
                    if name.lower() == "content-length":
                        length = int(value)
                if line == b"":
                    break
                message = json.loads(self.output.read(length))
                self.hold_against_schema(message)
                with self.changed:
                    if "method" in message:
                        self.notes.append(message)
                    else:
                        assert message["id"] is None or message["id"] not in self.answers, "answered twice"
                        self.answers[message["id"]] = message
                    self.changed.notify_all()
        except (OSError, ValueError):
            pass
        with self.changed:
            self.over = True
            self.changed.notify_all()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.input.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.input.flush()

    def notify(self, method, params=None):
        self.send({"method": method, "params": params})

    def hold_against_schema(self, message):
        """What the server says, and what was asked where it answered with a result."""
        def check(name, value):
            seen.add(name)
            known = SCHEMA["$defs"].get(name, {"enum": ["in the schema"]})
            self.violations.extend(f"{name}: {v}" for v in schema.violations(value, known, SCHEMA))

        if "method" in message:
            check(message["method"].replace("/", "_"), message["params"])
        elif "result" in message:
            method, params = self.asked.get(message["id"], ("unasked", None))
            name = method.replace("/", "_")
            check(name + "_result", message["result"])
            if params is not None:
                check(name + "_params", params)

    def ask(self, method, params=None):
        self.next_id += 1
        self.asked[self.next_id] = (method, params)
        self.send({"id": self.next_id, "method": method, "params": params})
        return self.next_id

    def wait(self, asked):
        with self.changed:
            assert self.changed.wait_for(lambda: asked in self.answers or self.over, self.patience), "no answer"
            assert asked in self.answers, "the server has gone"
            return self.answers[asked]

    def call(self, method, params=None):
        """The result; an error is an exception with the server's message."""
        answer = self.wait(self.ask(method, params))
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    def until(self, holds, patience=120):
        with self.changed:
            assert self.changed.wait_for(lambda: any(holds(n) for n in self.notes), patience), "not told"

    def told(self, method):
        with self.changed:
            return [n["params"] for n in self.notes if n["method"] == method]

    def forget(self):
        with self.changed:
            self.notes.clear()

    def initialize(self, root, **more):
        result = self.call("build/initialize", {"displayName": "test", "version": "1", "bspVersion": "2.2.0",
                                                "rootUri": "file://" + root,
                                                "capabilities": {"languageIds": ["tilescript"]}, **more})
        self.notify("build/initialized", {})
        return result

    def end(self):
        self.call("build/shutdown")
        self.notify("build/exit")
        return self.process.wait(30) if self.process else None


class Refused(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]

"""A client of the build server: each message of the server is held against the schema."""
import queue
import time

from support import jsonrpc, schema
from support.jsonrpc import Closed

SCHEMA = schema.load("bsp")
seen = set()  # names in the schema that messages of this process were held against


class Client(jsonrpc.Client):
    patience = 120  # seconds for an answer

    def __init__(self, read, write, close=lambda: None):
        self.process = None
        self.asked, self.answered, self.violations = {}, set(), []
        super().__init__(read, write, close)

    @classmethod
    def start(cls, command, **more):
        process = jsonrpc.started(command, **more)
        client = cls.of_process(process)
        client.process = process
        return client

    def received(self, message):
        """What the server says, and what was asked where it answered with a result."""
        def check(name, value):
            seen.add(name)
            known = SCHEMA["$defs"].get(name, {"enum": ["in the schema"]})
            self.violations.extend(f"{name}: {v}" for v in schema.violations(value, known, SCHEMA))

        if "method" in message:
            return check(message["method"].replace("/", "_"), message["params"])
        if message["id"] is not None and message["id"] in self.answered:
            self.violations.append(f"request {message['id']} is answered twice")
        self.answered.add(message["id"])
        if "result" in message:
            method, params = self.asked.get(message["id"], ("unasked", None))
            name = method.replace("/", "_")
            check(name + "_result", message["result"])
            if params is not None:
                check(name + "_params", params)

    def ask(self, method, params=None, id=None):
        self.asked[self.next_id if id is None else id] = (method, params)
        return super().ask(method, params, id)

    @property
    def notes(self):
        """The notifications since the last `forget`."""
        try:
            while True:
                self.take()
        except (queue.Empty, Closed):
            return [m for m in self.seen if "method" in m]

    def until(self, holds, patience=120):
        """Waits for a notification, which stays among the notes."""
        end = time.monotonic() + patience
        while not any(holds(n) for n in self.notes):
            assert time.monotonic() < end, "not told"
            time.sleep(0.005)

    def told(self, method):
        return [n["params"] for n in self.notes if n["method"] == method]

    def forget(self):
        if self.notes:
            self.seen = [m for m in self.seen if "method" not in m]

    def initialize(self, root, **more):
        result = self.result("build/initialize", {"displayName": "test", "version": "1", "bspVersion": "2.2.0",
                                                  "rootUri": "file://" + root,
                                                  "capabilities": {"languageIds": ["tilescript"]}, **more})
        self.notify("build/initialized", {})
        return result

    def end(self):
        self.result("build/shutdown")
        self.notify("build/exit")
        return self.process.wait(30) if self.process else None

"""Jobs as clients send them to workers, on a stand-in for the driver (tests/gpu/fake_driver.cpp)."""
import uuid

COPY = "kernel k\ncopy 1 0 {bytes}\n"


def order(size=4096, **more):
    return {"symbol": "k", "grid": [1, 1, 1], "block": [1, 1, 1], "cluster": [1, 1, 1], "dynamic_shared_bytes": 0,
            "params": [{"kind": "pointer", "index": 0}, {"kind": "pointer", "index": 1}], "tensor_maps": [],
            "buffers": [{"name": "A", "bytes": size, "role": "input"}, {"name": "B", "bytes": size, "role": "output"}],
            "warmups": 0, "repeats": 0, "rivals": [], **more}


class Job:
    """A job as a client sends it, for one that is almost right."""

    def __init__(self, cubin=None, size=4096, key=None, attempt=1, **open_more):
        self.key, self.attempt, self.size = key or uuid.uuid4().hex, attempt, size
        self.cubin = (cubin or COPY.format(bytes=size)).encode()
        self.data = bytes(i * 7 % 251 for i in range(size)) if size <= 1 << 20 else bytes(size)
        self.more = open_more

    def params(self):
        return {"key": self.key, "attempt": self.attempt, "order": order(self.size), "cubins": [len(self.cubin)],
                **self.more}

    def which(self):
        return {"key": self.key, "attempt": self.attempt}

    def send_data(self, client):
        for at in range(0, len(self.cubin), 1 << 20):
            client.notify("job/data", {**self.which(), "what": "cubin", "index": 0, "offset": at},
                          self.cubin[at:at + (1 << 20)])
        for at in range(0, self.size, 1 << 20):
            client.notify("job/data", {**self.which(), "what": "buffer", "index": 0, "offset": at},
                          self.data[at:at + (1 << 20)])

    def bring(self, client):
        opened = client.request("job/open", self.params())
        assert "result" in opened, opened
        self.send_data(client)

    def start(self, client):
        self.bring(client)
        return client.ask("job/run", self.which())

    def run(self, client):
        """The outcome, and what buffer B held."""
        answer = client.answer(self.start(client))
        left = bytearray(self.size)
        for message in client.before:
            if message.get("method") == "job/result" and message["params"]["what"] == "contents":
                p = message["params"]
                left[p["offset"]:p["offset"] + len(message.payload)] = message.payload
        return answer, bytes(left)

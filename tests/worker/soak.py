#!/usr/bin/env python3
"""soak.py TILEWRIGHT [SECONDS] [CLIENTS]: one worker under mixed jobs of many clients, some of which fault, hang, are
cancelled, or lose their client midway, while processes of the worker are killed at random (default: 1800 s, 16).

Each job's tensor is its own, so a result that went to another client shows. At the end nothing may be held, queued or
running, no process may be left, and the worker's memory has to be what it was after the first tenth of the time.
"""
import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from support.jobs import Job  # noqa: E402
from support.jsonrpc import Closed  # noqa: E402
from support.patience import wait_until  # noqa: E402
from support.soaking import Soaking  # noqa: E402
from support.worker import Worker  # noqa: E402

BINARY, FAKE = os.path.abspath(sys.argv[1]), os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 1800
CLIENTS = int(sys.argv[3]) if len(sys.argv) > 3 else 16
SLACK = 48 << 20  # bytes that the allocator may keep


class Soak(Soaking):
    def __init__(self):
        env = {**os.environ, "FAKE_CUDA_DEVICES": "2"}
        self.worker = Worker(BINARY, "--on", "gpu", "--driver", FAKE, "--nvml", FAKE, "--no-compiler", "--time-limit", "15",
                             "--memory-limit", "1", env=env)
        super().__init__(SECONDS)

    def job(self, rng):
        size = rng.choice((64, 4096, 100_000, 3_000_000))
        job = Job(size=size)
        job.data = rng.randbytes(size)
        return job

    @staticmethod
    def status_of(answer):
        return answer.get("result", {}).get("outcome", {}).get("status", str(answer)[:200])

    def one(self, client, rng):
        kind = rng.choices(("good", "fault", "hang", "crash", "cancel", "stray", "again"), (60, 6, 0.2, 6, 10, 6, 10))[0]
        job = self.job(rng)
        programs = {"fault": "fault 700\n", "hang": "hang\n", "crash": "crash\n", "cancel": "hang\n"}
        if kind in programs:
            job.cubin = ("kernel k\n" + programs[kind]).encode()
        if kind == "cancel":
            number = job.start(client)
            time.sleep(rng.random() * 0.05)
            client.notify("$/cancelRequest", {"id": number})
            answer = client.answer(number)
            status = "cancelled" if "cancelled" in str(answer.get("error")) else self.status_of(answer)
            expected = ("cancelled", "lost")  # it may have been killed before
        elif kind == "stray":
            client.notify("job/data", {"key": "unknown", "attempt": 1, "what": "buffer", "index": 0, "offset": 0}, b"x" * 1000)
            status, expected = str(client.request("ping", {}).get("result")), ("{}",)
        else:
            if kind == "again":  # a second attempt while the first one waits
                job.start(client)
                job.attempt = 2
            answer, left = job.run(client)
            if "error" in answer and answer["error"]["code"] == -32010:
                return self.count("busy")
            status = self.status_of(answer)
            if status == "done" and left != job.data:
                self.wrong.append("a result is not its job's")
            # A process that is killed at random loses whatever it had.
            expected = {"fault": ("fault", "lost"), "hang": ("timeout", "lost"), "crash": ("lost",)}.get(kind, ("done", "lost"))
        self.count(f"{kind}: {status}")
        if status not in expected:
            self.wrong.append(f"{kind} ended as {status}")

    def client(self, seed):
        rng = random.Random(seed)
        while self.goes_on():
            try:
                client = self.worker.connect()
                client.hello()
                for _ in range(rng.randrange(1, 30)):
                    if time.monotonic() > self.end:
                        break
                    if rng.random() < 0.03:  # goes midway
                        self.job(rng).start(client)
                        self.count("gone midway")
                        break
                    self.one(client, rng)
                client.close()
            except (Closed, OSError) as e:
                self.wrong.append(f"a connection broke: {e!r}")

    def run(self):
        self.soak(CLIENTS, self.client, self.worker.children, "killed at random", self.worker.resident)
        self.worker.leave()
        client = self.worker.connect()
        client.hello()
        status = {}

        def quiet():
            status.update(client.request("status", {})["result"])
            return status["running"] == status["queued"] == status["held_bytes"] == 0

        wait_until("nothing is left", quiet)
        client.close()
        words = f"{status['done']} done and {status['failed']} failed, {len(self.worker.children())} processes left"
        if self.worker.end() != 0:
            self.wrong.append("the worker did not end well")
        return self.report(words, SLACK)


if __name__ == "__main__":
    sys.exit(Soak().run())

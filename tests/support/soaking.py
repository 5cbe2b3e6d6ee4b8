"""What soaks share: clients in threads until the time is over, processes killed at random beside them, memory that has to stay."""
import os
import random
import signal
import threading
import time


class Soaking:
    def __init__(self, seconds):
        self.seconds = seconds
        self.counts, self.lock, self.wrong, self.memory = {}, threading.Lock(), [], []
        self.end = time.monotonic() + seconds

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def goes_on(self):
        return time.monotonic() < self.end and not self.wrong

    def kill_at_random(self, children, what):
        rng = random.Random(0)
        while self.goes_on():
            time.sleep(rng.random() * 2)
            if pids := children():
                try:
                    os.kill(rng.choice(pids), signal.SIGKILL)
                    self.count(what)
                except OSError:
                    pass

    def soak(self, clients, client, children, killed, resident):
        """`client(seed)` for so many seeds at once; `children()` are killed now and then, which counts as `killed`."""
        threads = [threading.Thread(target=client, args=(seed,)) for seed in range(1, clients + 1)]
        threads.append(threading.Thread(target=self.kill_at_random, args=(children, killed)))
        for t in threads:
            t.start()
        while any(t.is_alive() for t in threads):
            time.sleep(self.seconds / 40)
            self.memory.append(resident())

    def report(self, words, slack):
        """Prints what was counted, `words` and the memory; the exit status. `slack`: bytes that the allocator may keep."""
        first, last = max(self.memory[: max(1, len(self.memory) // 10)]), self.memory[-1]
        for what, times in sorted(self.counts.items()):
            print(f"{times:8} {what}")
        print(f"{words} in {self.seconds:.0f} s; resident {first >> 20} MB after a tenth of it, {last >> 20} MB at the end, at most "
              f"{max(self.memory) >> 20} MB")
        if last > first + slack:
            self.wrong.append("memory grows")
        for line in self.wrong[:10]:
            print("WRONG:", line)
        return 1 if self.wrong else 0

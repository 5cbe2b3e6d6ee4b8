#!/usr/bin/env python3
"""slow_kernels_test.py TILEWRIGHT: the profile says why each of slow_kernels.py is slow, at the line, and nothing of that at its twin."""
import os
import re
from concurrent.futures import ThreadPoolExecutor

from case import Case, main
from slow_kernels import KERNELS


class SlowKernels(Case):
    def profile(self, name, text):
        script = self.file(name + ".py", text)
        answer = self.expect(0, "run", script, "--on", "sim", "--schedules", "1", "--profile", "--as-written", "--json").json
        line = next(n for n, line in enumerate(text.splitlines(), 1) if line.endswith("# here"))
        return [d for d in answer["profile"]["advice"] if d["range"]["start"]["line"] == line], answer["profile"]

    def test_the_reason_stands_at_the_line_and_not_at_its_twin(self):
        def both(number):
            slow, fast = KERNELS[number].texts()
            return self.profile(f"slow{number}", slow), self.profile(f"fast{number}", fast)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for twins, ((slow, whole), (fast, _)) in zip(KERNELS, pool.map(both, range(len(KERNELS)))):
                with self.subTest(twins.name):
                    self.assertIn(twins.code, [d["code"] for d in slow], whole["advice"])
                    words = [d["message"] + "\n" + d["hint"] for d in slow if d["code"] == twins.code]
                    self.assertTrue(any(re.search(twins.words, w) for w in words), words)
                    left = [d["code"] for d in fast]
                    self.assertNotIn(twins.code, left, fast)
                    self.assertLessEqual(set(left), {d["code"] for d in slow}, fast)


if __name__ == "__main__":
    main()

"""Seeds of generated tests."""
import os
import random
import time


def seed(word):
    """A number, `day` (another one each day; TILEWRIGHT_SEED sets it) or `fresh` (another one each time), which is printed."""
    if word not in ("day", "fresh"):
        return int(word)
    chosen = int(os.environ.get("TILEWRIGHT_SEED") or time.strftime("%Y%m%d")) if word == "day" else random.SystemRandom().randrange(1 << 31)
    print(f"seed {chosen}", flush=True)
    return chosen

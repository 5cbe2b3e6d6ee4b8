"""How long tests wait."""
import os
import time

PATIENCE = int(os.environ.get("TILEWRIGHT_PATIENCE", "1"))  # more under sanitizers
TIMEOUT = 30 * PATIENCE  # seconds; generous, because only a hang may reach it


def wait_until(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)

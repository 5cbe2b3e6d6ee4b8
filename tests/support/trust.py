"""Consent to a project's settings, as a user gives it once: `tilewright trust FILE --yes`.

Importing this gives the test, and all that it starts, a folder of user settings of its own.
"""
import atexit
import os
import shutil
import subprocess
import tempfile

from support import release  # noqa: F401

os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="tilewright-config-")
atexit.register(shutil.rmtree, os.environ["XDG_CONFIG_HOME"], True)


def trust(binary, path, env=None):
    """The user agrees to what the settings at `path` (a file, a folder or a script) do."""
    done = subprocess.run([binary, "trust", path, "--yes"], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"trust {path}: {done.returncode}\n{done.stdout}{done.stderr}")

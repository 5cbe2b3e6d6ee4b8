"""The binary that was installed with this package, and its answers as JSON."""
import os


def find_tilewright_bin():
    """The path of the binary that was installed with this package; TILEWRIGHT_BIN names another one."""
    import sysconfig

    named = os.environ.get("TILEWRIGHT_BIN")
    if named:
        if os.path.isfile(named):
            return named
        raise FileNotFoundError(f"TILEWRIGHT_BIN is {named}, and there is no such file")
    places = [sysconfig.get_path("scripts"), os.path.join(os.path.dirname(os.path.dirname(__file__)), "bin"),
              sysconfig.get_path("scripts", scheme=f"{os.name}_user")]
    for place in places:
        path = os.path.join(place, "tilewright")
        if os.path.isfile(path):
            return path
    raise FileNotFoundError("tilewright is not beside its package: looked in " + ", ".join(places))


def answer(words, text=None):
    """(exit status, JSON or None, what was said on standard error) of a command of the binary."""
    import json
    import subprocess
    import sys

    # References in Python are computed by this interpreter, with what is installed for it.
    interpreter = {"TILEWRIGHT_PYTHON": sys.executable} if sys.executable else {}
    done = subprocess.run([find_tilewright_bin(), *map(str, words)], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", errors="replace", check=False, env={**interpreter, **os.environ})
    try:
        said = json.loads(done.stdout)
    except ValueError:
        said = None
    return done.returncode, said, done.stderr.strip()

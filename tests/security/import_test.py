"""A module that Python would not import does not pass: what ends it for certain is an error, and where something unknown decides it
is none. Each case has a twin that differs in that alone and passes."""
import json

from attack import attack, main

KERNEL = """
from tvm.script import tirx as T
@T.prim_func
def k(A: T.Buffer((64,), 'int32')):
    T.device_entry()
    tx = T.thread_id([64])
    A[tx] = 1
"""


def check(t, script, files=()):
    for name, text in dict(files).items():
        t.write(name, text)
    done = t.run("check", "--json", t.write("script.py", script))
    return done.returncode, done.stdout.decode(errors="replace")


def wrong(name, before, words, files=(), after="", line=None):
    """`before` stands above the kernel: an error with these words, at this line."""
    @attack(f"does not pass: {name}")
    def _(t):
        status, said = check(t, before + KERNEL + after, files)
        t.holds(status == 1, f"status {status}: {said[:500]}")
        t.holds(words in said, f"no {words!r} in {said[:800]}")
        if line is not None:
            places = [f.get("range", f).get("start", {}).get("line") for f in findings(said)]
            t.holds(line in places, f"no finding in line {line}, but in {places}: {said[:500]}")


def right(name, before, files=(), after=""):
    @attack(f"passes: {name}")
    def _(t):
        status, said = check(t, before + KERNEL + after, files)
        t.holds(status == 0, f"status {status}: {said[:800]}")


def findings(said):
    found, todo = [], [json.loads(said)]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            if "code" in value and "message" in value:
                found.append(value)
            todo += value.values()
        elif isinstance(value, list):
            todo += value
    return found


wrong("a raise", "raise ValueError('not here')\n", "ValueError: not here")
right("a raise in a function that nothing calls", "def f():\n    raise ValueError('not here')\n")
right("a raise that is caught", "try:\n    raise ValueError('not here')\nexcept ValueError:\n    pass\n")
wrong("a raise that another handler catches", "try:\n    raise ValueError('not here')\nexcept KeyError:\n    pass\n", "ValueError: not here")
wrong("a raise under a known condition", "N = 3\nif N > 2:\n    raise ValueError('too many')\n", "too many")
right("the same where it does not hold", "N = 1\nif N > 2:\n    raise ValueError('too many')\n")
right("a raise under an unknown condition", "import torch\nif not torch.cuda.is_available():\n    raise RuntimeError('no GPU')\n")
right("a raise that depends on the environment", "import os\nif 'GPU' not in os.environ:\n    raise RuntimeError('no GPU')\n")
right("a raise that depends on the version", "import sys\nif sys.version_info < (3, 12):\n    raise RuntimeError('too old')\n")
wrong("a raise in a function that is called", "def check(n):\n    if n % 2:\n        raise ValueError('odd')\n    return n\nN = check(3)\n", "odd")
right("the same with another argument", "def check(n):\n    if n % 2:\n        raise ValueError('odd')\n    return n\nN = check(4)\n")
wrong("an assertion", "N = 100\nassert N % 64 == 0, 'N is a multiple of 64'\n", "N is a multiple of 64")
right("an assertion that holds", "N = 128\nassert N % 64 == 0, 'N is a multiple of 64'\n")
right("an assertion on what is not known", "import torch\nassert torch.cuda.device_count() > 1\n")
wrong("a missing key", "CONFIG = {'m': 1}\nN = CONFIG['n']\n", "key 'n' is not in the dict")
right("the key", "CONFIG = {'m': 1}\nN = CONFIG['m']\n")
right("a key of an unknown dict", "import json\nCONFIG = json.load(open('config.json'))\nN = CONFIG['n']\n")
right("a key that unknown code may have added", "import registry\nCONFIG = {'m': 1}\nregistry.fill(CONFIG)\nN = CONFIG['n']\n")
right("a key of the environment", "import os\nN = os.environ['N']\n")
wrong("an index out of range", "SIZES = [64, 128]\nN = SIZES[2]\n", "out of range")
right("the last index", "SIZES = [64, 128]\nN = SIZES[-1]\n")
right("an index into what an unknown function fills", "import heapq\nSIZES = []\nheapq.heappush(SIZES, 64)\nN = SIZES[0]\n")
right("an index behind an unknown branch",
      "import torch\nSIZES = [64]\nif torch.version.hip:\n    pass\nelse:\n    SIZES = SIZES + [128]\nif torch.x:\n    SIZES = []\nN = SIZES[1]\n")
wrong("a text and a number", "N = 64 + '1'\n", "not defined between")
wrong("a call of a number", "N = 3\nM = N(4)\n", "cannot be called")
wrong("a call with too few arguments", "def f(a, b):\n    return a\nN = f(1)\n", "needs the argument")
right("with all of them", "def f(a, b=2):\n    return a\nN = f(1)\n")
wrong("a division by zero", "N = 64 // (3 - 3)\n", "division by zero")
wrong("a number that is none", "N = int('64x')\n", "is not an integer")
wrong("too many values", "a, b = 1, 2, 3\n", "cannot unpack")
wrong("sys.exit", "import sys\nsys.exit(1)\n", "SystemExit")
wrong("exit", "exit()\n", "SystemExit")
right("sys.exit below the kernels", "import sys\n", after="\nsys.exit(0)\n")
right("sys.exit of a program", "import sys\nif __name__ == '__main__':\n    sys.exit(1)\n")
right("sys.exit on what is not known", "import sys, torch\nif not torch.cuda.is_available():\n    sys.exit(1)\n")
right("sys.exit on the arguments", "import sys\nif len(sys.argv) < 2:\n    sys.exit('usage')\n")
right("what only a type checker sees", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    raise ValueError\n")
wrong("an endless loop", "while True:\n    pass\n", "TW2009")
wrong("a loop whose condition stays", "i = 0\nj = 0\nwhile i < 10:\n    j += 1\n", "TW2009")
right("a loop that breaks", "i = 0\nwhile True:\n    i += 1\n    if i > 10:\n        break\n")
wrong("a helper that raises", "import helper\n", "importing helper fails: ValueError: not here", {"helper.py": "x = 1\nraise ValueError('not here')\n"})
right("a helper that does not", "import helper\n", {"helper.py": "x = 1\n"})
right("a helper that raises on what is not known", "import helper\n", {"helper.py": "import torch\nif torch.x:\n    raise ValueError('not here')\n"})
right("a helper that raises, caught", "try:\n    import helper\nexcept ValueError:\n    helper = None\n", {"helper.py": "raise ValueError('not here')\n"})
wrong("a helper that raises, caught as another", "try:\n    import helper\nexcept ImportError:\n    helper = None\n", "not here",
      {"helper.py": "raise ValueError('not here')\n"})
wrong("a name of a helper that raises", "from helper import x\n", "importing helper fails", {"helper.py": "x = 1\nassert x == 2\n"})
wrong("a helper of a helper that raises", "import a\n", "importing b fails", {"a.py": "import b\n", "b.py": "raise ValueError('not here')\n"})
right("a helper of a helper, caught there", "import a\n", {"a.py": "try:\n    import b\nexcept ValueError:\n    b = None\n", "b.py": "raise ValueError('not here')\n"})
wrong("an endless helper", "import helper\n", "importing helper fails", {"helper.py": "while True:\n    pass\n"})
wrong("a helper that exits", "import helper\n", "SystemExit", {"helper.py": "import sys\nsys.exit(3)\n"})
right("a helper that is a program, too", "import helper\n", {"helper.py": "import sys\nif __name__ == '__main__':\n    sys.exit(3)\n"})
right("a test that is skipped", "import pytest\npytest.skip('no GPU', allow_module_level=True)\n")
right("a failure that is expected", "import pytest\nwith pytest.raises(ValueError):\n    raise ValueError\n")

if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Breaks each rule of rooms.py in a small tree and holds the words against what it says; the same tree, unbroken, has
nothing to say."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rooms  # noqa: E402

HOUSE = {
    "CMakeLists.txt": "room(text)\nroom(ir USES text)\nroom(toolchain USES ir LIBS ${X} a::b)\nroom(session USES ir toolchain)\n",
    "server/CMakeLists.txt": "server_room(project USES session)\nserver_room(ide USES project)  # server_room(cli USES lsp)\n"
                             "server_room(render USES ide protocol)\nserver_room(transport LIBS Threads::Threads)\n"
                             "server_room(cli USES render)\nserver_room(lsp USES render transport)\n",
    "server/main.cpp": '#include "server/cli/commands.h"\n#include "server/lsp/command.h"\n',
    "server/cli/commands.h": '#include "server/render/text.h"\n#include "compiler/session/session.h"\n',
    "server/lsp/command.h": '#include "server/transport/transport.h"\n#include "server/render/text.h"\n#include "protocol/rpc.h"\n',
    "server/transport/transport.h": "#include <boost/asio.hpp>\n#include <sys/socket.h>\n",
    "server/render/text.h": '#include "server/ide/hover.h"\n#include "protocol/rpc.h"\n#include "compiler/text/json.h"\n',
    "server/ide/hover.h": '#include "server/project/files.h"\n#include "compiler/ir/ir.h"\n#include <map>\n',
    "server/project/files.h": '#include "compiler/session/session.h"\n',
    "protocol/rpc.h": '#include "compiler/text/json.h"\n#include "compiler/text/text.h"\n',
    "compiler/text/json.h": "#include <nlohmann/json.hpp>\n",
    "compiler/session/session.h": '#include "compiler/ir/ir.h"\n#include "compiler/toolchain/helper.h"\n',
    "compiler/ir/ir.h": '#include "compiler/text/text.h"\n',
    "compiler/ir/variants/copy/a.h": "", "compiler/ir/variants/copy/b.cpp": "", "compiler/ir/variants/copy/a_plan.cpp":
        '#include "compiler/ir/variants/copy/a.h"\n',
    "compiler/text/text.h": "// std::cout << getenv(1) and printf(2) are words of a comment\nconst char* k = \"printf(x)\";\n"
        "int a = 1, b(2, 3);\nstd::pair<int, int> p{1, 2}, q;\nvoid f() { for (++a, --b; a < b; ++a, --b) g(1, 2); using std::min, std::max;\n"
        "  return a ? h<int, 2>(1) : std::pair<int, int>(); }\nvoid g(int a, int b), h();\nenum E { kA = 1, kB = 2 };\nint t[] = {f(1), 2, 3};\n",
    "compiler/toolchain/helper.cpp": "#include <sys/socket.h>\n#include \"compiler/ir/ir.h\"\n", "compiler/toolchain/helper.h": "",
    "tests/unit/ide.cpp": '#include "server/ide/hover.h"\n#include "server/lsp/command.h"\n',
}

# A file, what is added to it, and what the checker says of that; None: the file is new.
BROKEN = [
    ("compiler/text/text.h", '#include "compiler/ir/ir.h"', "text may not include ir: compiler/ir/ir.h (it may include no other room)"),
    ("compiler/ir/ir.h", '#include "compiler/session/session.h"', "ir may not include session"),
    ("compiler/ir/ir.h", '#include "server/ide/hover.h"', "the compiler includes no server: server/ide/hover.h"),
    ("compiler/session/session.h", '#include "protocol/rpc.h"', "the compiler includes no protocol"),
    ("compiler/ir/ir.h", '#include "tests/unit/ide.h"', "ir includes no tests"),
    ("compiler/ir/ir.h", "#include <sys/socket.h>", "the compiler opens no socket: sys/socket.h"),
    ("compiler/toolchain/helper.cpp", "#include <netdb.h>", "the compiler opens no socket: netdb.h"),
    ("compiler/ir/ir.h", "int s = ::connect(1, a, 2);", "the compiler opens no socket"),
    ("compiler/ir/ir.h", 'auto* h = std::getenv("HOME");', "compiler/ reads or changes the environment"),
    ("compiler/ir/ir.h", "void f() { std::cout << 1; }", "compiler/ prints to a standard stream"),
    ("compiler/ir/ir.h", 'void f() { printf("1"); }', "compiler/ prints to standard output"),
    ("server/cli/commands.h", 'void f() { std::fputs(a, stderr); }', "prints to a standard stream: server/project/console.cpp does that"),
    ("server/main.cpp", 'void f() { std::printf("1"); }', "prints to standard output: server/project/console.cpp does that"),
    ("compiler/ir/variants/copy/b.cpp", '#include "compiler/ir/variants/copy/a.h"', "a variant includes another one"),
    ("compiler/attic/x.cpp", "", "the room attic has no line in CMakeLists.txt"),
    ("server/attic/x.cpp", "", "the room attic has no line in CMakeLists.txt"),
    ("server/ir/x.cpp", "", "the room ir has no line in CMakeLists.txt"),  # a room of the compiler, in another folder
    ("server/project/files.h", '#include "server/ide/hover.h"', "project may not include ide"),
    ("server/project/files.h", '#include "protocol/rpc.h"', "project may not include protocol"),
    ("server/ide/hover.h", '#include "server/render/text.h"', "ide may not include render"),
    ("server/ide/hover.h", "#include <nlohmann/json.hpp>", "an answer is a plain value, without JSON: nlohmann/json.hpp"),
    ("server/ide/hover.h", "#include <nlohmann/json_fwd.hpp>", "an answer is a plain value, without JSON"),
    ("compiler/ir/ir.h", "#include <nlohmann/json.hpp>",
     "server/ide/hover.h:2: an answer is a plain value, without JSON: nlohmann/json.hpp, included by compiler/ir/ir.h"),
    ("server/ide/hover.h", '#include "server/lsp/command.h"', "ide may not include lsp"),
    ("server/cli/commands.h", '#include "server/lsp/command.h"', "cli may not include lsp"),
    ("server/lsp/command.h", '#include "server/cli/commands.h"', "lsp may not include cli"),
    ("server/cli/commands.h", '#include "server/transport/transport.h"', "cli may not include transport"),
    ("server/lsp/command.h", "#include <nlohmann/json.hpp>", "numbers of JSON are looked at first: compiler/text/json.h instead of nlohmann/json.hpp"),
    ("server/lsp/command.h", "#include <boost/asio/ip/tcp.hpp>", "only server/transport knows Boost.Asio"),
    ("server/CMakeLists.txt", "server_room(worker USES lsp)", "worker may not use lsp: no speaker knows another"),
    ("server/CMakeLists.txt", "server_room(helpers USES cli)\nserver_room(bsp USES helpers)",
     "bsp may not use cli: no speaker knows another"),
    ("protocol/rpc.h", '#include "compiler/ir/ir.h"', "protocol may not include ir"),
    ("CMakeLists.txt", "room(attic USES ir)", "CMakeLists.txt: the room attic has no file in compiler/attic/"),
    ("CMakeLists.txt", "room(toolchain USES ir text)", "CMakeLists.txt: toolchain USES text, and no file of it includes one of text"),
    ("server/CMakeLists.txt", "server_room(bsp USES render)", "server/CMakeLists.txt: the room bsp has no file in server/bsp/"),
    ("server/bsp/serve.cpp", '#include "server/lsp/command.h"', "the room bsp has no line in CMakeLists.txt"),
    ("compiler/ir/ir.h", "void f() { a = 1, b = 2; }", "a comma joins statements"),
    ("server/ide/hover.h", "void f() {\n  if (x) g(1, 2), h.i(3);\n}", "server/ide/hover.h:5: a comma joins statements: if (x) g(1, 2), h.i(3);"),
    ("server/ide/hover.h", "void f() { switch (x) { case K::A: return g(), h(); } }", "a comma joins statements"),
    ("protocol/rpc.h", "void f() { a = {1, 2}, ++b; }", "a comma joins statements"),
    ("tests/unit/ide.cpp", "// " + "x" * 118, "121 columns, 120 are allowed"),
]


def problems(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            path = os.path.join(root, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return rooms.check(root)[0]


def unseen(root):
    """Sources that the repository tracks and the rules never look at, and the other way round; empty without git."""
    if not shutil.which("git") or not os.path.exists(os.path.join(root, ".git")):
        print("not compared with what the repository tracks: this is not a git checkout", file=sys.stderr)
        return []
    folders = ("compiler", "protocol", "server", "tests")
    listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-co", "--exclude-standard", "--", *folders],
                            capture_output=True, text=True, check=True).stdout.split("\n")
    tracked = {p for p in listed if p.endswith((".cpp", ".h")) and os.path.exists(os.path.join(root, p))}
    return sorted(tracked ^ set(rooms.House(root).sources(*folders)))


def main():
    wrong = []
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
    if differing := unseen(root):
        wrong.append(f"the files that the rules look at are not those of the repository: {differing[:9]}")
    if said := problems(HOUSE):
        wrong.append(f"the unbroken house: {said}")
    for path, added, words in BROKEN:
        said = problems({**HOUSE, path: HOUSE.get(path, "") + added + "\n"})
        if not any(words in s and (s.startswith(path) or words in s[:len(words)]) for s in said):
            wrong.append(f"{path} with {added!r}: said {said}, not {words!r}")
    if not problems({"compiler/text/text.h": ""}):
        wrong.append("a house without rooms passes")
    for w in wrong:
        print(w)
    print(f"{len(BROKEN) + 2} trees, {len(wrong)} judged wrongly", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

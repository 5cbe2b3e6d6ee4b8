"""The extension for VS Code with the binary inside: made by its own npm script, which is told where everything lies."""
import json
import os
import re
import shutil
import subprocess
import sys


def missing(root):
    """Why it cannot be made here; nothing: it can."""
    if not os.path.exists(f"{root}/editors/vscode/package.json"):
        return "there is no editors/vscode"
    for program in ("node", "npm"):
        if not shutil.which(program):
            return f"there is no {program} here (Node 20 or newer makes it)"
    return ""


def run(place, environment, *arguments):
    """What npm says is shown only where it failed."""
    said = subprocess.run(["npm", *arguments], cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if said.returncode != 0:
        sys.exit(f"{said.stdout}package: npm {' '.join(arguments)} failed in {place}, see above; --without vsix makes the others")


def bundled(place):
    """The npm packages that the extension's bundle is made of: its client of the Language Server Protocol, and what that needs."""
    with open(f"{place}/package-lock.json", encoding="utf-8") as f:
        locked = json.load(f)["packages"]
    todo, out = [("", "vscode-languageclient")], {}
    while todo:
        where, name = todo.pop()
        # As Node looks: in the folder of who asks first, then in those above it.
        while (path := f"{where}/node_modules/{name}".lstrip("/")) not in locked:
            where = where.rpartition("/node_modules/")[0] if "/node_modules/" in where else ""
        if path not in out:
            out[path] = locked[path]
            todo += [(path, needed) for needed in locked[path].get("dependencies", {})]
    return out


def notices_of(made, place):
    """What the binary contains, and what the bundle does."""
    out = made.text("THIRD-PARTY-NOTICES.txt").decode() + "\n" + "═" * 120 + "\nThe extension's own program contains these packages of npm.\n"
    for path, package in sorted(bundled(place).items()):
        texts = [name for name in os.listdir(f"{place}/{path}") if re.match(r"(?i)(licen[cs]e|notice|thirdparty)", name)]
        out += f"\n{'─' * 120}\n{path.rpartition('node_modules/')[2]} {package['version']}\nLicence: {package.get('license', 'see below')}\n"
        for name in sorted(texts):
            with open(f"{place}/{path}/{name}", encoding="utf-8") as f:
                out += "\n" + f.read().strip() + "\n"
    return out


def make(made, binary, folder):
    """`binary` is the stripped one, as a file."""
    place = f"{made.root}/editors/vscode"
    platform = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}[made.machine]
    path = os.path.abspath(f"{folder}/tilewright-{made.version}-{platform}.vsix")
    installed, wanted = f"{place}/node_modules/.package-lock.json", f"{place}/package-lock.json"
    if not os.path.exists(installed) or os.path.getmtime(installed) < os.path.getmtime(wanted):
        run(place, os.environ, "ci", "--no-audit", "--no-fund")
    environment = dict(os.environ, TILEWRIGHT_BINARY=os.path.abspath(binary), TILEWRIGHT_VSIX=path,
                       TILEWRIGHT_NOTICES=os.path.abspath(f"{os.path.dirname(binary)}/THIRD-PARTY-NOTICES.txt"))
    with open(environment["TILEWRIGHT_NOTICES"], "w", encoding="utf-8") as f:
        f.write(notices_of(made, place))
    run(place, environment, "run", "package")
    return path

"""The extension for VS Code with the binary inside: made by its own npm script, which is told where everything lies."""
import os
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


def make(made, binary, folder):
    """`binary` is the stripped one, as a file."""
    place = f"{made.root}/editors/vscode"
    platform = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}[made.machine]
    path = os.path.abspath(f"{folder}/tilewright-{made.version}-{platform}.vsix")
    installed, wanted = f"{place}/node_modules/.package-lock.json", f"{place}/package-lock.json"
    if not os.path.exists(installed) or os.path.getmtime(installed) < os.path.getmtime(wanted):
        run(place, os.environ, "ci", "--no-audit", "--no-fund")
    environment = dict(os.environ, TILEWRIGHT_BINARY=os.path.abspath(binary), TILEWRIGHT_VSIX=path,
                       TILEWRIGHT_NOTICES=f"{made.root}/THIRD-PARTY-NOTICES.txt")
    run(place, environment, "run", "package")
    return path

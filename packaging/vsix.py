"""The extension for VS Code with the binary inside: made by its own npm script, which is told where everything lies."""
import os
import shutil
import subprocess


def missing(root):
    """Why it cannot be made here; nothing: it can."""
    if not os.path.exists(f"{root}/editors/vscode/package.json"):
        return "there is no editors/vscode"
    for program in ("node", "npm"):
        if not shutil.which(program):
            return f"there is no {program} here (Node 20 or newer makes it)"
    return ""


def make(made, binary, folder):
    """`binary` is the stripped one, as a file."""
    place = f"{made.root}/editors/vscode"
    platform = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}[made.machine]
    path = os.path.abspath(f"{folder}/tilewright-{made.version}-{platform}.vsix")
    installed, wanted = f"{place}/node_modules/.package-lock.json", f"{place}/package-lock.json"
    if not os.path.exists(installed) or os.path.getmtime(installed) < os.path.getmtime(wanted):
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--prefix", place], check=True, cwd=place)
    environment = dict(os.environ, TILEWRIGHT_BINARY=os.path.abspath(binary), TILEWRIGHT_VSIX=path,
                       TILEWRIGHT_NOTICES=f"{made.root}/THIRD-PARTY-NOTICES.txt")
    subprocess.run(["npm", "run", "package"], check=True, cwd=place, env=environment)
    return path

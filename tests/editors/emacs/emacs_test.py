#!/usr/bin/env python3
"""editors/emacs/tilewright.el in a real Emacs, in batch: an error is shown and fixed, each view and a run answer.

    emacs_test.py BINARY

Exit status 77: there is no Emacs with eglot (29 or newer, or 28 with the package `eglot`). editors/helix/languages.toml is only
read here: no Helix can be had from a package registry, so it was held against Helix's documentation.
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from support import release  # noqa: E402,F401

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "editors", "neovim"))
from neovim_test import SCRIPT  # noqa: E402
WAIT = 60 * int(os.environ.get("TILEWRIGHT_PATIENCE", "1"))

SESSION = r"""
(require 'eglot)
(require 'flymake)
(setq eglot-sync-connect t)
(load "%(config)s")
(defun check (what holds) (if holds (message "ok    %%s" what) (error "%%s does not hold" what)))
(defun wait (what holds)
  (with-timeout (%(wait)d (error "waited in vain for %%s" what))
    ;; There is no idle time in batch: what eglot sends then is sent here.
    (while (not (funcall holds)) (eglot--signal-textDocument/didChange) (flymake-start) (accept-process-output nil 0.1)))
  (message "ok    %%s" what))
(defun codes () (mapconcat #'flymake-diagnostic-text (flymake-diagnostics) "\n"))
(find-file "%(script)s")
(check "it is a tile script" (tilewright-script-p))
(call-interactively 'eglot)
(check "the server is attached" (eglot-current-server))
(goto-char (point-min))
(search-forward "Tx.cta.copy(B[:, :], smem")
(backward-delete-char 2)
(insert "me")
(wait "the error" (lambda () (string-match-p "smme\\|sme" (codes))))
(backward-delete-char 2)
(insert "em")
(wait "the error is gone" (lambda () (not (flymake-diagnostics))))
(dolist (view '(("cuda" . "__global__") ("lowered" . "cp_async") ("tirx" . "prim_func") ("plan" . "launch") ("report" . "copy")))
  (tilewright-view (car view))
  (check (concat "view " (car view))
         (with-current-buffer (format "*tilewright %%s*" (car view)) (string-match-p (cdr view) (buffer-string)))))
(tilewright-pipeline)
(check "pipeline" (with-current-buffer "*tilewright pipeline*" (string-match-p "pipeline of staged" (buffer-string))))
(tilewright-run "staged" "sim")
(check "run" (with-current-buffer "*tilewright run*" (string-match-p "verified" (buffer-string))))
(eglot-shutdown (eglot-current-server))
"""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    emacs = shutil.which("emacs")
    batch = [emacs, "--batch", "--eval", "(package-initialize)"]
    if not emacs or subprocess.run([*batch, "--eval", "(require 'eglot)"], capture_output=True).returncode:
        print("skipped: no Emacs with eglot")
        return 77
    try:
        import tomllib
        with open(os.path.join(ROOT, "editors", "helix", "languages.toml"), "rb") as f:
            helix = tomllib.load(f)
        assert helix["language-server"]["tilewright"] == {"command": "tilewright", "args": ["lsp"]}, helix
        assert helix["language"] == [{"name": "python", "language-servers": ["tilewright"]}], helix
    except ImportError:
        print("skipped: this Python reads no TOML")
    with tempfile.TemporaryDirectory() as home:
        home = os.path.realpath(home)
        os.symlink(os.path.abspath(sys.argv[1]), os.path.join(home, "tilewright"))
        os.mkdir(os.path.join(home, "project"))
        script = os.path.join(home, "project", "staged.py")
        with open(script, "w", encoding="utf-8") as f:
            f.write(SCRIPT)
        session = os.path.join(home, "session.el")
        with open(session, "w", encoding="utf-8") as f:
            f.write(SESSION % {"config": os.path.abspath(os.path.join(ROOT, "editors", "emacs", "tilewright.el")), "script": script, "wait": WAIT})
        environment = dict(os.environ, HOME=home, LANG="C.UTF-8", PATH=home + ":" + os.environ["PATH"])
        done = subprocess.run([*batch, "-l", session], env=environment, cwd=home, capture_output=True, text=True, timeout=4 * WAIT)
    print("\n".join(line for line in done.stderr.split("\n") if line.startswith("ok ") or done.returncode))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

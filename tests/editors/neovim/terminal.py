"""A terminal with a real editor in it: keys go in as a user types them, and what stands on its screen is what they would see.

The screen is kept by pyte, a terminal emulator. A test waits for words on it, never for time; a captured screen is written as
text and as HTML with its colours.
"""
import fcntl
import html
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pyte

PATIENCE = int(os.environ.get("TILEWRIGHT_PATIENCE", "1"))
WAIT = 60 * PATIENCE  # seconds; only a failure reaches it
KEYS = {"<CR>": "\r", "<Esc>": "\x1b", "<Tab>": "\t", "<BS>": "\x7f", "<Space>": " ", "<lt>": "<", "<Down>": "\x1b[B", "<Up>": "\x1b[A",
        "<C-o>": "\x0f", "<C-w>": "\x17", "<C-x>": "\x18", "<C-e>": "\x05"}
# Device control strings, application commands and the like: what an editor asks the terminal itself. pyte would print them.
STRINGS = re.compile(r"\x1b[P_^X].*?(?:\x1b\\|\x9c)", re.S)
OPEN_STRING = re.compile(r"\x1b(?:[P_^X](?:(?!\x1b\\).)*)?$", re.S)
# Modes with other marks than pyte knows: it would print their last letters.
MARKED = re.compile(r"\x1b\[[<>=][0-9;:]*[A-Za-z]|\x1b\[[0-9;]*\$[a-z]|\x1b\[[0-9;]* q|\x1b\[[0-9;]*:[0-9:;]*m")


class Terminal:
    def __init__(self, command, environment, folder, columns=150, lines=44):
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.Stream(self.screen)
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        environment = dict(environment, TERM="xterm-256color", COLORTERM="truecolor")

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment, cwd=folder,
                                        preexec_fn=own_terminal, close_fds=True)
        os.close(slave)
        self.master = master
        self.pending = ""
        self.decoder = __import__("codecs").getincrementaldecoder("utf-8")("replace")

    # ---- in and out -------------------------------------------------------------------------------------------------
    def read(self, seconds):
        """What the editor writes within so many seconds; False: nothing came."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:
            return False
        if b"\x1b[c" in data:
            os.write(self.master, b"\x1b[?62;22c")  # a terminal says what it is
        text = self.pending + self.decoder.decode(data)
        text = STRINGS.sub("", text)
        cut = OPEN_STRING.search(text)
        self.pending = text[cut.start():] if cut else ""
        if cut:
            text = text[:cut.start()]
        # The end of a sequence may still be on its way.
        half = re.search(r"\x1b(\[[0-9;:<>=?$ ]*)?$", text)
        if half:
            self.pending = text[half.start():] + self.pending
            text = text[:half.start()]
        self.stream.feed(MARKED.sub("", text))
        return True

    def keys(self, text):
        """"ihello<Esc>": as they are typed. Everything that is on its way is drawn first."""
        for part in re.split(r"(<[A-Za-z-]+>)", text):
            data = KEYS.get(part, part).encode()
            if data:
                os.write(self.master, data)
                self.read(0.02)

    # ---- the screen ---------------------------------------------------------------------------------------------------
    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, wanted, what=None):
        """Waits until the screen holds `wanted`: a text, a compiled pattern, or a function of the screen's text."""
        if isinstance(wanted, str):
            holds = lambda text: wanted in text
        elif isinstance(wanted, re.Pattern):
            holds = lambda text: wanted.search(text)
        else:
            holds = wanted
        end = time.monotonic() + WAIT
        while True:
            text = self.text()
            found = holds(text)
            if found:
                return found
            if self.process.poll() is not None:
                self.read(0)
                raise AssertionError(f"the editor has ended while waiting for {what or wanted!r}:\n{self.text()}")
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for {what or wanted!r}; the screen:\n{self.text()}")
            self.read(0.05)

    def settle(self, quiet=0.15):
        """Until nothing more is drawn."""
        while self.read(quiet):
            pass

    def colours_at(self, needle):
        """(foreground, background) of the first letter of `needle`."""
        for y, line in enumerate(self.screen.display):
            x = line.find(needle)
            if x >= 0:
                cell = self.screen.buffer[y][x]
                return (cell.bg, cell.fg) if cell.reverse else (cell.fg, cell.bg)
        raise AssertionError(f"no {needle!r} on the screen:\n{self.text()}")

    def capture(self, path, title):
        """path.txt and path.html: the screen as it is."""
        with open(path + ".txt", "w", encoding="utf-8") as f:
            f.write(self.text() + "\n")
        rows = []
        for y in range(self.screen.lines):
            row, last = "", None
            for x in range(self.screen.columns):
                c = self.screen.buffer[y][x]
                fg, bg = (c.bg, c.fg) if c.reverse else (c.fg, c.bg)
                style = (css(fg, "#e0e0e0"), css(bg, "#14161b"), c.bold, c.underscore, c.italics)
                if style != last:
                    row += ("</span>" if last else "") + (f'<span style="color:{style[0]};background:{style[1]}'
                            + (";font-weight:bold" if c.bold else "") + (";text-decoration:underline" if c.underscore else "")
                            + (";font-style:italic" if c.italics else "") + '">')
                    last = style
                row += html.escape(c.data)
            rows.append(row + "</span>")
        with open(path + ".html", "w", encoding="utf-8") as f:
            f.write(f'<!doctype html><meta charset="utf-8"><title>{html.escape(title)}</title><body style="background:#14161b;margin:12px">'
                    '<pre style="font:13px/1.25 \'DejaVu Sans Mono\',monospace;color:#e0e0e0;margin:0">' + "\n".join(rows) + "</pre>\n")

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.master)


NAMED = {"black": "#000000", "red": "#ff6c6b", "green": "#98c379", "brown": "#e5c07b", "blue": "#61afef", "magenta": "#c678dd",
         "cyan": "#56b6c2", "white": "#dcdfe4"}


def css(colour, default):
    if colour == "default":
        return default
    return NAMED.get(colour, "#" + colour if re.fullmatch("[0-9a-f]{6}", colour) else default)

"""A server that listens, heard on its standard error."""
import re
import threading


class Listener:
    """Reads what `process` says: `address` that it listens at, `token` that clients have to show, `log` of all lines."""

    def __init__(self, process, token=None):
        self.log, self.address, self.token = [], None, token
        self._said = threading.Event()
        threading.Thread(target=self._hear, args=(process.stderr,), daemon=True).start()

    def _hear(self, lines):
        try:
            for line in lines:
                text = line.decode(errors="replace")
                self.log.append(text)
                if found := re.search(r"show: ([0-9a-f]{64})", text):
                    self.token = found.group(1)
                if found := re.search(r"listening on (\S+?):?(\s|$)", text):
                    self.address = found.group(1)
                    self._said.set()
        except (OSError, ValueError):  # closed
            pass
        self._said.set()

    def listens(self, seconds=120):
        """Waits until it does. False: it ended instead, or said nothing in time."""
        return self._said.wait(seconds) and self.address is not None

"""What goes wrong, as exceptions. Each text says what is wrong, the rule, the numbers, and what to write instead."""


class Error(Exception):
    """The base of all of them."""


class ArgumentError(Error, ValueError):
    """An argument that the kernel cannot be launched on. Raised before anything is launched.

    argument: its name in the script, or None where the whole call is meant. place: "gemm.py:28", where it is declared.
    """

    def __init__(self, text, argument=None, place=None):
        super().__init__(text)
        self.argument = argument
        self.place = place


class CompileError(Error):
    """The script has errors. diagnostics: as `tilewright compile --json` has them."""

    def __init__(self, text, diagnostics=()):
        super().__init__(text)
        self.diagnostics = list(diagnostics)


class RunError(Error):
    """The simulator found a mistake of the kernel, or could not execute it to its end. report: as `run --json` has it."""

    def __init__(self, text, report=None):
        super().__init__(text)
        self.report = report


class LaunchError(Error):
    """The CUDA driver refused something. code: its number, name: "CUDA_ERROR_ILLEGAL_ADDRESS"."""

    def __init__(self, text, code=0, name=""):
        super().__init__(text)
        self.code = code
        self.name = name


NoBinaryError = FileNotFoundError

_EARLIER = {700, 716, 717, 718, 719, 715, 714}  # errors of a kernel that was launched before


def driver_error(what, code, name, text):
    words = f"{what}: {name}" + (f": {text}" if text else "") + f" ({code})"
    if code in _EARLIER:
        words += ". A kernel that was launched before failed, and this process's CUDA context cannot be used any more"
    return LaunchError(words, code, name)


def diagnostic_line(d):
    """A diagnostic of JSON as the terminal shows it."""
    at = d.get("range") or {}
    start = at.get("start") or {}
    place = f"{at['file']}:{start.get('line')}:{start.get('column')}: " if at.get("file") else ""
    code = f"[{d['code']}]" if d.get("code") else ""
    hint = f"\n   hint: {d['hint']}" if d.get("hint") else ""
    return f"{place}{d.get('severity', 'error')}{code}: {d.get('message')}{hint}"

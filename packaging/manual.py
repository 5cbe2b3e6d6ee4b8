"""The manual page, made of what `--help` says: one text for both, so that neither goes stale."""
import re
import subprocess

HEADING = re.compile(r"^(Positionals|Options|Subcommands|Examples?):$")
ITEM = re.compile(r"^  (?! )(.+?)(?:\s{2,}(.*))?$")

ENVIRONMENT = [
    ("CUDA_HOME", "The folder with NVIDIA's compiler (lib64, include). Without it NVIDIA's Python wheels beside the binary's own and /usr/local/cuda are "
                  "looked at. A folder that other users can change is refused."),
    ("TILEWRIGHT_CUDA_OWNERS", "Users whose folders of NVIDIA's compiler are trusted as root's are, separated by commas."),
    ("XDG_CACHE_HOME", "Artifacts of NVIDIA's compiler are kept in tilewright/artifacts below it (default: ~/.cache)."),
    ("NO_COLOR", "No colours on a terminal."),
]
STATUS = [("0", "Fine."), ("1", "The script has errors, or a check failed."), ("2", "Usage or environment."), ("130", "Interrupted.")]


def help_of(binary, *command):
    return subprocess.run([binary, *command, "--help"], check=True, capture_output=True, text=True).stdout


def sections(text):
    """{heading: lines}; what stands before the first has the heading ''."""
    out, heading = {"": []}, ""
    for line in text.splitlines():
        found = HEADING.match(line)
        if found:
            heading = found.group(1).rstrip("s")
            out[heading] = []
        else:
            out[heading].append(line)
    return out


def items(lines):
    """[[name, description]] of a list whose long descriptions go on below."""
    out = []
    for line in lines:
        found = ITEM.match(line)
        if found:
            out.append([found.group(1), found.group(2) or ""])
        elif line.strip() and out:
            out[-1][1] = (out[-1][1] + " " + line.strip()).strip()
    return out


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = text.replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + text if text.startswith(".") else text


def tagged(pairs):
    return "".join(f".TP\n\\fB{roff(name)}\\fR\n{roff(words) or '.br'}\n" for name, words in pairs)


def example(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return ".PP\n.nf\n" + "".join("\\&" + roff(line[2:] if line.startswith("  ") else line) + "\n" for line in lines) + ".fi\n" if lines else ""


def of_command(binary, name):
    parts = sections(help_of(binary, name))
    usage = next(line for line in parts[""] if line.startswith("Usage: "))
    out = f".SS {roff(usage.removeprefix('Usage: '))}\n{roff(' '.join(line for line in parts[''] if line and line != usage))}.\n"
    for heading in ("Positional", "Option"):
        out += tagged(pair for pair in items(parts.get(heading, [])) if not pair[0].startswith("-h,"))
    return out + example(parts.get("Example", []))


def page(binary, version, date):
    whole = sections(help_of(binary))
    commands = [name for name, _ in items(whole["Subcommand"])]
    return (
        f'.TH TILEWRIGHT 1 "{date}" "tilewright {version}" "User Commands"\n'
        ".SH NAME\ntilewright \\- compiler service and language server for TIRx tile scripts\n"
        ".SH SYNOPSIS\n.B tilewright\n.I COMMAND\n.RI [ OPTION ...]\n"
        ".SH DESCRIPTION\n"
        "Tilewright reads and evaluates tile scripts, kernels written in TVMScript\\(aqs Python syntax, and says what is wrong with them, which variant\n"
        "serves each tile primitive and why the others do not, and what CUDA, PTX and SASS a kernel becomes. It runs kernels on a simulator, on a GPU\n"
        "or elsewhere, and serves editors.\n"
        ".SH COMMANDS\n" + "".join(of_command(binary, name) for name in commands) +
        ".SH EXIT STATUS\n" + tagged(STATUS) +
        ".SH ENVIRONMENT\n" + tagged(ENVIRONMENT) +
        ".SH FILES\n" + tagged([("tilewright.toml", "Settings of the scripts below its folder.")]) +
        ".SH EXAMPLES\n" + example(whole.get("Example", [])))

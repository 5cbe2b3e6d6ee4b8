#!/usr/bin/env python3
"""Has NVRTC assemble forms of every row of the instruction table, each for its target.

    assemble.py PTX_ANSWER [CUDA_HOME] [--forms N | --all N] [--seed N] [--targets] [--say]

--forms takes N random forms of each row, --all every form, and N of them where a row has more. --targets takes each for every
target that has its row, not only for the lowest: what one of them lacks is listed and is no failure.

Without a CUDA_HOME it is the environment's, then the checkout's .cuda. NVRTC 13.5 assembles all; of an older one, targets and modifiers
that it does not know are counted apart, and --say lists the forms with its words. Exit status 1 for anything else that does not
assemble, 77 without NVRTC.
"""
import argparse
import collections
import ctypes
import glob
import os
import re
import subprocess
import sys

FETCHED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.cuda/nvidia/cu13")
TYPES = """typedef unsigned char uint8_t; typedef signed char int8_t; typedef unsigned short uint16_t; typedef short int16_t;
typedef unsigned int uint32_t; typedef int int32_t; typedef unsigned long long uint64_t; typedef long long int64_t;
"""
# The release whose assembler knows all forms.
COMPLETE = (13, 5)
# What an older one says of a form that it does not know.
OLDER = re.compile(r"(Unknown|Illegal) modifier|Unexpected instruction types|Not a name of any known instruction")


def too_new(words, version):
    return version < COMPLETE and OLDER.match(words)


def crashes(words, version):
    """Forms at which NVRTC 13.0 ends the process."""
    return version < COMPLETE and words.startswith("prefetch.local.L1")


def targets_of(arch):
    """Those that have a row: all from a number on, or of a target with a letter the later ones of its family."""
    number, letter = re.match(r"sm_(\d+)([af]?)", arch).groups()
    later = ["sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_107a", "sm_120a"]
    if letter:
        later = [t for t in later if int(t[3:-1] if t[-1] == "a" else t[3:]) // 10 == int(number) // 10]
    return [arch] + [t for t in later if t != arch and int(re.search(r"\d+", t).group()) >= int(number)]


class Nvrtc:
    def __init__(self, home):
        names = sorted(glob.glob(os.path.join(home, "lib*", "libnvrtc.so*")))
        if not names:
            print(f"skipped: no NVRTC below {home}")
            sys.exit(77)
        for builtins in glob.glob(os.path.join(home, "lib*", "libnvrtc-builtins.so*")):
            ctypes.CDLL(builtins, ctypes.RTLD_GLOBAL)
        self.lib = ctypes.CDLL(names[0])
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.lib.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = (major.value, minor.value)
        count = ctypes.c_int()
        self.lib.nvrtcGetNumSupportedArchs(ctypes.byref(count))
        archs = (ctypes.c_int * count.value)()
        self.lib.nvrtcGetSupportedArchs(archs)
        self.archs = set(archs)

    def knows(self, arch):
        return int(re.search(r"\d+", arch).group()) in self.archs

    def refusal(self, source, arch):
        """None, or NVRTC's words against it."""
        program = ctypes.c_void_p()
        self.lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"forms.cu", 0, None, None)
        options = [b"--gpu-architecture=" + arch.encode(), b"--device-int128"]
        failed = self.lib.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        size = ctypes.c_size_t()
        self.lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        self.lib.nvrtcGetProgramLog(program, log)
        self.lib.nvrtcDestroyProgram(ctypes.byref(program))
        return (log.value.decode(errors="replace") or "error without words") if failed else None


def kernel(index, name, source):
    """A kernel that calls the helper with values of memory and stores what it writes."""
    head = re.search(r"void \w+\((.*?)\) \{", source).group(1)
    lines, arguments, stores = [], [], []
    for i, parameter in enumerate(filter(None, head.split(", "))):
        kind = parameter.rsplit(" ", 1)[0].rstrip("&").strip()
        value = f"(const void*)(memory + {2 * i})" if kind == "const void*" else f"*(({kind}*)(memory + {2 * i}))"
        lines.append(f"  {kind} a{i} = {value};\n")
        arguments.append(f"a{i}")
        if "&" in parameter:
            stores.append(f"  *(({kind}*)(memory + {2 * i})) = a{i};\n")
    source = source.replace(name + "(", f"helper{index}(")
    return f'{source}extern "C" __global__ void kernel{index}(unsigned long long* memory) {{\n{"".join(lines)}' \
           f'  helper{index}({", ".join(arguments)});\n{"".join(stores)}}}\n'


def refused(nvrtc, arch, forms):
    """The forms that do not assemble, with NVRTC's words: a program is halved until they are known."""
    text = TYPES + "".join(kernel(i, form[3], form[4]) for i, form in enumerate(forms))
    words = nvrtc.refusal(text, arch)
    if words is None:
        return []
    if len(forms) == 1:
        line = next((x for x in words.splitlines() if "error" in x), words.splitlines()[0])
        return [(forms[0], re.sub(r"^.*?error\s*:\s*", "", line))]
    half = len(forms) // 2
    return refused(nvrtc, arch, forms[:half]) + refused(nvrtc, arch, forms[half:])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("home", nargs="?", default=os.environ.get("CUDA_HOME") or FETCHED)
    parser.add_argument("--forms", type=int, default=1, help="random forms of each row")
    parser.add_argument("--all", type=int, metavar="N", help="all forms of each row, and N where it has more")
    parser.add_argument("--seed", type=int, default=27)
    parser.add_argument("--targets", action="store_true")
    parser.add_argument("--say", action="store_true")
    args = parser.parse_args()
    nvrtc = Nvrtc(args.home)
    ask = f"A\t{args.all}" if args.all else f"G\t{args.forms}"
    answer = subprocess.run([args.program], input=f"{ask}\t{args.seed}\n", capture_output=True, text=True, check=True).stdout
    by_arch, unknown = collections.defaultdict(list), 0
    seen = set()
    for line in filter(None, answer.split("\n")):
        form = line.split("\t")
        form[4] = form[4].replace("\\n", "\n")
        if form[3] in seen:
            continue
        seen.add(form[3])
        for arch in targets_of(form[1]) if args.targets else [form[1]]:
            if nvrtc.knows(arch) and not crashes(form[2], nvrtc.version):
                by_arch[arch].append(form)
            else:
                unknown += 1
    bad, listed, lacking, good = [], [], collections.Counter(), 0
    for arch, forms in sorted(by_arch.items()):
        for start in range(0, len(forms), 96):
            part = forms[start:start + 96]
            failures = refused(nvrtc, arch, part)
            good += len(part) - len(failures)
            for form, words in failures:
                if form[1] != arch:
                    lacking[f"{form[0]} for {arch}: {re.sub(chr(39) + '.*?' + chr(39), '...', words)}"] += 1
                    continue
                (listed if too_new(words, nvrtc.version) else bad).append(f"{form[2]} ({form[0]}, {form[1]}): {words}")
    print(f"NVRTC {nvrtc.version[0]}.{nvrtc.version[1]}: {good} forms assemble, {len(listed)} are too new for it, "
          f"{unknown} have a target that it lacks or crash it, {len(bad)} failed")
    for line in bad + (listed if args.say else []):
        print("  " + line)
    if args.targets:
        print(f"later targets lack {sum(lacking.values())} forms of {len({line.split()[0] for line in lacking})} rows")
        for line, count in sorted(lacking.items()):
            print(f"  {line} ({count} forms)")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

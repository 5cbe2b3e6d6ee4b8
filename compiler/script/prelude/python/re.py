# re: patterns and what they find. The search itself is `re._find` (python/regex.h): a tuple of the ends of all groups,
# -1 for a group that took no part; None: there is no match.
import re

_FIRST, _WHOLE, _ANYWHERE = 0, 1, 2
NOFLAG = 0
I = IGNORECASE = 2
M = MULTILINE = 8
S = DOTALL = 16
U = UNICODE = 32
X = VERBOSE = 64
A = ASCII = 256


class error(Exception):
    pass


class Match:
    def __init__(self, pattern, text, spans, pos, endpos):
        self.re = pattern
        self.string = text
        self.pos = pos
        self.endpos = endpos
        self._spans = spans

    def _index(self, group):
        if isinstance(group, str):
            if group not in self.re.groupindex:
                raise IndexError("no such group")
            return self.re.groupindex[group]
        if not 0 <= group <= self.re.groups:
            raise IndexError("no such group")
        return group

    def _one(self, group, default=None):
        at = self._index(group)
        begin, end = self._spans[2 * at], self._spans[2 * at + 1]
        return default if begin < 0 else self.string[begin:end]

    def group(self, *groups):
        if len(groups) <= 1:
            return self._one(groups[0] if groups else 0)
        return tuple(self._one(group) for group in groups)

    def __getitem__(self, group):
        return self._one(group)

    def groups(self, default=None):
        return tuple(self._one(group, default) for group in range(1, self.re.groups + 1))

    def groupdict(self, default=None):
        return {name: self._one(name, default) for name in self.re.groupindex}

    def start(self, group=0):
        return self._spans[2 * self._index(group)]

    def end(self, group=0):
        return self._spans[2 * self._index(group) + 1]

    def span(self, group=0):
        return self.start(group), self.end(group)

    def expand(self, template):
        return _expanded(self, template)

    def __getattr__(self, name):
        if name in ("lastindex", "lastgroup", "regs"):
            return re._not_followed
        raise AttributeError(f"'re.Match' object has no attribute '{name}'")

    def __repr__(self):
        return f"<re.Match object; span={self.span()!r}, match={self._one(0)!r}>"


def _expanded(match, template):
    out, at = [], 0
    while at < len(template):
        one = template[at]
        at += 1
        if one != "\\":
            out.append(one)
            continue
        one = template[at:at + 1]
        at += 1
        if one == "g":
            if template[at:at + 1] != "<":
                raise error("missing <")
            end = template.find(">", at)
            if end < 0:
                raise error("missing >, unterminated name")
            name = template[at + 1:end]
            if not name.isdigit() and name not in match.re.groupindex:
                raise IndexError(f"unknown group name {name!r}")
            if name.isdigit() and int(name) > match.re.groups:
                raise error(f"invalid group reference {name}")
            out.append(match._one(int(name) if name.isdigit() else name, ""))
            at = end + 1
        elif one.isdigit():
            if one == "0" or (template[at:at + 1].isdigit() and template[at:at + 2].isdigit()):
                return re._not_followed(template)
            if template[at:at + 1].isdigit():
                one += template[at]
                at += 1
            if int(one) > match.re.groups:
                raise error(f"invalid group reference {one}")
            out.append(match._one(int(one), ""))
        elif one in "\\":
            if not one:
                raise error("bad escape (end of pattern)")
            out.append("\\")
        elif one in "abfnrtv":
            out.append({"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}[one])
        elif one.isalpha():
            raise error(f"bad escape \\{one}")
        else:
            out.append("\\" + one)
    return "".join(out)


class Pattern:
    def __init__(self, pattern, flags=0):
        self.pattern = pattern
        self._given = flags
        self.groups, self.groupindex, flags = re._groups(pattern, flags)
        self.flags = flags if flags & ASCII else flags | UNICODE

    def _found(self, text, how, pos=0, endpos=None):
        if not isinstance(text, str):
            raise TypeError(f"expected string or bytes-like object, got '{type(text).__name__}'")
        pos = min(max(pos, 0), len(text))
        endpos = len(text) if endpos is None else min(max(endpos, 0), len(text))
        spans = re._find(self.pattern, self._given, text, how, pos, endpos)
        return None if spans is None else Match(self, text, spans, pos, endpos)

    def match(self, string, pos=0, endpos=None):
        return self._found(string, _FIRST, pos, endpos)

    def fullmatch(self, string, pos=0, endpos=None):
        return self._found(string, _WHOLE, pos, endpos)

    def search(self, string, pos=0, endpos=None):
        return self._found(string, _ANYWHERE, pos, endpos)

    def _all(self, text):
        """The matches one after the other: none of them empty where the one before it ended but for one that stood."""
        if not isinstance(text, str):
            raise TypeError(f"expected string or bytes-like object, got '{type(text).__name__}'")
        return [Match(self, text, spans, 0, len(text)) for spans in re._find_all(self.pattern, self._given, text)]

    def finditer(self, string):
        return iter(self._all(string))

    def findall(self, string):
        if self.groups == 0:
            return [one.group() for one in self._all(string)]
        if self.groups == 1:
            return [one._one(1, "") for one in self._all(string)]
        return [one.groups("") for one in self._all(string)]

    def subn(self, repl, string, count=0):
        out, at, done = [], 0, 0
        found = self._all(string)
        if not found and not callable(repl) and "\\" in repl:
            return re._not_followed(repl), 0
        for one in found:
            if count and done == count:
                break
            out.append(string[at:one.start()])
            out.append(repl(one) if callable(repl) else _expanded(one, repl))
            at = one.end()
            done += 1
        return "".join(out) + string[at:], done

    def sub(self, repl, string, count=0):
        return self.subn(repl, string, count)[0]

    def split(self, string, maxsplit=0):
        out, at = [], 0
        for one in self._all(string):
            if maxsplit and len(out) >= maxsplit * (1 + self.groups):
                break
            out.append(string[at:one.start()])
            out += one.groups()
            at = one.end()
        return out + [string[at:]]

    def __getattr__(self, name):
        if name == "scanner":
            return re._not_followed
        raise AttributeError(f"'re.Pattern' object has no attribute '{name}'")

    def __repr__(self):
        if self._given:
            return re._not_followed(self.pattern)
        return f"re.compile({self.pattern!r})"

    def __eq__(self, other):
        if not isinstance(other, Pattern):
            return NotImplemented
        return self.pattern == other.pattern and self.flags == other.flags

    def __hash__(self):
        return hash((self.pattern, self.flags))


def compile(pattern, flags=0):
    if isinstance(pattern, Pattern):
        if flags:
            raise ValueError("cannot process flags argument with a compiled pattern")
        return pattern
    if not isinstance(pattern, str):
        raise TypeError("first argument must be string or compiled pattern")
    return Pattern(pattern, flags)


def match(pattern, string, flags=0):
    return compile(pattern, flags).match(string)


def fullmatch(pattern, string, flags=0):
    return compile(pattern, flags).fullmatch(string)


def search(pattern, string, flags=0):
    return compile(pattern, flags).search(string)


def findall(pattern, string, flags=0):
    return compile(pattern, flags).findall(string)


def finditer(pattern, string, flags=0):
    return compile(pattern, flags).finditer(string)


def sub(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).sub(repl, string, count)


def subn(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).subn(repl, string, count)


def split(pattern, string, maxsplit=0, flags=0):
    return compile(pattern, flags).split(string, maxsplit)


def escape(pattern):
    return "".join("\\" + one if one in "()[]{}?*+-|^$\\.&~# \t\n\r\v\f" else one for one in pattern)


def purge():
    pass

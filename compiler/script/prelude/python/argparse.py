# argparse: parsers are made, and lists of arguments that the script gives are parsed. What stands on the command line
# is not known, and neither is what is parsed of it.
import sys

SUPPRESS = "==SUPPRESS=="
OPTIONAL = "?"
ZERO_OR_MORE = "*"
ONE_OR_MORE = "+"
PARSER = "A..."
REMAINDER = "..."
_UNKNOWN = sys.argv


def _of_parsers(name):
    """What parsers have besides is not followed."""
    if name.startswith("__"):
        raise AttributeError(name)
    return _UNKNOWN


class Namespace:
    def __init__(self, **kwargs):
        for name in kwargs:
            setattr(self, name, kwargs[name])

    def __eq__(self, other):
        if not isinstance(other, Namespace):
            return NotImplemented
        return vars(self) == vars(other)

    def __contains__(self, key):
        return key in self.__dict__

    def __repr__(self):
        return "Namespace(" + ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items()) + ")"


class ArgumentTypeError(Exception):
    pass


class HelpFormatter:
    pass


class RawDescriptionHelpFormatter(HelpFormatter):
    pass


class RawTextHelpFormatter(RawDescriptionHelpFormatter):
    pass


class ArgumentDefaultsHelpFormatter(HelpFormatter):
    pass


class MetavarTypeHelpFormatter(HelpFormatter):
    pass


class BooleanOptionalAction:
    pass


class _Option:
    """An argument as add_argument was told of it."""

    def __init__(self, flags, dest, action, nargs, const, default, type, choices, required):
        self.option_strings = flags
        self.dest = dest
        self.action = action
        self.nargs = nargs
        self.const = const
        self.default = default
        self.type = type
        self.choices = choices
        self.required = required

    def __getattr__(self, name):
        return _of_parsers(name)


_PLAIN = ("store", "append", "extend")
_BARE = ("store_true", "store_false", "store_const", "append_const", "count", "help", "version")


class _Group:
    """What arguments are added to: a parser, or a group of one."""

    def __init__(self, parser):
        self._parser = parser

    def add_argument(self, *flags, **options):
        return self._parser._add(flags, options)

    def __getattr__(self, name):
        return _of_parsers(name)

    def add_argument_group(self, *args, **kw):
        return _Group(self._parser)

    def add_mutually_exclusive_group(self, required=False):
        self._parser._is_followed = False
        return _Group(self._parser)

    def set_defaults(self, **kw):
        self._parser._set_defaults(kw)


class ArgumentParser(_Group):
    def __init__(self, prog=None, usage=None, description=None, epilog=None, parents=[], formatter_class=HelpFormatter,
                 prefix_chars="-", fromfile_prefix_chars=None, argument_default=None, conflict_handler="error",
                 add_help=True, allow_abbrev=True, exit_on_error=True):
        self._parser = self
        self.prog = prog if prog is not None else sys.argv
        self.description = description
        self._options = []
        self._positional = []
        self._defaults = {}
        self._is_followed = (prefix_chars == "-" and fromfile_prefix_chars is None and conflict_handler == "error" and
                             allow_abbrev and exit_on_error)
        self._argument_default = argument_default
        if add_help:
            self._options.append(_Option(["-h", "--help"], "help", "help", 0, None, SUPPRESS, None, None, False))
        for parent in parents:
            self._options += [one for one in parent._options if one.dest != "help"]
            self._positional += parent._positional
            self._defaults.update(parent._defaults)
            self._is_followed = self._is_followed and parent._is_followed

    def _add(self, flags, options):
        action = options.get("action", "store")
        if not isinstance(action, str):
            if action is not BooleanOptionalAction:
                self._is_followed = False
        elif action not in _PLAIN and action not in _BARE:
            raise ValueError(f'unknown action "{action}"')
        dest = options.get("dest")
        positional = not flags or (len(flags) == 1 and not flags[0].startswith("-"))
        if positional:
            if dest is not None and flags:
                raise ValueError("dest supplied twice for positional argument")
            if "required" in options:
                raise TypeError("'required' is an invalid argument for positionals")
            dest = flags[0] if flags else dest
            if dest is None:
                raise TypeError("ArgumentParser.add_argument() missing 1 required positional argument: 'dest'")
        else:
            for flag in flags:
                if not flag.startswith("-"):
                    raise ValueError(f"invalid option string {flag!r}: must start with a character '-'")
                for other in self._options:
                    if flag in other.option_strings:
                        raise ArgumentError(None, f"argument {'/'.join(flags)}: conflicting option string: {flag}")
            if dest is None:
                long = [flag for flag in flags if flag.startswith("--")]
                dest = (long[0] if long else flags[0]).lstrip("-").replace("-", "_")
        kind, nargs, default = options.get("type"), options.get("nargs"), options.get("default", self._argument_default)
        if action == "store_true":
            default = options.get("default", False)
        elif action == "store_false":
            default = options.get("default", True)
        elif action in ("help", "version"):
            default = SUPPRESS
        if dest in self._defaults:
            default = self._defaults[dest]
        if kind is not None and not callable(kind):
            raise ValueError(f"{kind!r} is not callable")
        if nargs == PARSER or nargs == REMAINDER or nargs == SUPPRESS:
            self._is_followed = False
        names = list(flags)
        if action is BooleanOptionalAction:
            names += ["--no-" + flag[2:] for flag in flags if flag.startswith("--")]
        made = _Option([] if positional else names, dest, action, nargs, options.get("const"), default, kind,
                       options.get("choices"), options.get("required", False))
        (self._positional if positional else self._options).append(made)
        return made

    def _set_defaults(self, values):
        self._defaults.update(values)
        for option in self._options + self._positional:
            if option.dest in values:
                option.default = values[option.dest]

    def get_default(self, dest):
        for option in self._options + self._positional:
            if option.dest == dest and option.default is not None:
                return option.default
        return self._defaults.get(dest)

    def add_subparsers(self, **kw):
        self._is_followed = False
        return _Subparsers(self)

    def error(self, message):
        raise SystemExit(2)

    def exit(self, status=0, message=None):
        raise SystemExit(status)

    def print_help(self, file=None):
        pass

    def print_usage(self, file=None):
        pass

    def parse_args(self, args=None, namespace=None):
        found = self.parse_known_args(args, namespace)
        found, rest = found
        if rest:
            self.error("unrecognized arguments: " + " ".join(rest))
        return found

    def parse_known_args(self, args=None, namespace=None):
        if args is None or not self._is_followed or namespace is not None:
            return _UNKNOWN.parse(namespace, [one.type for one in self._options + self._positional],
                                  [one.action for one in self._options + self._positional])
        return self._parse(list(args))

    def _option_of(self, text):
        """The option that a text names, and the name; None: it is none. Empty: it could be several."""
        exact = [(one, text) for one in self._options if text in one.option_strings]
        if exact or not text.startswith("--"):
            return exact
        return [(one, flag) for one in self._options for flag in one.option_strings if flag.startswith(text)]

    def _converted(self, option, text):
        value = text
        if option.type is not None:
            try:
                value = option.type(text)
            except (TypeError, ValueError, ArgumentTypeError):
                self.error("invalid value")
        if option.choices is not None and value not in option.choices:
            self.error("invalid choice")
        return value

    def _store(self, found, option, texts):
        if option.nargs is None:
            value = self._converted(option, texts[0])
        elif option.nargs == "?":
            value = texts[0] if texts else option.const
            if isinstance(value, str):
                value = self._converted(option, value)
        else:
            value = [self._converted(option, text) for text in texts]
        if option.action == "store":
            found[option.dest] = value
            return
        held = found.get(option.dest)
        held = [] if held is None else held.copy()
        found[option.dest] = held + (value if option.action == "extend" else [value])

    def _parse(self, args):
        found = dict()
        for one in self._options + self._positional:
            if one.default is not SUPPRESS and one.default != SUPPRESS and one.dest not in found:
                found[one.dest] = one.default
        for name in self._defaults:
            if name not in found:
                found[name] = self._defaults[name]
        if "--" in args:
            return _UNKNOWN.parse(list(args))
        for text in args:
            if text.startswith("-") and len(self._option_of(text.split("=")[0])) > 1:
                self.error("ambiguous option")
        seen, plain, rest, runs, last, at = [], [], [], 0, False, 0
        numbers = any(flag[1:].isdigit() for one in self._options for flag in one.option_strings)
        while at < len(args):
            text = args[at]
            at += 1
            flagged = text.startswith("-") and text != "-"
            if flagged and not numbers and _is_number(text):
                flagged = False
            if flagged and " " in text and not self._option_of(text.split("=")[0]):
                flagged = False
            if not flagged:
                runs += 0 if last else 1
                last = True
                plain.append(text)
                continue
            name, given = text, None
            options = self._option_of(text)
            if not options and text.startswith("--") and "=" in text:
                name, given = text[:text.index("=")], text[text.index("=") + 1:]
                options = self._option_of(name)
            if not options and not text.startswith("--") and len(text) > 2:
                options = self._option_of(text[:2])
                name, given = text[:2], text[2:].removeprefix("=")
                if options and (options[0][0].action in _BARE or options[0][0].action is BooleanOptionalAction):
                    return _UNKNOWN.parse(list(args))
            if not options:
                rest.append(text)
                last = False
                if at < len(args) and not args[at].startswith("-") and (self._positional or plain):
                    return _UNKNOWN.parse(list(args))
                continue
            option, flag = options[0]
            if option.action == "help" or option.action == "version":
                return _UNKNOWN.parse(list(args))
            last = False
            seen.append(option)
            if option.action in _BARE or option.action is BooleanOptionalAction:
                if given is not None:
                    self.error("ignored explicit argument")
                self._set_bare(found, option, flag)
                continue
            texts = [] if given is None else [given]
            least, most = _count(option.nargs)
            if given is None:
                while len(texts) < most and at < len(args) and (
                        not args[at].startswith("-") or args[at] == "-" or (_is_number(args[at]) and not numbers)):
                    texts.append(args[at])
                    at += 1
            if len(texts) < least:
                self.error("expected more arguments")
            self._store(found, option, texts)
        left = self._place(found, plain, runs)
        if left is None or (left and rest):
            return _UNKNOWN.parse(list(args))
        rest += left
        for one in self._options:
            if one.required and not any(one is other for other in seen):
                self.error("the following arguments are required")
        for one in self._options:
            if not any(one is other for other in seen) and isinstance(one.default, str) and one.default != SUPPRESS:
                if one.type is not None and found.get(one.dest) is one.default:
                    found[one.dest] = one.type(one.default)
        return Namespace(**found), rest

    def _set_bare(self, found, option, flag):
        action = option.action
        if action == "store_true":
            found[option.dest] = True
        elif action == "store_false":
            found[option.dest] = False
        elif action == "store_const":
            found[option.dest] = option.const
        elif action == "append_const":
            held = found.get(option.dest)
            found[option.dest] = ([] if held is None else held.copy()) + [option.const]
        elif action == "count":
            held = found.get(option.dest)
            found[option.dest] = (0 if held is None else held) + 1
        else:
            found[option.dest] = not flag.startswith("--no-")

    def _place(self, found, plain, runs):
        """Gives the texts without a flag to the positional arguments; returns those that are left."""
        options = self._positional
        varied = [one for one in options if one.nargs in ("?", "*", "+")]
        if len(varied) > 1 or (runs > 1 and any(one.nargs is not None for one in options)):
            return None
        fixed = sum(_count(one.nargs)[0] for one in options if one.nargs not in ("?", "*", "+"))
        for one in options:
            least, most = _count(one.nargs)
            if one.nargs in ("?", "*", "+"):
                most = min(most, max(0, len(plain) - fixed))
                if most < least:
                    self.error("the following arguments are required")
            elif len(plain) < least:
                self.error("the following arguments are required")
            else:
                fixed -= least
                most = least
            texts, plain = plain[:most], plain[most:]
            if not texts and one.nargs in ("?", "*"):
                value = one.default
                if one.nargs == "*" and value is None:
                    value = []
                if one.nargs == "?" and isinstance(value, str):
                    value = self._converted(one, value)
                found[one.dest] = value
                continue
            if one.nargs == "?":
                found[one.dest] = self._converted(one, texts[0])
            else:
                self._store(found, one, texts)
        return plain


class ArgumentError(Exception):
    pass


class _Subparsers:
    def __init__(self, parser):
        self._parser = parser

    def add_parser(self, name, **kw):
        return ArgumentParser(**{key: kw[key] for key in kw if key not in ("help", "aliases")})


def _is_number(text):
    digits = text[1:].replace(".", "", 1)
    return text.startswith("-") and digits.isdigit() and not text.endswith(".")


def _count(nargs):
    """How many texts an argument takes: at least, at most."""
    if nargs is None:
        return 1, 1
    if nargs == "?":
        return 0, 1
    if nargs == "*":
        return 0, 1000000
    if nargs == "+":
        return 1, 1000000
    return nargs, nargs

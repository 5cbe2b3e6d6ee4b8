# pathlib, as far as it computes with texts. What asks the file system is not known.
import os


def _parts(path):
    """Root and parts of a text, as posixpath's flavour reads it."""
    root = ""
    if path.startswith("/"):
        root = "//" if path.startswith("//") and not path.startswith("///") else "/"
    return root, [part for part in path.split("/") if part and part != "."]


def _text(arg):
    if isinstance(arg, PurePath):
        return str(arg)
    if isinstance(arg, str):
        return arg
    raise TypeError(f"argument should be a str or an os.PathLike object where __fspath__ returns a str, not '{type(arg).__name__}'")


class PurePath:
    def __new__(cls, *args):
        return object.__new__(PurePosixPath if cls is PurePath else PosixPath if cls is Path else cls)

    def __init__(self, *args):
        root, parts = "", []
        for arg in args:
            one, more = _parts(_text(arg))
            if one:
                root, parts = one, more
            else:
                parts = parts + more
        self._root = root
        self._names = tuple(parts)

    def _made(self, root, names):
        made = type(self)()
        made._root = root
        made._names = tuple(names)
        return made

    @property
    def drive(self):
        return ""

    @property
    def root(self):
        return self._root

    @property
    def anchor(self):
        return self._root

    @property
    def parts(self):
        return ((self._root,) if self._root else ()) + self._names

    @property
    def name(self):
        return self._names[-1] if self._names else ""

    @property
    def suffix(self):
        name = self.name
        at = name.rfind(".")
        return name[at:] if 0 < at < len(name) - 1 else ""

    @property
    def suffixes(self):
        name = self.name
        if name.endswith("."):
            return []
        return ["." + one for one in name.lstrip(".").split(".")[1:]]

    @property
    def stem(self):
        name = self.name
        at = name.rfind(".")
        return name[:at] if 0 < at < len(name) - 1 else name

    @property
    def parent(self):
        return self._made(self._root, self._names[:-1]) if self._names else self

    @property
    def parents(self):
        return tuple(self._made(self._root, self._names[:n]) for n in range(len(self._names) - 1, -1, -1))

    def joinpath(self, *args):
        return type(self)(self, *args)

    def __truediv__(self, other):
        if not isinstance(other, (str, PurePath)):
            return NotImplemented
        return type(self)(self, other)

    def __rtruediv__(self, other):
        if not isinstance(other, (str, PurePath)):
            return NotImplemented
        return type(self)(other, self)

    def with_name(self, name):
        if not self.name:
            raise ValueError(f"{self!r} has an empty name")
        root, names = _parts(name)
        if root or len(names) != 1 or name.endswith("/"):
            raise ValueError(f"Invalid name {name!r}")
        return self._made(self._root, self._names[:-1] + (name,))

    def with_stem(self, stem):
        return self.with_name(stem + self.suffix)

    def with_suffix(self, suffix):
        if "/" in suffix or (suffix and not suffix.startswith(".")) or suffix == ".":
            raise ValueError(f"Invalid suffix {suffix!r}")
        if not self.name:
            raise ValueError(f"{self!r} has an empty name")
        old = self.suffix
        return self._made(self._root, self._names[:-1] + ((self.name[:-len(old)] if old else self.name) + suffix,))

    def is_absolute(self):
        return bool(self._root)

    def is_reserved(self):
        return False

    def is_relative_to(self, *other):
        start = type(self)(*other)
        return self.parts[:len(start.parts)] == start.parts and not (self._root and not start.parts)

    def relative_to(self, *other):
        start = type(self)(*other)
        if not self.is_relative_to(start):
            raise ValueError(f"{str(self)!r} is not in the subpath of {str(start)!r} OR one path is relative and the other is absolute.")
        return self._made("", self.parts[len(start.parts):])

    def as_posix(self):
        return str(self)

    def __fspath__(self):
        return str(self)

    def __str__(self):
        return self._root + "/".join(self._names) or "."

    def __repr__(self):
        return f"{type(self).__name__}({str(self)!r})"

    def __eq__(self, other):
        if not isinstance(other, PurePath):
            return NotImplemented
        return self._root == other._root and self._names == other._names

    def __hash__(self):
        return hash((self._root, self._names))

    def __lt__(self, other):
        return self.parts < other.parts if isinstance(other, PurePath) else NotImplemented

    def __le__(self, other):
        return self.parts <= other.parts if isinstance(other, PurePath) else NotImplemented

    def __gt__(self, other):
        return self.parts > other.parts if isinstance(other, PurePath) else NotImplemented

    def __ge__(self, other):
        return self.parts >= other.parts if isinstance(other, PurePath) else NotImplemented


class PurePosixPath(PurePath):
    pass


class Path(PurePath):
    def exists(self, *args, **kw):
        return os.path.exists(self, *args, **kw)

    def is_file(self):
        return os.path.isfile(self)

    def is_dir(self):
        return os.path.isdir(self)

    # What else a path can do asks the file system, or is not followed.
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"'PosixPath' object has no attribute '{name}'")
        return os.stat(self, name)

    @classmethod
    def cwd(cls):
        return os.getcwd()

    @classmethod
    def home(cls):
        return os.path.expanduser("~")


class PosixPath(Path, PurePosixPath):
    pass

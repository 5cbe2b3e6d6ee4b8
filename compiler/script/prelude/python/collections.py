# collections.ChainMap: the first of several dicts that has the key.
from collections.abc import MutableMapping


class ChainMap(MutableMapping):
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __missing__(self, key):
        raise KeyError(key)

    def __getitem__(self, key):
        for m in self.maps:
            if key in m:
                return m[key]
        return self.__missing__(key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def _flat(self):
        flat = {}
        for m in reversed(self.maps):
            for key in m:
                flat[key] = m[key]
        return flat

    def __len__(self):
        return len(self._flat())

    def __iter__(self):
        return iter(self._flat())

    def __contains__(self, key):
        return any(key in m for m in self.maps)

    def __bool__(self):
        return any(self.maps)

    def __eq__(self, other):
        return self._flat() == (other._flat() if isinstance(other, ChainMap) else other)

    def __repr__(self):
        return "ChainMap(" + ", ".join(map(repr, self.maps)) + ")"

    def keys(self):
        return self._flat().keys()

    def values(self):
        return self._flat().values()

    def items(self):
        return self._flat().items()

    def copy(self):
        return type(self)(self.maps[0].copy(), *self.maps[1:])

    def new_child(self, m=None, **kwargs):
        if m is None:
            m = kwargs
        elif kwargs:
            m.update(kwargs)
        return type(self)(m, *self.maps)

    @property
    def parents(self):
        return type(self)(*self.maps[1:])

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __delitem__(self, key):
        if key not in self.maps[0]:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        del self.maps[0][key]

    def pop(self, key, *default):
        if key not in self.maps[0] and not default:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        return self.maps[0].pop(key, *default)

    def setdefault(self, key, default=None):
        if key in self:
            return self[key]
        self[key] = default
        return default

    def update(self, *others, **kwargs):
        self.maps[0].update(*others, **kwargs)

    def clear(self):
        self.maps[0].clear()

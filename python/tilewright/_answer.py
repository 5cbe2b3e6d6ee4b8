"""What all answers of the binary have in common."""
import dataclasses
import html
import keyword
import typing


class Answer:
    """A typed object made of JSON. Members that this version does not know are left out; those that an answer lacks are
    None."""

    _made_of: typing.ClassVar[dict] = {}

    @classmethod
    def _of(cls, json):
        values = {}
        known = {f.name for f in dataclasses.fields(cls)}
        for key, value in json.items():
            name = key + "_" if keyword.iskeyword(key) else key
            if name in known:
                values[name] = _made(cls._made_of.get(name), value)
        for name in known - set(values):
            values[name] = None
        return cls(**values)

    def to_json(self):
        """The object as the binary said it."""
        out = {}
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if value is not None:
                out[f.name.rstrip("_") if keyword.iskeyword(f.name.rstrip("_")) else f.name] = _plain(value)
        return out

    def _repr_html_(self):
        """For notebooks: a table of the members, with lists of objects as tables of their own."""
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(f.name)}</th><td>{_cell(getattr(self, f.name))}</td></tr>"
                       for f in dataclasses.fields(self) if getattr(self, f.name) not in (None, [], {}))
        return f"<table><caption style='text-align:left'>{html.escape(type(self).__name__)}</caption>{rows}</table>"


def _made(kind, value):
    if kind is None or value is None:
        return value
    if isinstance(value, list):
        return [_made(kind, v) for v in value]
    if not isinstance(value, dict):
        return value
    if value and all(isinstance(v, (dict, list)) for v in value.values()) and not set(value) & {
            f.name for f in dataclasses.fields(kind)}:
        return {k: _made(kind, v) for k, v in value.items()}  # objects by names
    return kind._of(value)


def _plain(value):
    if isinstance(value, Answer):
        return value.to_json()
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return value


_MOST = 50  # rows that a notebook shows


def _cell(value):
    if isinstance(value, list) and value and all(isinstance(v, Answer) for v in value):
        names = [f.name for f in dataclasses.fields(value[0])]
        names = [n for n in names if any(getattr(v, n, None) not in (None, [], {}) for v in value)]
        head = "".join(f"<th>{html.escape(n)}</th>" for n in names)
        body = "".join("<tr>" + "".join(f"<td>{_word(getattr(v, n, None))}</td>" for n in names) + "</tr>" for v in value[:_MOST])
        more = f"<tr><td>{len(value) - _MOST} more</td></tr>" if len(value) > _MOST else ""
        return f"<table><tr>{head}</tr>{body}{more}</table>"
    if isinstance(value, Answer):
        return _word(value)
    return _word(value)


def _word(value):
    if isinstance(value, Answer):
        if hasattr(value, "file") and hasattr(value, "start"):
            return html.escape(f"{value.file}:{value.start.line}:{value.start.column}")
        return html.escape(", ".join(f"{f.name}: {getattr(value, f.name)}" for f in dataclasses.fields(value))[:400])
    text = str(value)
    return html.escape(text if len(text) < 2000 else text[:2000] + " ...")

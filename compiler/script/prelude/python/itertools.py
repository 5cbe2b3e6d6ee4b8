# itertools: what is made of generators alone.


def compress(data, selectors):
    return (d for d, s in zip(data, selectors) if s)


def filterfalse(function, iterable):
    if function is None:
        return (x for x in iterable if not x)
    return (x for x in iterable if not function(x))

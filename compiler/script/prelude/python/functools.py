# functools: what is plain Python. Of singledispatch the implementation is chosen by the class of the first argument.
import functools


class singledispatch:
    def __init__(self, func):
        self.__name__ = func.__name__
        self.__doc__ = func.__doc__
        self.__wrapped__ = func
        self.registry = {object: func}

    def register(self, cls, func=None):
        if func is not None:
            self.registry[functools._plain_class(cls)] = func
            return func
        if not isinstance(cls, type):
            func = cls
            annotations = functools._first_annotation(func)
            if len(annotations) == 0:
                raise TypeError(
                    f"Invalid first argument to `register()`: {cls!r}. "
                    f"Use either `@register(some_class)` or plain `@register` on an annotated function.")
            self.registry[functools._plain_class(annotations[0])] = func
            return func

        def decorate(func):
            self.registry[functools._plain_class(cls)] = func
            return func

        return decorate

    def dispatch(self, cls):
        for one in functools._plain_class(cls, *self.registry).__mro__:
            if one in self.registry:
                return self.registry[one]
        return self.registry[object]

    def __call__(self, *args, **kw):
        if not args:
            raise TypeError(f"{self.__name__} requires at least 1 positional argument")
        return self.dispatch(type(args[0]))(*args, **kw)

    # As functools.update_wrapper leaves it.
    def __getattr__(self, name):
        if name.startswith("__") and name != "__qualname__" and name != "__module__":
            return functools._not_followed
        return getattr(self.__wrapped__, name)


class partialmethod:
    def __init__(self, func, /, *args, **keywords):
        self.func = func
        self.args = args
        self.keywords = keywords

    def __get__(self, obj, cls=None):
        if not callable(self.func) or isinstance(self.func, (classmethod, staticmethod, partialmethod)):
            return functools._not_followed
        if obj is None:
            return lambda this, *args, **keywords: self.func(this, *self.args, *args, **{**self.keywords, **keywords})
        return functools.partial(self.func, obj, *self.args, **self.keywords)


class singledispatchmethod:
    def __init__(self, func):
        self.dispatcher = singledispatch(func)
        self.func = func

    def register(self, cls, method=None):
        return self.dispatcher.register(cls, func=method)

    def __get__(self, obj, cls=None):
        if obj is None or isinstance(self.func, (classmethod, staticmethod)):
            return functools._not_followed

        def call(*args, **keywords):
            return self.dispatcher.dispatch(type(args[0]))(obj, *args, **keywords)

        return call

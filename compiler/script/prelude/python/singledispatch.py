# functools.singledispatch: the implementation is chosen by the class of the first argument.
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
        for one in functools._plain_class(cls).__mro__:
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

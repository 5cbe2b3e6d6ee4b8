# contextlib: managers that are plain Python.
import functools


class ContextDecorator:
    def _recreate_cm(self):
        return self

    def __call__(self, func):
        @functools.wraps(func)
        def inner(*args, **kwargs):
            with self._recreate_cm():
                return func(*args, **kwargs)

        return inner


# A function within a manager that a generator makes again for each call; `made_by`: what makes it, and of what.
def _within(made_by, func):
    make, given, keywords = made_by

    @functools.wraps(func)
    def inner(*args, **kwargs):
        with make(*given, **keywords):
            return func(*args, **kwargs)

    return inner


class ExitStack:
    def __init__(self):
        self._exits = []

    def __enter__(self):
        return self

    def enter_context(self, cm):
        result = cm.__enter__()
        self._exits.append(cm.__exit__)
        return result

    def push(self, exit):
        self._exits.append(exit.__exit__ if hasattr(exit, "__exit__") else exit)
        return exit

    def callback(self, callback, /, *args, **kwargs):
        def leave(kind, value, trace):
            callback(*args, **kwargs)

        self._exits.append(leave)
        return callback

    def pop_all(self):
        other = type(self)()
        other._exits = self._exits
        self._exits = []
        return other

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, kind, value, trace):
        failed = kind is not None
        raised = False
        while self._exits:
            leave = self._exits.pop()
            if kind is None and not raised:
                leave(None, None, None)
                continue
            try:
                if leave(kind, value, trace):
                    kind, value, trace, raised = None, None, None, False
            except BaseException as error:
                kind, value, trace, raised = type(error), error, None, True
        if raised:
            raise value
        return failed and kind is None

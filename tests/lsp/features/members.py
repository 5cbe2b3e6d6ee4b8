# Members of classes, as far as names lead to them.
class Base:
    def both(self):
        return self.wait(1)


class Pipe(Base):
    def __init__(self, depth):
        self.depth = depth

    def wait(self, phase):
        # @9 references:
#| 11:9 wait
#| 19:21 wait
#| 24:6 wait
#| 26:15 wait
#| 55:21 wait
        # @9 rename(pause): refused: 'wait' on line 4 of members.py may or may not be the same
        # @20 references:
#| 11:20 phase
#| 15:30 phase
#| 19:26 phase
        return self.both() + phase

    def signal(self):
        # @9 rename(tell): refused: 'signal' on line 30 of members.py may or may not be the same
        return self.wait(phase=0)


pipe = Pipe(depth=2)
#           ^ definition: 8:24 depth
pipe.wait(1)
#    ^ definition: 11:9 wait
Pipe(depth=3).wait(2)


def anything(p):
    return p.signal()


class Alone:
    LIMIT = 4

    def rest(self, n=LIMIT):
        # @9 rename(pause):
#| 36:9 rest
#| 43:9 rest
        # @20 rename(count):
#| 36:20 n
#| 39:29 n
#| 43:14 n
        return self.LIMIT - n
        #           ^ rename(BOUND):
#| 34:5 LIMIT
#| 36:22 LIMIT
#| 39:21 LIMIT


Alone().rest(n=1)
#       ^ references:
#| 36:9 rest
#| 43:9 rest


class Child(Pipe):
    def twice(self):
        # @9 rename(both): refused: 'twice' on line 55 of members.py may or may not be the same
        return 2


class GrandChild(Child):
    def twice(self):
        return self.wait(2) + super().twice()
        #           ^ definition: 11:9 wait

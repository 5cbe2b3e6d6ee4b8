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
        # @9 rename(pause): refused: nobody knows whether 'wait' on line 4 of members.py is the same
        # @20 references:
#| 11:20 phase
#| 15:30 phase
#| 19:26 phase
        return self.both() + phase

    def signal(self):
        # @9 rename(tell): refused: nobody knows whether 'signal' on line 30 of members.py is the same
        return self.wait(phase=0)


pipe = Pipe(depth=2)
#           ^ definition: 8:24 depth
pipe.wait(1)
#    ^ definition: 11:9 wait
Pipe(depth=3).wait(2)


def anything(p):
    return p.signal()

"""python -m tilewright: the command line of the binary that belongs to this package."""
import os
import sys

from tilewright import find_tilewright_bin

if __name__ == "__main__":
    binary = find_tilewright_bin()
    os.execv(binary, [binary, *sys.argv[1:]])

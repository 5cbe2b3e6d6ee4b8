// The toolchain's helper as a program of its own, for tests and benchmarks: the real one is a subcommand of tilewright.
#include "compiler/toolchain/helper.h"

int main() { return tilewright::toolchain::helper_main(); }

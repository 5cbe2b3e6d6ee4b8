// The process that holds the GPU, for tests whose own binary is a test program.
#include "compiler/run/helper.h"

int main() { return tilewright::run::helper_main(); }

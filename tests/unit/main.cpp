#define TILEWRIGHT_TEST_MAIN
#include "tests/unit/catch.h"

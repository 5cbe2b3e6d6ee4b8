// Whole expected texts beside the tests: tests/unit/golden/NAME. TILEWRIGHT_UPDATE=1 in the environment rewrites them.
#pragma once
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/unit/catch.h"

namespace tilewright::testing {

inline void check_golden(const std::string& name, const std::string& text) {
  std::string path = std::string(TILEWRIGHT_SOURCE_DIR) + "/tests/unit/golden/" + name;
  if (std::getenv("TILEWRIGHT_UPDATE")) {
    std::ofstream(path) << text;
    return;
  }
  std::stringstream expected;
  expected << std::ifstream(path).rdbuf();
  CHECK(text == expected.str());
}

}  // namespace tilewright::testing

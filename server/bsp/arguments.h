// The `arguments` of a compile, test or run request: words as the command line has them.
#pragma once
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "server/work/build.h"

namespace tilewright::bsp {

struct Arguments {
  // --arch NAME, --entry EXPR (each repeatable), --deny fallback, --instructions
  work::BuildOptions build;
  std::string on;                  // --on PLACE; empty: as the server was started
  bool require_all = false;        // --require-all: a test that the device's architecture cannot run fails
  std::optional<double> deadline;  // --deadline SECONDS, of a test's or run's kernel
};
// The error names the word that is not understood.
std::expected<Arguments, std::string> read_arguments(const std::vector<std::string>& words);

}  // namespace tilewright::bsp

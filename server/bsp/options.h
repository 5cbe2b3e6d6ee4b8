// What a build server is started with.
#pragma once
#include <cstddef>
#include <string>

namespace tilewright::bsp {

struct Options {
  std::string on;     // where tests and runs execute, where a request does not say: as `run --on`
  unsigned jobs = 0;  // cores that one request may use; 0: all
  std::size_t clients = 64;
};

}  // namespace tilewright::bsp

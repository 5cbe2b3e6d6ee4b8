// What an edit needs to know of the top-level statements of a file (recut.h).
#pragma once
#include <cstdint>
#include <vector>

namespace tilewright::syntax {

struct Cuts {
  struct Cut {
    std::uint32_t offset = 0;      // of the statement's first byte
    std::uint32_t reach = 0;       // so many bytes from there on decided what it is; the end of the text counts as one
    std::uint32_t column = 0;      // its indentation
    std::uint32_t unexpected = 0;  // bytes of its first line if that indentation is an error; 0: it is none
    bool has_errors = false;       // there are errors in it, that one included
  };
  std::vector<Cut> list;        // one a statement, in the order of the text
  std::uint64_t rescanned = 0;  // bytes that the scanner read in vain, at most
};

}  // namespace tilewright::syntax

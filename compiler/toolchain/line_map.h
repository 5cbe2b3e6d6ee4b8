// Which CUDA lines a line of PTX or SASS came from, through the inlining chain of its line information, and back.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::toolchain {

// One place in a CUDA file. In a chain each frame is the call site of the one before it.
struct LineFrame {
  std::uint32_t file = 0;    // index into LineMap::files
  std::uint32_t line = 0;    // from 1; 0: the compiler names none
  std::uint32_t column = 0;  // from 1; 0: not known (SASS never knows)
  friend bool operator==(const LineFrame&, const LineFrame&) = default;
};

// One instruction.
struct LineRow {
  std::uint32_t line = 0;      // of the PTX or SASS text, from 1
  std::uint32_t function = 0;  // index into LineMap::functions
  std::uint32_t chain = 0;     // index into LineMap::chains
};

struct LineMap {
  std::vector<std::string> files;              // as the compiler wrote them
  std::vector<std::string> functions;          // symbols of kernels and of functions that were not inlined
  std::vector<std::vector<LineFrame>> chains;  // innermost first; chains[0] is empty: no line information
  std::vector<LineRow> rows;                   // instructions in the order of the text

  // The inlining chain of a line of the text, innermost first; empty for a line that is no instruction.
  std::span<const LineFrame> chain_at(std::uint32_t line) const;
  // The lines of the kernel's own source in that chain, innermost first, without repetition.
  std::vector<std::uint32_t> cuda_lines_at(std::uint32_t line) const;
  // The lines of the text that a line of the kernel's own source became: those with it anywhere in their chain, so that
  // a call's line has the instructions of all that was inlined there.
  std::vector<std::uint32_t> lines_of(std::uint32_t cuda_line) const;

  bool is_source(std::uint32_t file) const;
};

// From the `.file` and `.loc` directives of PTX as NVRTC writes it with -lineinfo.
LineMap read_ptx_lines(std::string_view ptx);
// From the `//## File` comments of `nvdisasm -gi -c`.
LineMap read_sass_lines(std::string_view sass);

}  // namespace tilewright::toolchain

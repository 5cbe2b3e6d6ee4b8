// Joins what each stage knows of its lines: script range, CUDA line, PTX lines, SASS lines (docs/house.md: one way
// through, and back).
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/cuda/cuda.h"
#include "compiler/text/source.h"
#include "compiler/toolchain/line_map.h"

namespace tilewright::session {

// One line of CUDA that came from the script, and what it became. Lines count from 1.
struct MappedLine {
  std::uint32_t cuda = 0;
  ir::Origin origin;
  std::vector<std::uint32_t> ptx;
  std::vector<std::uint32_t> sass;
};

struct SourceMap {
  std::vector<MappedLine> lines;  // ascending by CUDA line

  // The CUDA lines whose origin, or one of its call sites, lies in the bytes [begin, end) of `source`.
  std::vector<const MappedLine*> of_script(const text::Anchors& anchors, const text::Source* source,
                                           std::uint32_t begin, std::uint32_t end) const;
  const MappedLine* of_cuda(std::uint32_t line) const;  // null: the line is not the script's
};

// `ptx` and `sass` may be empty: that part of the map then is.
SourceMap join(const cuda::CudaSource& cuda, std::string_view ptx, std::string_view sass);

}  // namespace tilewright::session

// A kernel's machine code, instruction for instruction, and the place of the script that each came from.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/cuda/cuda.h"
#include "compiler/toolchain/line_map.h"

namespace tilewright::work {

// The instructions of one kernel in its disassembly.
class Listing {
 public:
  // `sass`: as `nvdisasm -gi -c` writes it.
  Listing(const std::string& sass, const std::string& symbol);

  struct Row {
    const std::vector<toolchain::LineFrame>* chain;
    std::string text;
  };
  // Null: there is no instruction at this offset of the kernel's code.
  const Row* find(std::uint32_t offset) const {
    const auto found = rows_.find(offset);
    return found == rows_.end() ? nullptr : &found->second;
  }
  const std::map<std::uint32_t, Row>& rows() const { return rows_; }  // by offset
  // A branch goes back over it.
  bool in_loop(std::uint32_t offset) const;
  // Instructions of functions that the kernel calls, which are not inlined, are beside it.
  bool has_more() const { return has_more_; }
  const toolchain::LineMap& map() const { return map_; }

  // The innermost place of the script that an instruction came from; null: none is known. Lines of the kernel that came
  // from no statement (the brace that ends it, where warps wait for their last writes) count with the one before them.
  const cuda::LineOrigin* origin_of(const Row& row, const cuda::CudaSource& cuda) const;

 private:
  void take(std::string_view line, const toolchain::LineRow& row);
  void find_loops();

  toolchain::LineMap map_;
  std::map<std::uint32_t, Row> rows_;
  std::map<std::string, std::uint32_t, std::less<>> labels_;  // the offset of the instruction behind each
  std::vector<std::string> open_labels_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> loops_;  // first and last instruction; apart, ascending
  bool has_more_ = false;
};

}  // namespace tilewright::work

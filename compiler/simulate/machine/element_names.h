// Bytes of a buffer in the author's words: "tile[1, 0:8]".
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/lower/lowered.h"

namespace tilewright::simulate {

class ElementNames {
 public:
  // Buffers of the script over shared and global memory whose extents `evaluate` knows.
  ElementNames(const lower::LoweredKernel& kernel,
               const std::function<std::optional<std::int64_t>(ir::Expr)>& evaluate);

  // Bytes of the memory behind a data variable, by the buffer of that name where one has it, else by the smallest that
  // covers them. Empty: no buffer has just these elements.
  std::string name_of(const ir::Var* data, std::int64_t offset, std::int64_t bytes, std::string_view view) const;
  // The buffer alone, also of a part of an element. Empty: none has these bytes.
  std::string buffer_of(const ir::Var* data, std::int64_t offset, std::int64_t bytes, std::string_view view) const;
  // "W[-4, 0:8]: index -4 of dimension 0 is outside of 0 to 63"; empty: the buffer is not in row-major order. `offset`
  // is from the start of the memory.
  std::string outside(const ir::Var* data, std::int64_t offset, std::int64_t bytes, std::string_view view) const;

  // The buffer in row-major order of two dimensions or more that has these bytes, chosen as by name_of.
  struct Rows {
    const ir::Buffer* buffer = nullptr;  // null: there is none
    std::int64_t first = 0;              // where it begins in the memory
    std::int64_t row_bytes = 0, rows = 0, element_bytes = 0;
  };
  Rows rows_of(const ir::Var* data, std::int64_t offset, std::int64_t bytes, std::string_view view) const;

 private:
  struct Named {
    const ir::Buffer* buffer = nullptr;
    std::int64_t first = 0, size = 0;  // in bytes
    std::int64_t width = 0;            // of an element, in bytes
    std::vector<std::int64_t> shape;
    bool row_major = false;
    mutable std::vector<std::int32_t> elements;  // the element at each place, -1: none; made when it is first asked for
  };
  void add(const ir::Buffer* buffer, const std::function<std::optional<std::int64_t>(ir::Expr)>& evaluate);
  const Named* find(const ir::Var* data, std::int64_t offset, std::int64_t bytes, std::string_view view) const;
  static std::optional<std::vector<std::int64_t>> index_at(const Named& n, std::int64_t place);

  std::unordered_map<const ir::Var*, std::vector<Named>> named_;
};

}  // namespace tilewright::simulate

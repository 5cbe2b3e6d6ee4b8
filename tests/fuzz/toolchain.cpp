// What is read back from disk and from NVIDIA's tools: records, ELF files, line information, logs.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "compiler/toolchain/compile_log.h"
#include "compiler/toolchain/elf.h"
#include "compiler/toolchain/line_map.h"
#include "compiler/toolchain/record.h"

using namespace tilewright::toolchain;

namespace {

// Every row must name a line, a function and a chain that exist.
void check(const LineMap& map, std::uint32_t lines) {
  for (const LineRow& row : map.rows) {
    if (row.line == 0 || row.line > lines || row.chain >= map.chains.size()) std::abort();
    if (!map.functions.empty() && row.function >= map.functions.size()) std::abort();
  }
  for (const auto& chain : map.chains) {
    for (const LineFrame& frame : chain) {
      if (frame.file >= map.files.size()) std::abort();
    }
  }
  map.lines_of(1);
  map.cuda_lines_at(lines);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  std::uint32_t lines = 1;
  for (char c : text) lines += c == '\n';
  switch (data[0] % 5) {
    case 0:
      if (auto record = decode(text); record && encode(*record) != text) std::abort();
      break;
    case 1: elf_sections(text); break;
    case 2: check(read_ptx_lines(text), lines); break;
    case 3: check(read_sass_lines(text), lines); break;
    case 4: {
      std::size_t half = text.size() / 2;
      read_log(text.substr(0, half), text.substr(half), text, text);
      break;
    }
  }
  return 0;
}

#include "server/work/instructions.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "compiler/toolchain/line_map.h"

namespace tilewright::work {

std::int64_t count_instructions(const std::string& sass) {
  const toolchain::LineMap map = toolchain::read_sass_lines(sass);
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < sass.size();) {
    const std::size_t end = std::min(sass.find('\n', begin), sass.size());
    lines.push_back(std::string_view(sass).substr(begin, end - begin));
    begin = end + 1;
  }
  return std::ranges::count_if(map.rows, [&](const toolchain::LineRow& row) {
    return row.line == 0 || row.line > lines.size() || lines[row.line - 1].find(" NOP") == std::string_view::npos;
  });
}

}  // namespace tilewright::work

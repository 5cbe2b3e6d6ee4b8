// What clusters that have run beside one another did to global memory: whether their order counts.
#include "compiler/simulate/hazards/races.h"

namespace tilewright::simulate {

bool History::take_in(const History& other) {
  if (!other.published.empty()) return false;
  bool apart = true;
  other.memory.each_cell([&](std::uint64_t block, std::int64_t offset, std::int64_t bytes, const Cell& cell) {
    if (!apart) return;
    const bool fits = memory.each(block, offset, bytes, [&](Cell& had, std::int64_t, std::int64_t) {
      if (had.write.who != 0 || (cell.write.who != 0 && had.read.who != 0)) {
        apart = false;
        return;
      }
      // One reader stands for all: what writes there later is another cluster in any case.
      if (cell.write.who != 0) had.write = cell.write;
      if (cell.read.who != 0) had.read = cell.read;
    });
    apart = apart && fits;
  });
  return apart;
}

}  // namespace tilewright::simulate

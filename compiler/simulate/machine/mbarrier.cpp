#include "compiler/simulate/machine/mbarrier.h"

namespace tilewright::simulate {

std::string Mbarrier::arrive(std::int64_t count) {
  if (count < 1) return "an arrival counts at least 1, not " + std::to_string(count);
  if (count > missing && missing == 0 && bytes != 0)
    return "its phase " + std::to_string(phase) + " has all of its " + std::to_string(arrivals) + " arrivals and " +
           state() + "; this one comes before the next phase has begun";
  if (count > missing)
    return "its phase " + std::to_string(phase) + " expects " + std::to_string(missing) + " more of " +
           std::to_string(arrivals) + " arrivals, and gets " + std::to_string(count);
  missing -= count;
  return {};
}

std::string Mbarrier::expect(std::int64_t more) {
  bytes += more;
  expected += more;
  if (bytes > kMost)
    return std::to_string(bytes) + " bytes are expected at once; a barrier counts up to " + std::to_string(kMost);
  return {};
}

std::string Mbarrier::complete(std::int64_t done) {
  bytes -= done;
  if (bytes < -kMost)
    return std::to_string(-bytes) + " bytes came that expect_tx did not announce; a barrier counts up to " +
           std::to_string(kMost);
  return {};
}

std::string Mbarrier::drop(std::int64_t count) {
  if (count > arrivals)
    return std::to_string(count) + " arrivals are dropped of " + std::to_string(arrivals) + " that it expects";
  std::string wrong = arrive(count);
  if (wrong.empty()) arrivals -= count;
  return wrong;
}

std::string Mbarrier::defer() {
  if (missing >= kMost) return "it cannot wait for more arrivals";
  ++missing;
  return {};
}

bool Mbarrier::settle() {
  if (missing != 0 || bytes != 0) return false;
  ++phase;
  missing = arrivals;
  expected = 0;
  return true;
}

std::string Mbarrier::state() const {
  std::string out;
  if (missing) out = "lacks " + std::to_string(missing) + " of " + std::to_string(arrivals) + " arrivals";
  if (bytes > 0)
    out += (out.empty() ? "lacks " : " and ") + std::to_string(bytes) +
           (bytes < expected ? " of " + std::to_string(expected) : std::string()) + " bytes";
  if (bytes < 0)
    out += (out.empty() ? "has " : " and has ") + std::to_string(-bytes) + " bytes that expect_tx did not announce";
  return out.empty() ? "lacks nothing" : out;
}

}  // namespace tilewright::simulate

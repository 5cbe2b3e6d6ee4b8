// Prints what the rows of the intrinsic table become, for an assembler to judge (assemble_rows.py drives it).
//
//   assemble_rows ARCH            translation units, "// @@@ ROWS KERNELS" before each: every sample call that verify()
//                                 accepts for ARCH, a kernel each; those that need CUDA's headers apart, for they cost
//                                 time
//   assemble_rows --refused ARCH  units apart, "// @@@ ID WHAT" before each: the first sample of every row that ARCH
//   lacks
#include <cstdio>
#include <set>
#include <string>

#include "tests/unit/intrinsics_samples.h"

namespace tilewright::intrinsics {
namespace {

constexpr const char* kPrologue =
    "typedef unsigned long long uint64_t;\n"
    "#ifndef CUDART_INF_F\n#define CUDART_INF_F __int_as_float(0x7f800000)\n#endif\n";

// What no assembler can judge here: dead rows, and those that need headers or fragments of the user's.
bool is_judged(const Intrinsic& row) {
  return row.availability != Availability::Never && !row.id.starts_with("N") && !row.id.starts_with("L12");
}

std::string tags_of(const samples::Sample& s, const Emitted& e) {
  std::string tags(e.preamble == "math_constants" ? "" : e.preamble);
  auto mentions = [&](std::string_view word) {
    return e.helper_source.find(word) != std::string::npos || s.what.find(word) != std::string::npos;
  };
  if (mentions("half") || mentions("=float16")) tags += ",fp16";
  if (mentions("nv_bfloat") || mentions("=bfloat16")) tags += ",bf16";
  return tags;
}

struct Unit {
  std::string tags, body;
  std::set<std::string> defined;
  std::set<std::string_view> rows;
  int kernels = 0;
};

void accepted(ir::Target target) {
  Unit units[2];  // without and with headers
  for (const Intrinsic& row : table()) {
    if (!is_judged(row)) continue;
    for (const samples::Sample& s : samples::of(row)) {
      if (verify(row, s.args, target)) continue;
      Emitted e = row.emit(row, s.args, target);
      const std::string tags = tags_of(s, e);
      Unit& unit = units[!tags.empty()];
      unit.tags += tags + ",";
      unit.body += "// @@ " + std::string(row.id) + " " + s.what + "\n";
      if (!e.helper_name.empty() && unit.defined.insert(e.helper_name).second) unit.body += e.helper_source;
      unit.body += samples::kernel(s, e, "k" + std::to_string(unit.kernels++));
      if (!units[0].rows.contains(row.id)) unit.rows.insert(row.id);
    }
  }
  for (const Unit& unit : units) {
    std::printf("// @@@ %zu %d\n%s%s%s", unit.rows.size(), unit.kernels, samples::headers(unit.tags).c_str(), kPrologue,
                unit.body.c_str());
  }
}

void refused(ir::Target target) {
  const ir::Target newest = *ir::parse_target("sm_100a"), wgmma = *ir::parse_target("sm_90a");
  for (const Intrinsic& row : table()) {
    if (!is_judged(row) || available(row.availability, target)) continue;
    for (const samples::Sample& s : samples::of(row)) {
      ir::Target home = available(row.availability, newest) ? newest : wgmma;
      if (verify(row, s.args, home)) continue;
      Emitted e = row.emit(row, s.args, home);
      bool silent = !verify(row, s.args, target);
      std::printf("// @@@ %s%.*s %s\n%s%s%s%s", silent ? "NOT-REFUSED-BY-VERIFY " : "", static_cast<int>(row.id.size()),
                  row.id.data(), s.what.c_str(), samples::headers(tags_of(s, e)).c_str(), kPrologue,
                  e.helper_source.c_str(), samples::kernel(s, e, "k").c_str());
      break;
    }
  }
}

}  // namespace
}  // namespace tilewright::intrinsics

int main(int argc, char** argv) {
  using namespace tilewright;
  const bool only_refused = argc == 3 && std::string_view(argv[1]) == "--refused";
  const auto target = argc >= 2 ? ir::parse_target(argv[argc - 1]) : std::nullopt;
  if (!target || argc > 3) {
    std::fprintf(stderr, "usage: assemble_rows [--refused] ARCH\n");
    return 2;
  }
  Arena arena;
  ArenaScope scope(arena);
  only_refused ? intrinsics::refused(*target) : intrinsics::accepted(*target);
  return 0;
}

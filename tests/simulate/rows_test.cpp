// Every row of the table of intrinsics reaches the simulator: what it does not execute is listed, with the reason.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/simulate/calls/unmodelled.h"
#include "compiler/simulate/machine/program.h"
#include "tests/unit/catch.h"
#include "tests/unit/intrinsics_samples.h"

using namespace tilewright;
using namespace tilewright::intrinsics;

namespace {

// Does the simulator execute this call, as far as its form tells?
bool executes(const samples::Sample& sample) {
  lower::LoweredKernel kernel;
  kernel.kernel = std::make_shared<ir::Kernel>();
  const ir::DataType result = sample.row->result ? sample.row->result(sample.args) : ir::kVoid;
  kernel.device = ir::make_stmt<ir::Evaluate>(ir::Origin{}, ir::call(result, *sample.row, sample.args));
  const simulate::Program program = simulate::compile(kernel);
  return std::ranges::none_of(program.code,
                              [](const simulate::Instruction& i) { return i.op == simulate::Op::Unmodelled; });
}

bool is_legal_somewhere(const samples::Sample& sample) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"sm_80", "sm_90a", "sm_100a", "sm_103a"},
      [&](std::string_view t) { return !verify(*sample.row, sample.args, *ir::parse_target(t)); });
}

}  // namespace

TEST_CASE("all rows but those of the list are executed, in every form") {
  Arena arena;
  ArenaScope scope(arena);
  std::set<std::string_view> listed;
  for (const simulate::Unmodelled& row : simulate::unmodelled_rows()) {
    INFO(row.id);
    REQUIRE(row_of_id(row.id));
    CHECK(listed.insert(row.id).second);
    CHECK_FALSE(row.why.empty());
  }
  CHECK(listed.size() <= 10);
  std::size_t rows = 0;
  for (const Intrinsic& row : table()) {
    ++rows;
    for (const samples::Sample& s : samples::of(row)) {
      if (row.availability != Availability::Never && !row.id.starts_with("L12") && !is_legal_somewhere(s)) continue;
      INFO(row.id << " " << row.name << " " << s.what);
      // A function of the author's own that gives a scalar goes on with one that is not known.
      const bool gives_unknown = row.id == "C60" && row.result && row.result(s.args) != ir::kVoid;
      CHECK(executes(s) == (gives_unknown || !listed.contains(row.id)));
    }
  }
  CHECK(rows >= 254);
}

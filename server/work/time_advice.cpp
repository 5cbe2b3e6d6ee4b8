#include "server/work/time_advice.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/ir/by_origin.h"
#include "compiler/run/report.h"
#include "compiler/text/amounts.h"
#include "server/project/time_codes.h"
#include "server/work/profile.h"
#include "server/work/tile_call.h"

namespace tilewright::work {
namespace {

// Of what all warps execute: a branch that costs less, or less float64, is no advice.
constexpr double kLeastLost = 0.05, kLeastDoubles = 0.01;
// Of the arm that costs less: shorter ones become predicated instructions or a select.
constexpr double kShortArm = 8;

std::string percent(double share) { return text::formatted("%.0f %%", 100 * share); }

bool has_float64(const session::CompiledKernel& kernel) {
  const auto is_wide = [](ir::DataType type) { return type.is_floating() && type.storage_bits() == 64; };
  return std::ranges::any_of(kernel.lowered->plan.params, [&](const lower::KernelParam& p) {
    return is_wide(p.dtype) || (p.tensor && is_wide(p.tensor->dtype));
  });
}

// An `elif` lies in the second arm of the branch before it: the outermost branch is told. Copies of a branch, as of an
// unrolled loop, are one.
void look_for_split_warps(const run::TimeModel& model, const session::CompiledKernel& kernel,
                          const text::Anchors& anchors, std::vector<text::Diagnostic>& out) {
  std::vector<simulate::PacedBranch> told;
  ir::ByOrigin<std::size_t> number;
  std::int64_t last = -1;  // place that the branches so far reach
  for (const auto& [place, branch] : model.pace.branches) {
    if (std::int64_t{place} <= last || branch.splits == 0 || tile_call_at(kernel, branch.origin)) continue;
    if (branch.lost < kShortArm * static_cast<double>(branch.splits)) continue;
    last = branch.last;
    const auto [at, fresh] = number.try_emplace(branch.origin, told.size());
    if (fresh) {
      told.push_back(branch);
      continue;
    }
    simulate::PacedBranch& sum = told[at->second];
    sum.passes += branch.passes;
    sum.splits += branch.splits;
    sum.lost += branch.lost;
  }
  for (const simulate::PacedBranch& branch : told) {
    if (branch.lost < kLeastLost * model.pace.work) continue;
    out.push_back(hint_at(
        branch.origin, project::kSplitWarpsCode,
        "lanes of one warp take both arms of this branch, and a warp executes the arms one after the other: so in " +
            grouped(branch.splits) + " of the " + grouped(branch.passes) +
            " times that warps come here, where the arm that costs less alone has " +
            text::formatted("%.0f", branch.lost / static_cast<double>(branch.splits)) + " instructions, " +
            percent(branch.lost / model.pace.work) + " of what all warps execute, counted as written",
        "let whole warps take one arm: let the condition depend on the warp (`tid // 32`) and not on the lane, or "
        "compute once what both arms share",
        anchors));
  }
}

// The first place is where it comes from, most often: what follows takes over its type.
void look_for_doubles(const run::TimeModel& model, const session::CompiledKernel& kernel, const text::Anchors& anchors,
                      std::vector<text::Diagnostic>& out) {
  if (has_float64(kernel)) return;
  const simulate::PacedPlace* first = nullptr;
  std::uint64_t doubles = 0, all = 0;
  for (const auto& [number, place] : model.pace.places) {
    for (const std::uint64_t n : place.instructions) all += n;
    doubles += place.doubles;
    if (place.doubles && !first && !tile_call_at(kernel, place.origin)) first = &place;
  }
  if (!first || static_cast<double>(doubles) < kLeastDoubles * static_cast<double>(all)) return;
  out.push_back(hint_at(
      first->origin, project::kDoublesCode,
      "this computes in float64, and no tensor or scalar of the kernel is float64: " + grouped(doubles) + " of " +
          grouped(all) + " instructions of lanes are float64's, counted as written, from here on",
      "write constants as T.float32(...), and give intermediates the dtype float32, unless the "
      "digits are needed: sm_90 computes float64 at half the rate of float32, sm_86, sm_89 and sm_120 at a 64th",
      anchors));
}

}  // namespace

text::Diagnostic hint_at(const ir::Origin& origin, std::string_view code, std::string message, std::string hint,
                         const text::Anchors& anchors) {
  simulate::Finding found;
  found.code = code;
  found.message = std::move(message);
  found.hint = std::move(hint);
  found.origin = origin;
  text::Diagnostic out = run::diagnostic_of(found, anchors);
  out.message = found.message;  // it is of all CTAs
  out.severity = text::Severity::Hint;
  return out;
}

std::vector<text::Diagnostic> instruction_advice(const run::TimeModel& model, const session::CompiledKernel& kernel,
                                                 const text::Anchors& anchors) {
  std::vector<text::Diagnostic> out;
  look_for_split_warps(model, kernel, anchors, out);
  look_for_doubles(model, kernel, anchors, out);
  return out;
}

}  // namespace tilewright::work

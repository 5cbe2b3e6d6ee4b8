#include "server/work/sampled.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "compiler/dispatch/dispatched.h"
#include "compiler/ir/origin.h"
#include "server/work/listing.h"
#include "server/work/tile_call.h"

namespace tilewright::work {
namespace {

class Attribution {
 public:
  explicit Attribution(const RunAnswer& answer)
      : answer_(answer), samples_(*answer.report.outcome.samples), evaluation_(*answer.compiled.evaluation) {}

  SampledAnswer run() {
    if (answer_.sass.size() != answer_.report.bound.launches.size()) {
      out_.missing = answer_.sass_missing.empty() ? "there is no disassembly of the kernel" : answer_.sass_missing;
    } else {
      for (std::size_t i = 0; i < answer_.sass.size(); ++i) {
        const run::BoundLaunch& launch = answer_.report.bound.launches[i];
        const auto kernel = std::ranges::find_if(
            answer_.compiled.kernels, [&](const auto& k) { return k.lowered.get() == launch.kernel && k.cuda; });
        kernels_.push_back(kernel == answer_.compiled.kernels.end() ? nullptr : &*kernel);
        listings_.emplace_back(answer_.sass[i], answer_.report.bound.job.launches[i].symbol);
      }
    }
    for (const run::Sampled& one : samples_.places) add(one);
    for (auto& [key, building] : lines_) finish(std::move(building));
    std::ranges::stable_sort(out_.lines, std::greater{}, &SampledLine::count);
    out_.waits = waits_of(waits_);
    return std::move(out_);
  }

 private:
  using Way = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  using Reasons = std::map<std::uint32_t, std::uint64_t>;
  struct Building {
    SampledLine line;
    Reasons waits;
    std::map<std::pair<std::size_t, std::uint32_t>, SampledInstruction> instructions;
  };

  void add(const run::Sampled& one) {
    out_.samples += one.count;
    waits_[one.reason] += one.count;
    if (one.launch >= listings_.size() || !kernels_[one.launch]) return;
    const Listing::Row* row = listings_[one.launch].find(one.offset);
    const cuda::LineOrigin* origin = row ? listings_[one.launch].origin_of(*row, *kernels_[one.launch]->cuda) : nullptr;
    Building* at = origin ? line_at(*kernels_[one.launch], origin->origin) : nullptr;
    if (!at) return;
    out_.attributed += one.count;
    at->line.count += one.count;
    at->waits[one.reason] += one.count;
    SampledInstruction& instruction = at->instructions[{one.launch, one.offset}];
    instruction.launch = one.launch;
    instruction.offset = one.offset;
    if (instruction.text.empty()) instruction.text = row->text;
    instruction.count += one.count;
  }

  // The line of the script, and the calls from there; null: it leads to no text.
  Building* line_at(const session::CompiledKernel& kernel, const ir::Origin& origin) {
    const text::Source* script = evaluation_.tree->source().get();
    text::Anchors::Place at = evaluation_.anchors.resolve(origin.span);
    std::vector<text::Span> chain;
    text::Span inner = origin.span;
    const ir::CallSite* site = origin.chain;
    for (; site && at.source != script; site = site->outer) {
      chain.insert(chain.begin(), inner);
      inner = site->span;
      at = evaluation_.anchors.resolve(site->span);
    }
    if (!at.source) return nullptr;
    std::vector<text::Span> callers = ir::call_chain(site);
    const dispatch::CallReport* call = tile_call_at(kernel, origin);
    const std::uint32_t number = at.source->position(at.begin).line;
    Way way;
    for (const auto* calls : {&callers, &chain})
      for (text::Span s : *calls) way.emplace_back(s.anchor, s.begin);
    Building& building = lines_[{number, call ? call->call : nullptr, std::move(way)}];
    if (building.line.path.empty()) {
      building.line.path = at.source->path();
      building.line.line = number;
      building.line.text = at.source->line(number);
      building.line.callers = std::move(callers);
      building.line.chain = std::move(chain);
      if (call) {
        building.line.primitive = call->call->primitive;
        building.line.variant = call->variant;
      }
    }
    return &building;
  }

  std::vector<Waited> waits_of(const Reasons& reasons) const {
    std::vector<Waited> out;
    for (const auto& [reason, count] : reasons) out.push_back({samples_.reasons[reason], count});
    std::ranges::stable_sort(out, std::greater{}, &Waited::count);
    return out;
  }

  void finish(Building building) {
    building.line.waits = waits_of(building.waits);
    for (auto& [place, instruction] : building.instructions)
      building.line.instructions.push_back(std::move(instruction));
    std::ranges::stable_sort(building.line.instructions, std::greater{}, &SampledInstruction::count);
    out_.lines.push_back(std::move(building.line));
  }

  const RunAnswer& answer_;
  const run::Samples& samples_;
  const script::Evaluation& evaluation_;
  std::vector<const session::CompiledKernel*> kernels_;
  std::vector<Listing> listings_;
  std::map<std::tuple<std::uint32_t, const ir::TileCall*, Way>, Building> lines_;
  Reasons waits_;
  SampledAnswer out_;
};

}  // namespace

SampledAnswer sampled_of(const RunAnswer& answer) { return Attribution(answer).run(); }

}  // namespace tilewright::work

// textDocument/codeLens: above each kernel, its entries, what it takes of a multiprocessor, and ways to run it.
#include <algorithm>
#include <map>

#include "server/lsp/call_words.h"
#include "server/lsp/features.h"
#include "server/lsp/occupancy.h"
#include "server/lsp/view.h"
#include "server/project/run_targets.h"

namespace tilewright::lsp {
namespace {

struct Target {
  const session::Compiled* compiled;
  const session::CompiledKernel* kernel;
};

std::int64_t shared_bytes(const lower::LaunchPlan& plan) {
  return plan.static_shared_bytes + plan.dynamic_shared_bytes;
}

// "70 registers · 8,192 B shared · 7 CTAs a multiprocessor (registers), 44 % of its warps": as far as it is known.
std::string resources(const Request& r, const Target& t) {
  if (!t.kernel->lowered) return {};
  const lower::LaunchPlan& plan = t.kernel->lowered->plan;
  std::string out;
  auto add = [&](const std::string& text) { out += (out.empty() ? "" : " · ") + text; };
  std::int64_t registers = 0;
  auto made = t.kernel->cuda ? r.artifacts->find(*t.kernel->cuda, t.compiled->target.name()) : nullptr;
  if (made) {
    for (const toolchain::KernelResources& k : made->kernels) {
      if (k.name != t.kernel->lowered->symbol) continue;
      registers = k.registers;
      add(std::to_string(k.registers) + " registers");
      if (k.spill_stores + k.spill_loads) {
        add(grouped(k.spill_stores) + " B spilled, " + grouped(k.spill_loads) + " B read back");
      }
    }
  }
  if (std::int64_t bytes = shared_bytes(plan)) add(grouped(bytes) + " B shared");
  auto threads = plan.launch.threads();
  if (registers && threads) {
    if (auto o = occupancy(t.compiled->target, *threads, registers, shared_bytes(plan))) {
      add(std::to_string(o->ctas) + (o->ctas == 1 ? " CTA" : " CTAs") + " a multiprocessor (bound by " + o->bound +
          "), " + std::to_string(o->warps * 100 / o->warp_limit) + " % of its warps");
    }
  }
  return out;
}

Answer<Json> code_lenses(const Request& r, const protocol::DocumentParams& params) {
  if (!r.preferences.code_lenses) return Json::array();
  auto analysis = r.analysis();
  if (!analysis) return cancelled();
  const text::Source& source = r.snapshot->source();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Target>> kernels;  // by the place of their name
  for (const session::Compiled& c : analysis->compiled) {
    for (const session::CompiledKernel& k : c.kernels) {
      text::Anchors::Place at = c.evaluation->anchors.resolve(k.value->kernel.span);
      if (at.source == &source) kernels[{at.begin, at.end}].push_back({&c, &k});
    }
  }
  Json out = Json::array();
  for (const auto& [place, targets] : kernels) {
    const Target& first = targets.front();
    const Json range = r.range(place.first, place.second);
    auto lens = [&](std::string title, std::string command, Json argument) {
      out.push_back({{"range", range},
                     {"command",
                      {{"title", std::move(title)},
                       {"command", std::move(command)},
                       {"arguments", Json::array({std::move(argument)})}}}});
    };
    Json document{{"uri", params.uri}};
    const std::string& entry = first.kernel->entry->expression;
    std::string title = "entry " + entry + " for " + first.compiled->target.name();
    if (targets.size() > 1) title += " (and " + std::to_string(targets.size() - 1) + " more)";
    lens(std::move(title), "tilewright.entries", {{"textDocument", document}});
    if (std::string text = resources(r, first); !text.empty()) {
      lens(std::move(text), "tilewright.view",
           {{"uri", view_of("plan", *first.compiled, *first.kernel, r.snapshot->path()).uri()}});
    }
    for (std::string_view target : project::kRunTargets) {
      if (first.kernel->failed) break;
      lens("run on " + std::string(target), "tilewright.run",
           {{"textDocument", document}, {"entry", entry}, {"on", target}});
    }
  }
  return out;
}

}  // namespace

void add_code_lens(Registry& registry) {
  registry.offer("codeLensProvider", Json::object());
  registry.on_document<protocol::DocumentParams>("textDocument/codeLens", code_lenses);
}

}  // namespace tilewright::lsp

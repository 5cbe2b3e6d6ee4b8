#include "server/ide/resources.h"

#include "server/ide/call_words.h"
#include "server/work/occupancy.h"

namespace tilewright::ide {

std::string resource_words(const lower::LaunchPlan& plan, ir::Target target, const toolchain::KernelResources* made) {
  std::string out;
  auto add = [&](const std::string& text) { out += (out.empty() ? "" : " · ") + text; };
  if (made) {
    add(std::to_string(made->registers) + " registers");
    if (made->spill_stores + made->spill_loads) {
      add(grouped(made->spill_stores) + " B spilled, " + grouped(made->spill_loads) + " B read back");
    } else {
      add("no spills");
    }
  }
  const std::int64_t shared = plan.static_shared_bytes + plan.dynamic_shared_bytes;
  if (shared) add(grouped(shared) + " B shared");
  if (!made) return out;
  if (auto o = work::occupancy(plan, target, made->registers)) {
    add(std::to_string(o->ctas) + (o->ctas == 1 ? " CTA" : " CTAs") + " a multiprocessor (bound by " + o->bound +
        "), " + std::to_string(o->warps * 100 / o->warp_limit) + " % of its warps");
  }
  return out;
}

}  // namespace tilewright::ide

#include "server/views/layout.h"

#include <algorithm>

#include "compiler/text/words.h"
#include "server/ide/call_words.h"

namespace tilewright::views {
namespace {

std::string line_of(const text::Anchors::Place& at, const session::Snapshot* script) {
  if (!at.source) return {};
  const std::string line = std::to_string(at.source->position(at.begin).line + 1);
  if (script && at.source == &script->source()) return "line " + line;
  const std::string& path = at.source->path();
  return path.substr(path.rfind('/') + 1) + ":" + line;
}

std::string joined(const std::vector<ide::Extent>& extents) {
  std::string out;
  for (const ide::Extent& e : extents) out += (out.empty() ? "" : ", ") + e.text;
  return "(" + out + (extents.size() == 1 ? ",)" : ")");
}

std::string use_words(bool reads, bool writes) { return reads && writes ? "updates" : writes ? "writes" : "reads"; }

// "    fills   copy_async → tma, one elected thread, 16,384 bytes, done: pipe.full    line 36".
std::string use_line(std::string_view role, const ide::PipelineUse& use, const ide::Pipeline& p) {
  constexpr std::size_t kRole = 12;
  std::string out = "  " + std::string(role) + std::string(kRole - std::min(role.size(), kRole - 1), ' ') + use.what;
  if (!use.who.empty()) out += ", " + use.who;
  if (use.bytes) out += ", " + ide::grouped(*use.bytes) + " bytes";
  if (!use.barrier.empty()) out += ", done when " + use.barrier + " says so";
  if (use.times > 1) out += ", " + std::to_string(use.times) + " times";
  if (std::string line = line_of(use.place, p.script.get()); !line.empty()) out += "  [" + line + "]";
  std::string under;
  for (const std::string& u : use.under) under += (under.empty() ? "" : " > ") + u;
  if (!under.empty()) out += "\n              " + under;
  return out + "\n";
}

std::string accesses_text(const ide::LayoutAt& l) {
  std::string out;
  out += "\naccesses in " + l.entry + " for " + l.architecture + "\n";
  if (l.accesses.empty()) out += "  none\n";
  for (const ide::LayoutAt::Access& a : l.accesses) {
    std::string line = line_of(a.place, l.script.get());
    out += "  " + use_words(a.reads, a.writes) + "  " + a.what + (line.empty() ? "" : "  [" + line + "]") + "\n      " +
           access_words(a) + "\n";
  }
  if (l.accesses_left_out) out += "  " + std::to_string(l.accesses_left_out) + " more\n";
  return out;
}

render::Json extent_json(const ide::Extent& e) { return e.number ? render::Json(*e.number) : render::Json(e.text); }

render::Json buffer_json(const ide::LayoutAt& l) {
  render::Json shape = render::Json::array(), accesses = render::Json::array();
  for (const ide::Extent& e : l.shape) shape.push_back(extent_json(e));
  int worst = 0;
  for (const ide::LayoutAt::Access& a : l.accesses) {
    render::Json one{{"what", a.what},
                     {"reads", a.reads},
                     {"writes", a.writes},
                     {"words", access_words(a)},
                     {"range", render::place_json(a.place)}};
    if (a.worst) one["degree"] = a.worst->report.degree;
    if (a.worst) worst = std::max(worst, a.worst->report.degree);
    accesses.push_back(std::move(one));
  }
  render::Json out{{"buffer", l.name},
                   {"dtype", l.dtype},
                   {"scope", l.scope},
                   {"shape", std::move(shape)},
                   {"layout", l.short_form},
                   {"printed", l.printed},
                   {"entry", l.entry},
                   {"architecture", l.architecture},
                   {"accesses", std::move(accesses)}};
  if (l.bytes) out["bytes"] = *l.bytes;
  if (worst > 0) out["degree"] = worst;
  if (l.accesses_left_out > 0) out["accesses_left_out"] = l.accesses_left_out;
  return out;
}

}  // namespace

std::string access_words(const ide::LayoutAt::Access& access) {
  if (!access.worst) return access.unknown;
  const layout::BankReport& r = access.worst->report;
  std::string out = std::to_string(access.worst->bits) + " bits a lane, ";
  if (r.degree <= 1) return out + "no bank conflict";
  auto worst = std::ranges::max_element(r.phases, {}, &layout::BankReport::Phase::degree);
  const auto banks = std::ranges::count(worst->words, worst->degree);
  return out + std::to_string(r.degree) + "-way bank conflict: " + std::to_string(r.wavefronts) + " wavefronts, " +
         std::to_string(r.ideal) + " without; lanes " + std::to_string(worst->first_lane) + ".." +
         std::to_string(worst->first_lane + worst->lanes - 1) + " want " + std::to_string(worst->degree) +
         " words of " + std::to_string(banks) + (banks == 1 ? " bank" : " banks each") + " (first: bank " +
         std::to_string(worst->bank) + ")";
}

std::string layout_text(const ide::LayoutAt& l) {
  using Kind = ide::LayoutAt::Kind;
  std::string out = l.name.empty() ? "layout" : l.name;
  if (l.kind == Kind::Layout) {
    out += l.name.empty() ? "" : "  layout";
    out += ", shape " + joined(l.shape) + "\n";
  } else {
    out += "  " + l.dtype + " " + joined(l.shape) + " " + l.scope;
    if (l.bytes) out += ", " + ide::grouped(*l.bytes) + " bytes";
    out += "\n";
  }
  if (!l.region.empty()) {
    out += "region [";
    for (std::size_t d = 0; d < l.region.size(); ++d) {
      const auto& [begin, extent] = l.region[d];
      out += (d ? ", " : "") + begin.text + " : " +
             (begin.number && extent.number ? std::to_string(*begin.number + *extent.number)
                                            : begin.text + " + " + extent.text);
    }
    out += "]\n";
  }
  out += l.words;
  if (!l.entry.empty()) out += accesses_text(l);
  if (l.grid) {
    if (l.grid->threads) out += "\nT3:r1 is register 1 of thread 3";
    if (!l.grid->threads && !l.grid->cells.empty() && l.grid->cells.front().address >= 0)
      out += "\nnumbers are elements in memory";
    if (l.holders.size() > 1) out += "; held also by " + std::to_string(l.holders.size() - 1) + " other threads";
    out += "\n" + l.table;
  } else if (!l.problem.empty()) {
    out += "\nno picture: " + l.problem + "\n";
  }
  return out;
}

render::Json layouts_json(std::string_view place, std::span<const ide::LayoutAt> layouts,
                          const session::Compiled& compiled) {
  render::Json list = render::Json::array(), diagnostics = render::Json::array();
  for (const ide::LayoutAt& l : layouts) list.push_back(buffer_json(l));
  for (const text::Diagnostic& d : compiled.diagnostics)
    diagnostics.push_back(render::diagnostic_json(d, compiled.evaluation->anchors));
  return {{"expression", place}, {"layouts", std::move(list)}, {"diagnostics", std::move(diagnostics)}};
}

std::string pipeline_text(const ide::Pipeline& p) {
  std::string out = "pipeline of " + p.entry + " for " + p.architecture + "\n";
  for (const ide::PipelineBuffer& b : p.buffers) {
    out += "\nbuffer " + b.name + "  " + b.dtype + " " + b.shape + " " + b.scope;
    if (b.bytes) out += ", " + ide::grouped(*b.bytes) + " bytes";
    out += "\n";
    for (const ide::PipelineUse& u : b.fills) out += use_line("filled by", u, p);
    for (const ide::PipelineUse& u : b.drains) out += use_line("drained by", u, p);
  }
  for (const ide::PipelineBarrier& b : p.barriers) {
    out += "\nbarrier " + b.name;
    if (b.count) out += "  " + std::to_string(*b.count) + (*b.count == 1 ? " mbarrier" : " mbarriers");
    if (!b.arrivals.empty()) out += ", " + b.arrivals + " arrivals a phase";
    out += "\n";
    for (const ide::PipelineUse& u : b.uses) {
      static constexpr auto kRoles =
          text::words_of<ide::BufferUse::Kind>({"", "init", "arrives", "expects", "completes", "waits", "", ""});
      out += use_line(kRoles[u.kind], u, p);
    }
  }
  if (!p.syncs.empty()) out += "\nthreads meet\n";
  for (const ide::PipelineUse& u : p.syncs) out += use_line("", u, p);
  if (p.left_out) out += "\n" + std::to_string(p.left_out) + " more uses are left out\n";
  if (p.buffers.empty() && p.barriers.empty()) out += "\nno buffer and no barrier\n";
  return out;
}

}  // namespace tilewright::views

#include "server/ide/view.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "server/ide/look.h"

namespace tilewright::ide {
namespace {

// What a kernel has to have before there is something to show.
enum class Stage : std::uint8_t { Evaluated, Dispatched, Lowered, Cuda };

struct KindRow {
  ViewKind kind;
  std::string_view name, extension, language;
  Stage stage;
};
constexpr KindRow kRows[] = {
    {ViewKind::Report, "report", "txt", "plaintext", Stage::Dispatched},
    {ViewKind::Tirx, "tirx", "py", "python", Stage::Evaluated},
    {ViewKind::Lowered, "lowered", "py", "python", Stage::Lowered},
    {ViewKind::Cuda, "cuda", "cu", "cuda-cpp", Stage::Cuda},
    {ViewKind::Ptx, "ptx", "ptx", "ptx", Stage::Cuda},
    {ViewKind::Sass, "sass", "sass", "sass", Stage::Cuda},
    {ViewKind::Plan, "plan", "json", "json", Stage::Lowered},
};
constexpr auto kKinds = [] {
  std::array<ViewKind, std::size(kRows)> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = kRows[i].kind;
  return out;
}();
// Each kind has its row at its number.
static_assert([] {
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    if (kKinds[i] != static_cast<ViewKind>(i)) return false;
  return true;
}());

const KindRow& row_of(ViewKind kind) { return kRows[static_cast<std::size_t>(kind)]; }

struct Target {
  const session::Compiled* compiled = nullptr;
  const session::CompiledKernel* kernel = nullptr;
};
Target find_target(const ViewName& name, const session::Analysis& analysis) {
  for (const session::Compiled& c : analysis.compiled) {
    auto* k = find_kernel(c, name.entry, name.kernel);
    if (k && k->target.name() == name.architecture) return {&c, k};
  }
  return {};
}

Script script_of(const Query& q, const std::string& document) {
  for (const Script& s : q.open) {
    if (s->path() == document) return s;
  }
  return is_file(document) && q.read_file ? q.read_file(document) : nullptr;
}

const session::Compiled& compiled_of(const OpenedView& opened) {
  const session::Compiled* found = find_target(opened.view.name, *opened.analysis).compiled;
  return found ? *found : opened.analysis->first();
}

}  // namespace

std::span<const ViewKind> view_kinds() { return kKinds; }

std::string_view view_kind_name(ViewKind kind) { return row_of(kind).name; }
std::string_view view_extension(ViewKind kind) { return row_of(kind).extension; }
std::string_view view_language(ViewKind kind) { return row_of(kind).language; }

std::optional<ViewKind> parse_view_kind(std::string_view name) {
  const auto* found = std::ranges::find(kRows, name, &KindRow::name);
  return found == std::end(kRows) ? std::nullopt : std::optional(found->kind);
}

bool made_by_tools(ViewKind kind) { return kind == ViewKind::Ptx || kind == ViewKind::Sass; }

bool has_stage(ViewKind kind, const session::CompiledKernel& kernel) {
  switch (row_of(kind).stage) {
    case Stage::Evaluated: return true;
    case Stage::Dispatched: return kernel.dispatched != nullptr;
    case Stage::Lowered: return kernel.lowered != nullptr;
    case Stage::Cuda: return kernel.cuda != nullptr;
  }
  return false;
}

ViewName view_of(ViewKind kind, const session::CompiledKernel& kernel, const std::string& document) {
  return {kind, kernel.target.name(), std::string(kernel.value->kernel.name), kernel.entry->expression, document};
}

std::shared_ptr<const session::Analysis> analysis_with(const session::Snapshot& script, std::string_view entry,
                                                       const std::stop_token& stop) {
  auto analysis = script.analyse(stop);
  if (!analysis || std::ranges::find(analysis->others(), entry, &script::Entry::expression) == analysis->others().end())
    return analysis;
  return script.analyse_all(stop);
}

View view(ViewName name, const session::Analysis& analysis, const Artifacts* artifacts) {
  View out;
  out.name = std::move(name);
  auto without = [&](View::State state, std::string problem) {
    out.state = state;
    out.problem = std::move(problem);
    return std::move(out);
  };
  auto [compiled, kernel] = find_target(out.name, analysis);
  if (!kernel) {
    return without(View::State::Failed,
                   "The script has no entry `" + out.name.entry + "` for " + out.name.architecture + " at the moment.");
  }
  if (!has_stage(out.name.kind, *kernel)) {
    return without(View::State::Failed, "The kernel has errors; this view comes back when they are fixed.");
  }
  out.compiled = compiled;
  out.kernel = kernel;
  if (!made_by_tools(out.name.kind)) return out;
  bool sass = out.name.kind == ViewKind::Sass;
  auto made = artifacts ? artifacts->find(*kernel->cuda, out.name.architecture) : nullptr;
  if (!made || (sass && !made->sass_tried)) {
    return without(View::State::Pending, sass ? "NVRTC and nvdisasm are at work." : "NVRTC is at work.");
  }
  if (!made->error.empty()) return without(View::State::Failed, made->error);
  if (sass && made->sass.empty()) return without(View::State::Failed, "No SASS: " + made->sass_missing);
  out.made = std::move(made);
  return out;
}

std::optional<Wish> wish_for(const ViewName& name, const session::Analysis& analysis) {
  if (!made_by_tools(name.kind)) return std::nullopt;
  auto [compiled, kernel] = find_target(name, analysis);
  if (!kernel || !kernel->cuda) return std::nullopt;
  return Wish{name.document, kernel->cuda, name.architecture, name.kind == ViewKind::Sass};
}

Answer<OpenedView> open_view(const Query& q, ViewName name) {
  OpenedView out;
  out.script = script_of(q, name.document);
  if (!out.script) return refused("the script of this view cannot be read: " + name.document);
  out.analysis = analysis_with(*out.script, name.entry, q.stop);
  if (!out.analysis) return cancelled();
  out.view = view(std::move(name), *out.analysis, q.artifacts);
  if (out.view.state == View::State::Pending && q.artifacts) {
    if (auto wish = wish_for(out.view.name, *out.analysis)) {
      q.artifacts->want({*wish}, Artifacts::For::Person, std::chrono::milliseconds{0});
    }
  }
  return out;
}

Answer<ViewName> find_view(const Query& q, ViewKind kind, const std::string& document, std::string_view entry,
                           std::string_view architecture) {
  Script script = script_of(q, document);
  if (!script) return refused("the script cannot be read: " + document);
  auto analysis = analysis_with(*script, entry, q.stop);
  if (!analysis) return cancelled();
  for (const session::Compiled& c : analysis->compiled) {
    for (const session::CompiledKernel& k : c.kernels) {
      if (!architecture.empty() && k.target.name() != architecture) continue;
      if (entry.empty() || k.entry->expression == entry) return view_of(kind, k, document);
    }
  }
  return refused(entry.empty() ? "the script has no entry for this architecture"
                               : "the script has no entry '" + std::string(entry) + "' for this architecture");
}

Answer<Entries> entries(const Query& q, const std::string& document) {
  Entries out;
  out.script = script_of(q, document);
  if (!out.script) return refused("the script cannot be read");
  out.analysis = out.script->analyse_all(q.stop);
  if (!out.analysis) return cancelled();
  for (const session::Compiled& c : out.analysis->compiled) {
    for (const session::CompiledKernel& k : c.kernels) {
      EntryViews& one = out.entries.emplace_back(EntryViews{&c, &k, {}});
      text::Anchors::Place at = c.evaluation->anchors.resolve(k.value->kernel.span);
      if (at.source == &out.script->source()) one.name_at = Stretch{at.begin, at.end};
    }
  }
  return out;
}

std::vector<text::Anchors::Place> sources_of(const OpenedView& opened, std::span<const LineOrigins> lines,
                                             std::uint32_t line) {
  std::vector<text::Anchors::Place> out;
  auto after = std::ranges::upper_bound(lines, line, {}, &LineOrigins::line);
  if (after == lines.begin()) return out;
  const LineOrigins& found = *std::prev(after);
  // Lines of the tools' texts stand for themselves, not for those that follow.
  if (made_by_tools(opened.view.name.kind) && found.line != line) return out;
  const text::Anchors& anchors = compiled_of(opened).evaluation->anchors;
  std::set<std::tuple<std::string_view, std::uint32_t, std::uint32_t>> seen;
  auto add = [&](text::Span span) {
    text::Anchors::Place at = place_of(span, anchors, *opened.script);
    if (at.source && seen.insert({at.source->path(), at.begin, at.end}).second) out.push_back(at);
  };
  for (const ir::Origin& origin : found.origins) {
    add(origin.span);
    for (const ir::CallSite* site = origin.chain; site; site = site->outer) add(site->span);
  }
  return out;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> lines_from(const OpenedView& opened,
                                                                std::span<const LineOrigins> lines,
                                                                std::uint32_t line_count, Stretch bytes) {
  const text::Source& source = opened.script->source();
  const text::Anchors& anchors = compiled_of(opened).evaluation->anchors;
  auto inside = [&](text::Span span) {
    text::Anchors::Place at = anchors.resolve(span);
    return at.source == &source && at.begin < bytes.end && at.end > bytes.begin;
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    bool here = std::ranges::any_of(lines[i].origins, [&](const ir::Origin& o) {
      if (inside(o.span)) return true;
      for (const ir::CallSite* site = o.chain; site; site = site->outer) {
        if (inside(site->span)) return true;
      }
      return false;
    });
    if (!here) continue;
    std::uint32_t from = lines[i].line, to = line_count;
    if (made_by_tools(opened.view.name.kind)) {
      to = from + 1;
    } else if (i + 1 < lines.size()) {
      to = lines[i + 1].line;
    }
    to = std::max(to, from + 1);
    if (!out.empty() && out.back().second >= from) {
      out.back().second = std::max(out.back().second, to);
    } else {
      out.emplace_back(from, to);
    }
  }
  return out;
}

std::vector<LinkedLines> linked_lines(const OpenedView& opened, std::span<const LineOrigins> lines,
                                      std::uint32_t line_count) {
  const text::Source& source = opened.script->source();
  const text::Anchors& anchors = compiled_of(opened).evaluation->anchors;
  // The same statement makes many lines: each place is looked up once.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, const ir::CallSite*>,
           std::optional<std::pair<std::uint32_t, std::uint32_t>>>
      known;
  auto place = [&](const ir::Origin& origin) {
    auto [at, fresh] = known.try_emplace({origin.span.anchor, origin.span.begin, origin.span.end, origin.chain});
    if (!fresh) return at->second;
    text::Anchors::Place found = anchors.resolve(origin.span);
    for (const ir::CallSite* site = origin.chain; site && found.source != &source; site = site->outer)
      found = anchors.resolve(site->span);
    if (found.source == &source) {
      const std::uint32_t first = source.position(found.begin).line;
      at->second = {first, source.position(std::max(found.begin, found.end - (found.end ? 1 : 0))).line + 1};
    }
    return at->second;
  };
  std::vector<LinkedLines> out;
  std::size_t before = 0, here = 0;  // where the links of the last row, and of this one, begin
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint32_t from = lines[i].line;
    const bool alone = made_by_tools(opened.view.name.kind);
    const std::uint32_t next = i + 1 < lines.size() ? lines[i + 1].line : line_count;
    const std::uint32_t to = std::max(alone ? from + 1 : next, from + 1);
    before = std::exchange(here, out.size());
    for (const ir::Origin& origin : lines[i].origins) {
      const auto at = place(origin);
      if (!at) continue;
      const LinkedLines link{from, to, at->first, at->second};
      if (std::find(out.begin() + static_cast<std::ptrdiff_t>(here), out.end(), link) == out.end()) out.push_back(link);
    }
    // A line that goes on where the one before ended, and came from the same single place, belongs to it.
    if (here - before != 1 || out.size() - here != 1) continue;
    LinkedLines& last = out[before];
    if (last.to != from || last.source_from != out.back().source_from || last.source_to != out.back().source_to)
      continue;
    last.to = to;
    out.pop_back();
    here = before;
  }
  return out;
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> kernel_lines(const OpenedView& opened) {
  if (!opened.view.kernel) return std::nullopt;
  const text::Source& source = opened.script->source();
  const text::Anchors::Place at =
      compiled_of(opened).evaluation->anchors.resolve(opened.view.kernel->value->kernel.span);
  if (at.source != &source) return std::nullopt;
  const Found found = look(*opened.script->tree(), at.begin);
  for (std::size_t up = 0; const syntax::Node* node = found.above(up); ++up) {
    if (node->kind != syntax::NodeKind::FunctionDef) continue;
    return std::pair{source.position(found.begin(node)).line,
                     source.position(std::max(found.begin(node), found.end(node) - 1)).line + 1};
  }
  return std::nullopt;
}

}  // namespace tilewright::ide

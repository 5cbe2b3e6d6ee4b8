#include "server/views/page.h"

#include <algorithm>
#include <map>
#include <set>

#include "server/ide/call_words.h"
#include "server/views/document.h"
#include "server/views/frame.h"
#include "server/views/layout.h"
#include "server/views/pipeline.h"
#include "server/work/time_words.h"

namespace tilewright::views {

namespace {

// Texts and pictures that several kernels have stand in the page once: an entry's architectures differ in few views.
class Shared {
 public:
  std::size_t add(render::Json value) {
    std::string key = render::dump(value, -1);
    auto [at, fresh] = known_.try_emplace(std::move(key), values_.size());
    if (fresh) values_.push_back(std::move(value));
    return at->second;
  }
  render::Json take() { return std::move(values_); }

 private:
  std::map<std::string, std::size_t> known_;
  render::Json values_ = render::Json::array();
};

// {text, links: [from, to, source_from, source_to, ...]}: lines from 0, half-open.
render::Json view_json(const ide::OpenedView& opened, Shared& texts) {
  if (opened.view.state != ide::View::State::Ready) return {{"problem", opened.view.problem}};
  const Document made = document(opened.view);
  render::Json links = render::Json::array();
  // The plan as a whole is the kernel's: there is nothing to point at.
  if (opened.view.name.kind != ide::ViewKind::Plan) {
    const auto lines = static_cast<std::uint32_t>(std::ranges::count(made.text, '\n'));
    for (const ide::LinkedLines& l : ide::linked_lines(opened, made.lines, lines)) {
      for (std::uint32_t n : {l.from, l.to, l.source_from, l.source_to}) links.push_back(n);
    }
  }
  return {{"text", texts.add(made.text)}, {"links", texts.add(std::move(links))}};
}

// The line of the script, from 0; null: nowhere in it.
render::Json line_in(const text::Anchors::Place& at, const text::Source& source) {
  if (at.source != &source) return nullptr;
  return source.position(at.begin).line;
}

// By whom a cell is coloured: the thread that holds it, the bank of its address. -1: neither.
std::int64_t group_of(const layout::Cell& cell, const layout::Grid& grid, int bits) {
  if (grid.threads) return cell.thread;
  if (cell.tmem_lane >= 0) return cell.tmem_lane;
  return cell.address < 0 ? -1 : layout::bank_of(cell.address, bits);
}

render::Json grid_json(const ide::LayoutAt& l) {
  if (!l.grid) return nullptr;
  render::Json labels = render::Json::array(), groups = render::Json::array();
  bool lanes = false;
  for (const layout::Cell& cell : l.grid->cells) {
    labels.push_back(layout::label(cell));
    groups.push_back(group_of(cell, *l.grid, l.bits));
    lanes = lanes || (!l.grid->threads && cell.tmem_lane >= 0);
  }
  return {{"rows", l.grid->shown_rows},
          {"columns", l.grid->shown_columns},
          {"left_out", layout::left_out(*l.grid)},
          {"by", l.grid->threads ? "thread"
                 : lanes         ? "lane"
                                 : "bank"},
          {"labels", std::move(labels)},
          {"groups", std::move(groups)}};
}

render::Json layout_json(const ide::LayoutAt& l, const text::Source& source) {
  render::Json shape = render::Json::array(), accesses = render::Json::array();
  for (const ide::Extent& e : l.shape) shape.push_back(e.text);
  for (const ide::LayoutAt::Access& a : l.accesses) {
    accesses.push_back({{"line", line_in(a.place, source)},
                        {"what", a.what},
                        {"does", a.reads && a.writes ? "updates"
                                 : a.writes          ? "writes"
                                                     : "reads"},
                        {"banks", access_words(a)},
                        {"degree", a.worst ? render::Json(a.worst->report.degree) : render::Json(nullptr)}});
  }
  return {{"name", l.name},
          {"dtype", l.dtype},
          {"scope", l.scope},
          {"shape", shape},
          {"bytes", l.bytes ? render::Json(ide::grouped(*l.bytes)) : render::Json(nullptr)},
          {"layout", l.short_form},
          {"words", l.words},
          {"grid", grid_json(l)},
          {"problem", l.problem},
          {"accesses", std::move(accesses)},
          {"more", l.accesses_left_out}};
}

render::Json finding_json(const session::Finding& f, const text::Source& source) {
  const text::Diagnostic& d = *f.diagnostic;
  const text::Anchors::Place at = f.anchors->resolve(d.span);
  render::Json out{
      {"code", d.code}, {"severity", text::kSeverityWords[d.severity]}, {"message", d.message}, {"hint", d.hint}};
  out["line"] = line_in(at, source);
  if (at.source && at.source != &source)
    out["elsewhere"] = at.source->path() + ":" + std::to_string(at.source->position(at.begin).line + 1);
  render::Json related = render::Json::array();
  for (const text::Related& r : d.related) {
    const text::Anchors::Place there = f.anchors->resolve(r.span);
    related.push_back({{"line", line_in(there, source)}, {"message", r.message}});
  }
  out["related"] = std::move(related);
  return out;
}

render::Json contents_json(const ide::Page& page) {
  render::Json out = render::Json::array();
  for (const ide::PageKernel& k : page.kernels) {
    render::Json views = render::Json::array(), absent = render::Json::object();
    for (const ide::OpenedView& v : k.views) {
      const std::string kind(ide::view_kind_name(v.view.name.kind));
      if (v.view.state == ide::View::State::Ready)
        views.push_back(kind);
      else
        absent[kind] = v.view.problem;
    }
    const ide::ViewName& name = k.views.front().view.name;
    out.push_back({{"name", name.kernel},
                   {"entry", name.entry},
                   {"arch", name.architecture},
                   {"views", std::move(views)},
                   {"missing", std::move(absent)},
                   {"layouts", k.layouts.size()}});
  }
  return out;
}

// The numbers as `explain --time --json` has them, the words for people, and by line of the script what is known of it.
render::Json time_json(const ide::PageKernel& k, const text::Source& source) {
  std::set<std::uint32_t> lines;
  for (const work::TimedLine& line : k.time.answer.lines)
    if (line.at.path == source.path()) lines.insert(line.at.line);
  for (const work::ProfiledLine& line : k.time.profile.lines)
    if (line.path == source.path()) lines.insert(line.line);
  render::Json told = render::Json::array(), waits = render::Json::array();
  for (const std::uint32_t line : lines)
    if (auto words = work::line_words(k.time, line); !words.empty())
      told.push_back({{"line", line}, {"words", std::move(words)}});
  for (const work::TimedWait& wait : k.time.answer.waits)
    waits.push_back({{"line", wait.waits.line}, {"words", work::wait_words(wait)}});
  render::Json advice = render::Json::array();
  for (const auto* some : {&k.time.answer.advice, &k.time.profile.advice})
    for (const text::Diagnostic& d : *some)
      advice.push_back(finding_json({&d, &k.compiled->evaluation->anchors}, source));
  return {{"head", work::head_words(k.time)},
          {"lines", std::move(told)},
          {"waits", std::move(waits)},
          {"advice", std::move(advice)}};
}

}  // namespace

render::Json page_json(const ide::Page& page) {
  const text::Source& source = page.script->source();
  Shared texts, layouts;
  const auto line = [&](const text::Anchors::Place& at) { return line_in(at, source); };
  render::Json kernels = render::Json::array(), findings = render::Json::array();
  for (const ide::PageKernel& k : page.kernels) {
    const ide::ViewName* name = k.views.empty() ? nullptr : &k.views.front().view.name;
    if (!name) continue;
    render::Json views = render::Json::object(), pictures = render::Json::array();
    for (const ide::OpenedView& v : k.views)
      views[std::string(ide::view_kind_name(v.view.name.kind))] = view_json(v, texts);
    for (const ide::LayoutAt& l : k.layouts) pictures.push_back(layouts.add(layout_json(l, source)));
    const auto lines = k.lines;
    kernels.push_back({{"name", name->kernel},
                       {"entry", name->entry},
                       {"arch", name->architecture},
                       {"arch_words", k.architecture},
                       {"resources", k.resources},
                       {"lines", lines ? render::Json{lines->first, lines->second} : render::Json(nullptr)},
                       {"views", std::move(views)},
                       {"time", time_json(k, source)},
                       {"pipeline", k.pipeline ? pipeline_json(*k.pipeline, line) : render::Json(nullptr)},
                       {"layouts", std::move(pictures)}});
  }
  for (const session::Finding& f : page.analysis->findings) findings.push_back(finding_json(f, source));
  return {{"version", TILEWRIGHT_VERSION},
          {"file", source.path()},
          {"dialect", text::dialect_name(page.analysis->first().dialect)},
          {"source", source.text()},
          {"findings", std::move(findings)},
          {"checked", page.checked},
          {"kernels", std::move(kernels)},
          {"texts", texts.take()},
          {"layouts", layouts.take()}};
}

render::Json page_contents_json(const ide::Page& page, const std::string& html, std::size_t bytes) {
  render::Json diagnostics = render::Json::array();
  for (const session::Finding& f : page.analysis->findings)
    diagnostics.push_back(render::diagnostic_json(*f.diagnostic, *f.anchors));
  return {{"file", page.script->path()},
          {"html", html},
          {"bytes", bytes},
          {"kernels", contents_json(page)},
          {"diagnostics", std::move(diagnostics)}};
}

std::string html_page(const ide::Page& page) {
  return framed_page(page_source("page.html"), page.script->source().path(), std::string(page_source("page.css")),
                     std::string(page_source("page.js")), page_json(page));
}

}  // namespace tilewright::views

// tilewright/layout: the layout under a cursor, as numbers, as a text and as a picture.
#include "server/views/layout.h"

#include <algorithm>

#include "compiler/text/words.h"
#include "server/ide/layout_at.h"
#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

constexpr std::int64_t kMostRows = 256, kMostColumns = 256;  // 65,536 elements are about 1 MB of JSON

struct LayoutParams : protocol::PositionParams {
  ide::LayoutAsked asked;
};
void from_json(const Json& json, LayoutParams& p) {
  protocol::from_json(json, static_cast<protocol::PositionParams&>(p));
  p.asked.picture.rows = std::clamp<std::int64_t>(json.value("rows", std::int64_t{64}), 1, kMostRows);
  p.asked.picture.columns = std::clamp<std::int64_t>(json.value("columns", std::int64_t{64}), 1, kMostColumns);
  const std::string by = json.value("by", std::string("auto"));
  using By = layout::PictureOptions::By;
  p.asked.picture.by = by == "thread" ? By::Thread : by == "bank" ? By::Bank : By::Auto;
  p.asked.svg = json.value("svg", false);
}

Json extent_json(const ide::Extent& e) { return e.number ? Json(*e.number) : Json(e.text); }

Json iters_json(const std::vector<ide::LayoutAt::IterAt>& iters) {
  Json out = Json::array();
  for (const auto& i : iters)
    out.push_back({{"extent", extent_json(i.extent)}, {"stride", extent_json(i.stride)}, {"axis", i.axis}});
  return out;
}

// One array a coordinate that any element has.
Json grid_json(const layout::Grid& grid, int bits) {
  auto numbers = [&](auto value) {
    Json out = Json::array();
    for (const layout::Cell& cell : grid.cells) out.push_back(value(cell));
    return out;
  };
  auto any = [&](std::int64_t layout::Cell::* part) {
    return std::ranges::any_of(grid.cells, [&](const layout::Cell& c) { return c.*part >= 0; });
  };
  const bool address = any(&layout::Cell::address), column = any(&layout::Cell::tmem_column);
  Json out{{"rows", grid.rows},
           {"columns", grid.columns},
           {"shown_rows", grid.shown_rows},
           {"shown_columns", grid.shown_columns},
           {"left_out", layout::left_out(grid)},
           {"coloured_by", grid.threads ? "thread"
                           : address    ? "bank"
                           : column     ? "column"
                                        : "none"}};
  auto add = [&](const char* name, auto part) {
    if (any(part)) out[name] = numbers([part](const layout::Cell& c) { return c.*part; });
  };
  add("thread", &layout::Cell::thread);
  add("address", &layout::Cell::address);
  add("lane", &layout::Cell::tmem_lane);
  add("column", &layout::Cell::tmem_column);
  if (address && !grid.threads) {
    out["bank"] = numbers(
        [&](const layout::Cell& c) { return c.address < 0 ? std::int64_t{-1} : layout::bank_of(c.address, bits); });
  }
  out["label"] = numbers([](const layout::Cell& c) { return layout::label(c); });
  return out;
}

Json bank_json(const lower::BankAccess& access) {
  Json phases = Json::array();
  for (const layout::BankReport::Phase& p : access.report.phases) {
    phases.push_back(
        {{"first_lane", p.first_lane}, {"lanes", p.lanes}, {"degree", p.degree}, {"bank", p.bank}, {"words", p.words}});
  }
  return {{"bits", access.bits},
          {"wavefronts", access.report.wavefronts},
          {"ideal", access.report.ideal},
          {"phases", std::move(phases)},
          {"address", access.address}};
}

Json accesses_json(const Request& r, const ide::LayoutAt& l) {
  Json out = Json::array();
  for (const ide::LayoutAt::Access& a : l.accesses) {
    Json one{{"call", a.what},
             {"reads", a.reads},
             {"writes", a.writes},
             {"location", a.place.source ? Json(r.client->location(a.place)) : Json(nullptr)},
             {"degree", a.worst ? Json(a.worst->report.degree) : Json(nullptr)}};
    if (a.worst) one["worst"] = bank_json(*a.worst);
    if (!a.worst) one["why"] = a.unknown;
    out.push_back(std::move(one));
  }
  return out;
}

Answer<Json> layout_here(const Request& r, const LayoutParams& params) {
  auto found = ide::layout_at(r, r.offset(params.position), params.asked);
  if (!found) return failed(std::move(found.error()));
  if (!*found) return Json(nullptr);
  const ide::LayoutAt& l = **found;
  static constexpr auto kKinds = text::words_of<ide::LayoutAt::Kind>({"buffer", "region", "layout"});
  Json out{{"name", l.name},
           {"kind", kKinds[l.kind]},
           {"range", r.range(l.at)},
           {"version", r.snapshot->version()},
           {"layout", l.short_form},
           {"printed", l.printed},
           {"words", l.words},
           {"text", views::layout_text(l)},
           {"bits", l.bits},
           {"shard", iters_json(l.shard)},
           {"replica", iters_json(l.replica)},
           {"swizzle", nullptr},
           {"offset", Json::array()},
           {"shape", Json::array()},
           {"grid", l.grid ? grid_json(*l.grid, l.bits) : Json(nullptr)},
           {"owners", l.holders},
           {"accesses", accesses_json(r, l)},
           {"accesses_left_out", l.accesses_left_out}};
  for (const auto& [axis, value] : l.offset) out["offset"].push_back({{"axis", axis}, {"value", extent_json(value)}});
  for (const ide::Extent& e : l.shape) out["shape"].push_back(extent_json(e));
  if (l.swizzle) {
    out["swizzle"] = {{"per_element", l.swizzle->per_element},
                      {"swizzle_len", l.swizzle->swizzle_len},
                      {"atom_len", l.swizzle->atom_len},
                      {"inner", l.swizzle->inner}};
  }
  if (!l.dtype.empty()) out["dtype"] = l.dtype;
  if (!l.scope.empty()) out["scope"] = l.scope;
  if (l.bytes) out["bytes"] = *l.bytes;
  for (const auto& [begin, extent] : l.region)
    out["region"].push_back({{"begin", extent_json(begin)}, {"extent", extent_json(extent)}});
  if (!l.problem.empty()) out["grid_problem"] = l.problem;
  if (!l.svg.empty()) out["svg"] = l.svg;
  if (!l.entry.empty()) out["entry"] = l.entry;
  if (!l.architecture.empty()) out["architecture"] = l.architecture;
  return out;
}

}  // namespace

void add_layout(Registry& registry) { registry.on_document<LayoutParams>("tilewright/layout", layout_here); }

}  // namespace tilewright::lsp

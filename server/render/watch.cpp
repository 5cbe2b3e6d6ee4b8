#include "server/render/watch.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "compiler/text/escape.h"

namespace tilewright::render {
namespace {

using simulate::Seen;
using simulate::WatchPoint;

constexpr std::size_t kMostRows = 64;

std::string formatted(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string value_text(const Seen::Value& v, ir::DataType dtype) {
  if (v.state == Seen::Value::State::Unwritten) return "unwritten";
  if (v.state == Seen::Value::State::Outside) return "outside";
  auto number = run::decode_element(dtype.element(), v.bits);
  return number ? formatted(*number) : std::to_string(v.bits);
}

Json value_json(const Seen::Value& v, ir::DataType dtype) {
  if (v.state == Seen::Value::State::Unwritten) return "unwritten";
  if (v.state == Seen::Value::State::Outside) return "outside";
  auto number = run::decode_element(dtype.element(), v.bits);
  if (number && std::isfinite(*number)) return *number;
  return number ? Json(formatted(*number)) : Json(v.bits);
}

// In the order of CTA, iteration, thread; of one thread in that of execution.
std::vector<const Seen*> rows_of(const run::Report& r, std::size_t point) {
  std::vector<const Seen*> out;
  for (const Seen& s : r.outcome.seen)
    if (s.point == point) out.push_back(&s);
  std::ranges::stable_sort(out, [](const Seen* a, const Seen* b) {
    return std::tuple(a->cta[2], a->cta[1], a->cta[0], a->loops, a->thread) <
           std::tuple(b->cta[2], b->cta[1], b->cta[0], b->loops, b->thread);
  });
  return out;
}

std::string cta_text(const std::array<std::int64_t, 3>& cta) {
  return "(" + std::to_string(cta[0]) + ", " + std::to_string(cta[1]) + ", " + std::to_string(cta[2]) + ")";
}

// Columns as wide as their widest cell, two blanks apart.
std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = "    ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - row[i].size() + 2, ' ');
    }
    out += line + "\n";
  }
  return out;
}

std::string points_table(const run::Report& r, std::size_t point) {
  const WatchPoint& p = r.watch_points[point];
  std::vector<std::vector<std::string>> cells;
  std::vector<std::string>& head = cells.emplace_back();
  head = {"CTA", "thread"};
  head.insert(head.end(), p.loops.begin(), p.loops.end());
  if (p.in_memory) {
    head.insert(head.end(), p.elements.begin(), p.elements.end());
  } else {
    head.emplace_back("value");
  }
  const std::vector<const Seen*> rows = rows_of(r, point);
  std::size_t left = 0;
  for (std::size_t from = 0; from < rows.size();) {
    const Seen& first = *rows[from];
    std::size_t to = from + 1;
    while (to < rows.size() && rows[to]->cta == first.cta && rows[to]->loops == first.loops &&
           rows[to]->values == first.values && rows[to]->thread == rows[to - 1]->thread + 1)
      ++to;
    if (cells.size() > kMostRows) {
      left += to - from;
    } else {
      const std::int64_t last = rows[to - 1]->thread;
      std::vector<std::string>& row = cells.emplace_back();
      row = {cta_text(first.cta),
             std::to_string(first.thread) + (last > first.thread ? ".." + std::to_string(last) : "")};
      for (std::int64_t loop : first.loops) row.push_back(std::to_string(loop));
      for (const Seen::Value& v : first.values) row.push_back(value_text(v, p.dtype));
    }
    from = to;
  }
  if (rows.empty()) return "    no thread came past\n";
  return aligned(cells) + (left ? "    and " + std::to_string(left) + " more; --json has them\n" : "");
}

}  // namespace

std::string watches_text(const run::Report& r) {
  std::string out;
  for (std::size_t point = 0; point < r.watch_points.size(); ++point) {
    const run::Report::Watching& w = r.watches[r.watch_points[point].watch];
    out += "  watch    " + text::visible(w.expression) + " where line " + std::to_string(w.line) + " was executed\n" +
           points_table(r, point);
  }
  if (r.outcome.unseen) out += "    " + std::to_string(r.outcome.unseen) + " later ones were not kept\n";
  return out;
}

Json watches_json(const run::Report& r) {
  Json out = Json::array();
  for (std::size_t point = 0; point < r.watch_points.size(); ++point) {
    const WatchPoint& p = r.watch_points[point];
    Json rows = Json::array();
    for (const Seen* s : rows_of(r, point)) {
      Json values = Json::array();
      for (const Seen::Value& v : s->values) values.push_back(value_json(v, p.dtype));
      rows.push_back({{"cta", s->cta}, {"thread", s->thread}, {"loops", s->loops}, {"values", values}});
    }
    out.push_back({{"expression", r.watches[p.watch].expression},
                   {"line", r.watches[p.watch].line},
                   {"dtype", ir::dtype_name(p.dtype)},
                   {"loops", p.loops},
                   {"elements", p.elements},
                   {"rows", rows}});
  }
  return out;
}

}  // namespace tilewright::render

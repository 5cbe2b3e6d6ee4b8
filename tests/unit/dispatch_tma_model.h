// A model of the TMA unit, and copies that run on it.
//
// The model knows what the hardware does with a tensor map, a coordinate and a shared address (copy_async.md 8.1, 8.2),
// byte by byte, and nothing of plans. Every byte of the source holds a token; afterwards the layout library is asked
// where each element of the two regions lies, and all bytes must have arrived, and no others been touched.
#pragma once
#include <set>

#include "tests/unit/copy_lab.h"

namespace tilewright::testing {

struct TmaSide {
  std::vector<std::int64_t> shape{};
  std::optional<layout::Layout> layout{};                       // nothing: row-major
  std::vector<std::pair<std::int64_t, std::int64_t>> region{};  // begin, end; empty: all
  std::int64_t elem_offset = 0;
};

struct TmaCase {
  ir::DataType dtype = ir::kFloat16;
  TmaSide global{}, shared{};
  bool to_shared = true;
  std::vector<std::pair<std::string_view, Expr>> config{};
  ir::Target target{9, 0, 'a'};
  ExecScope scope = ExecScope::Thread;
};

struct TmaResult {
  dispatch::Dispatched dispatched;
  std::shared_ptr<Arena> arena;
  dispatch::CallReport report;
  Diagnostics diagnostics;
  std::string wrong;                                   // what the model found; empty: every byte arrived
  std::vector<std::vector<std::int64_t>> coordinates;  // of each issue, innermost first
  std::vector<std::int64_t> places;                    // shared start of each issue, bytes
  std::int64_t bytes = 0;                              // that the barrier counts

  // "4096,4096 | 8192 | 64,128 | 3 | 1": dims, strides, box, swizzle, issues; the reason where no plan was made.
  std::string plan() const {
    if (!report.body) return std::string(report.trials.empty() ? "" : report.trials.back().reason);
    const dispatch::TensorMap& m = dispatched.tensor_maps.at(0);
    auto list = [](const auto& values) {
      std::string text;
      for (const auto& v : values) {
        text += text.empty() ? "" : ",";
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, Expr>)
          text += ir::to_string(v);
        else
          text += std::to_string(v);
      }
      return text;
    };
    return list(m.dims) + " | " + list(m.strides) + " | " + list(m.box) + " | " + std::to_string(m.swizzle) + " | " +
           std::to_string(coordinates.size());
  }
};

class TmaUnit {
 public:
  static constexpr std::int64_t kUntouched = -2, kFilled = -3;
  std::vector<std::int64_t> global, shared;  // a token a byte
  std::string problem;

  // What the driver refuses when the map is encoded.
  static std::string refused(const dispatch::TensorMap& m) {
    auto number = [](Expr e) { return *ir::constant(e); };
    const std::int64_t size = ir::parse_dtype(m.dtype)->storage_bits() / 8;
    static const std::set<std::string_view> kTypes = {"uint8",   "int8",    "uint16",       "int16",   "uint32",
                                                      "int32",   "uint64",  "int64",        "float16", "bfloat16",
                                                      "float32", "float64", "float8_e4m3fn"};
    if (!kTypes.contains(m.dtype)) return "dtype " + std::string(m.dtype);
    if (m.dims.empty() || m.dims.size() > 5) return "rank";
    if (m.strides.size() + 1 != m.dims.size() || m.box.size() != m.dims.size()) return "argument count";
    for (Expr d : m.dims) {
      if (number(d) < 1 || number(d) > std::int64_t{1} << 32) return "dim";
    }
    for (Expr s : m.strides) {
      if (number(s) % 16 != 0 || number(s) < 0 || number(s) >= std::int64_t{1} << 40) return "stride";
    }
    for (std::int64_t b : m.box) {
      if (b < 1 || b > 256) return "box";
    }
    for (std::int64_t e : m.element_strides) {
      if (e != 1) return "element stride";
    }
    if (m.box[0] * size % 16 != 0) return "inner box bytes";
    if (m.swizzle && m.box[0] * size > (16 << m.swizzle)) return "inner box over the swizzle";
    if (number(m.byte_offset) % 16 != 0) return "address";
    return {};
  }

  std::int64_t transfer(const dispatch::TensorMap& m, const std::vector<std::int64_t>& start, std::int64_t place,
                        bool load) {
    if (place % 128 != 0) return complain("shared address " + std::to_string(place));
    const std::int64_t size = ir::parse_dtype(m.dtype)->storage_bits() / 8, row = m.box[0] * size;
    const std::int64_t span = std::int64_t{16} << m.swizzle, pitch = m.swizzle ? std::max(row, span) : row;
    std::vector<std::int64_t> at(m.box.size(), 0);
    std::int64_t rows = 0, bytes = 0;
    while (true) {
      bool inside = true;
      std::int64_t address = *ir::constant(m.byte_offset);
      for (std::size_t d = 0; d < at.size(); ++d) {
        const std::int64_t c = start[d] + at[d];
        inside = inside && c >= 0 && c < *ir::constant(m.dims[d]);
        address += c * (d == 0 ? size : *ir::constant(m.strides[d - 1]));
      }
      for (std::int64_t b = 0; b < size; ++b, ++bytes) {
        std::int64_t s = place + rows * pitch + at[0] * size + b;
        if (m.swizzle) s ^= (s >> 7 & ((1 << m.swizzle) - 1)) << 4;
        if (s < 0 || s >= std::ssize(shared)) return complain("beyond shared memory");
        if (inside && (address + b < 0 || address + b >= std::ssize(global))) return complain("beyond the tensor");
        if (load) {
          shared[static_cast<std::size_t>(s)] = inside ? global[static_cast<std::size_t>(address + b)] : kFilled;
        } else if (inside) {
          global[static_cast<std::size_t>(address + b)] = shared[static_cast<std::size_t>(s)];
        }
      }
      std::size_t d = 0;
      while (d < at.size() && ++at[d] == m.box[d]) at[d++] = 0;
      if (d > 0) ++rows;
      if (d == at.size()) return bytes;
    }
  }

 private:
  std::int64_t complain(std::string text) {
    if (problem.empty()) problem = std::move(text);
    return 0;
  }
};

inline TmaResult run_tma(const TmaCase& c) {
  TmaResult out;
  KernelBuilder k;
  k.device();
  k.id(ScopeBinding::KernelCta, 1);
  k.id(ScopeBinding::CtaThread, 32, "tid");
  const std::int64_t size = c.dtype.storage_bits() / 8;
  auto make = [&](const TmaSide& s, std::string_view name, StorageScope scope) {
    std::vector<Expr> shape(s.shape.begin(), s.shape.end());
    layout::Shape dims(s.shape.begin(), s.shape.end());
    ir::Buffer* b = k.buffer(name, shape, c.dtype, scope, s.layout ? *s.layout : layout::row_major(dims));
    b->align = 1024;
    if (s.elem_offset) b->elem_offset = Expr(s.elem_offset);
    return b;
  };
  const ir::Buffer* global = make(c.global, "A", StorageScope::Global);
  const ir::Buffer* shared = make(c.shared, "S", StorageScope::Shared);
  const ir::Buffer* bar = k.buffer("bar", {Expr(1)}, ir::kUInt64, StorageScope::Shared, layout::row_major({{1}}));
  auto box = [](const TmaSide& s) {
    if (!s.region.empty()) return s.region;
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    for (std::int64_t e : s.shape) all.emplace_back(0, e);
    return all;
  };
  auto region = [&](const ir::Buffer* b, const TmaSide& s) {
    std::vector<std::pair<Expr, Expr>> ranges;
    for (auto& [lo, hi] : box(s)) ranges.emplace_back(Expr(lo), Expr(hi - lo));
    return KernelBuilder::region(b, ranges);
  };
  std::vector<ir::ConfigItem> config;
  for (auto& [key, value] : c.config) config.push_back({key, {.region = {}, .value = value, .span = {}}});
  if (c.to_shared) {
    Expr zero[] = {Expr(0)};
    Expr element[] = {ir::load(bar, zero)};
    config.push_back(
        {"mbar", {.region = {}, .value = ir::call(ir::kHandle, ir::builtin::address_of, element), .span = {}}});
  }
  ir::Region g = region(global, c.global), s = region(shared, c.shared);
  k.add(k.call("copy_async", c.scope, c.to_shared ? s : g, c.to_shared ? g : s, "tma", config));
  const ir::Kernel& kernel = k.finish(c.target);
  out.arena = kernel.arena;
  out.dispatched = dispatch::dispatch(kernel, out.diagnostics.context);
  REQUIRE(out.dispatched.calls.size() == 1);
  out.report = out.dispatched.calls[0];
  if (!out.report.body) return out;

  TmaUnit unit;
  REQUIRE(out.dispatched.tensor_maps.size() == 1);
  const dispatch::TensorMap& map = out.dispatched.tensor_maps[0];
  if (out.wrong = TmaUnit::refused(map); !out.wrong.empty()) return out;
  auto element = [](const ir::Buffer* b, const std::vector<std::int64_t>& at) {
    auto where = layout::apply(*b->layout, at, ir::shape_of(*b));
    if (!where) FAIL(where.error().message);
    std::int64_t m = b->elem_offset ? *ir::constant(b->elem_offset) : 0;
    for (auto& [axis, v] : *where) {
      if (axis == layout::Axis::m) m += v;
    }
    return m;
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> whole_g, whole_s;
  for (std::int64_t e : c.global.shape) whole_g.emplace_back(0, e);
  for (std::int64_t e : c.shared.shape) whole_s.emplace_back(0, e);
  std::int64_t most_g = 0, most_s = 0;
  each_coordinate(whole_g, [&](auto& at) { most_g = std::max(most_g, element(global, at)); });
  each_coordinate(whole_s, [&](auto& at) { most_s = std::max(most_s, element(shared, at)); });
  // A little more shared memory than the tile: writes beyond it are found, not lost.
  unit.global.assign(static_cast<std::size_t>((most_g + 1) * size), TmaUnit::kUntouched);
  unit.shared.assign(static_cast<std::size_t>((most_s + 1) * size + 1024), TmaUnit::kUntouched);
  auto& from = c.to_shared ? unit.global : unit.shared;
  auto& to = c.to_shared ? unit.shared : unit.global;
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::int64_t>(i);
  const std::vector<std::int64_t> source = from;

  auto issue = [&](const ir::Call* call, const ir::Var* var, std::int64_t round) {
    auto value = [&](Expr e) {
      Expr now = ir::simplify(ir::substitute(e, [&](const Var* v) { return v == var ? Expr(round) : Expr(); }));
      const std::int64_t* v = ir::constant(now);
      REQUIRE(v);
      return *v;
    };
    const std::size_t fixed = c.to_shared ? 8 : call->args.size() - map.dims.size();
    std::vector<std::int64_t> at;
    for (std::size_t i = fixed; i < call->args.size(); ++i) at.push_back(value(call->args[i]));
    REQUIRE(at.size() == map.dims.size());
    const auto* load = call->args[1].as<ir::Call>()->args[0].as<ir::Load>();
    std::int64_t place = value(load->indices[0]);
    if (load->buffer->elem_offset) place += value(load->buffer->elem_offset);
    out.coordinates.push_back(at);
    out.places.push_back(place * size);
    out.bytes += unit.transfer(map, at, place * size, c.to_shared);
  };
  ir::walk_stmts(out.report.body, [&](const Stmt* st) {
    if (const auto* loop = ir::as<ir::For>(st)) {
      const auto* e = ir::as<ir::Evaluate>(loop->body);
      REQUIRE(e);
      for (std::int64_t i = 0; i < *ir::constant(loop->extent); ++i) issue(e->value.as<ir::Call>(), loop->var, i);
      return false;
    }
    if (const auto* e = ir::as<ir::Evaluate>(st)) issue(e->value.as<ir::Call>(), nullptr, 0);
    return true;
  });
  out.wrong = unit.problem;
  if (!out.wrong.empty()) return out;

  std::vector<std::vector<std::int64_t>> g_at, s_at;
  each_coordinate(box(c.global), [&](auto& at) { g_at.push_back(at); });
  each_coordinate(box(c.shared), [&](auto& at) { s_at.push_back(at); });
  REQUIRE(g_at.size() == s_at.size());
  std::size_t wrong = 0, touched = 0;
  for (std::size_t i = 0; i < g_at.size(); ++i) {
    bool inside = true;
    for (std::size_t d = 0; d < g_at[i].size(); ++d) inside = inside && g_at[i][d] < c.global.shape[d];
    const std::int64_t se = element(shared, s_at[i]), ge = inside ? element(global, g_at[i]) : 0;
    for (std::int64_t b = 0; b < size; ++b) {
      if (!inside && !c.to_shared) continue;
      std::int64_t& cell = to[static_cast<std::size_t>((c.to_shared ? se : ge) * size + b)];
      const std::int64_t expected =
          inside ? source[static_cast<std::size_t>((c.to_shared ? ge : se) * size + b)] : TmaUnit::kFilled;
      wrong += cell != expected;
      cell = TmaUnit::kUntouched;
    }
  }
  for (std::int64_t cell : to) touched += cell != TmaUnit::kUntouched;
  if (wrong) out.wrong = std::to_string(wrong) + " bytes wrong";
  if (touched) out.wrong += " " + std::to_string(touched) + " bytes beyond the region written";
  if (out.bytes != static_cast<std::int64_t>(g_at.size()) * size) out.wrong += " byte count";
  return out;
}

inline layout::Layout mma_tile(ir::DataType dtype, int mode, std::vector<std::int64_t> shape) {
  layout::Shape dims(shape.begin(), shape.end());
  auto l = layout::mma_shared_layout(dtype, static_cast<layout::SwizzleMode>(mode), dims);
  REQUIRE(l);
  return *l;
}

}  // namespace tilewright::testing

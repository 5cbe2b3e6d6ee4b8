// A laboratory for copies: one kernel with one copy, dispatched, and its body executed for every thread of a CTA.
//
// The machine below knows nothing of plans. It fills the source with one token an element, where the *layout library*
// says each element lives, runs the emitted statements, and asks the layouts again whether every element of the
// destination region now holds the token of its source, and nothing else was touched. Accesses must stay inside their
// storage and be aligned to their width.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <unordered_map>

#include "compiler/dispatch/codes.h"
#include "compiler/dispatch/dispatcher.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/intrinsic.h"
#include "tests/unit/catch.h"
#include "tests/unit/kernel_builder.h"

namespace tilewright::testing {

using ir::ExecScope;
using ir::ScopeBinding;
using ir::StorageScope;

// "8", "S[(8,4):(4@laneid,1)]", "Z(3,3,3) S[..]", "Z(3,3,3)".
inline layout::Layout parse_layout(std::string_view text) {
  layout::Layout out;
  auto number = [&] {
    std::int64_t v = 0;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') v = v * 10 + (text[0] - '0'), text.remove_prefix(1);
    return v;
  };
  if (text.starts_with("Z(")) {
    text.remove_prefix(2);
    int m = static_cast<int>(number());
    text.remove_prefix(1);
    int b = static_cast<int>(number());
    text.remove_prefix(1);
    int a = static_cast<int>(number());
    text.remove_prefix(1);
    out.swizzle = layout::Swizzle{m, b, a, true};
    while (text.starts_with(" ")) text.remove_prefix(1);
  }
  if (text.empty()) return out;
  REQUIRE(text.starts_with("S[("));
  text.remove_prefix(3);
  layout::TileLayout tile;
  while (true) {
    tile.shard.push_back({number(), 1, layout::Axis::m});
    if (text[0] == ')') break;
    text.remove_prefix(1);
  }
  text.remove_prefix(1);
  if (text[0] == ':') {
    text.remove_prefix(2);
    for (auto& it : tile.shard) {
      it.stride = number();
      if (text[0] == '@') {
        text.remove_prefix(1);
        std::size_t end = text.find_first_of(",)");
        it.axis = *layout::parse_axis(text.substr(0, end));
        text.remove_prefix(end);
      }
      text.remove_prefix(1);
    }
  } else {
    std::int64_t stride = 1;
    for (std::size_t i = tile.shard.size(); i-- > 0;)
      tile.shard[i].stride = stride, stride *= tile.shard[i].extent.value();
  }
  out.tile = std::move(tile);
  return out;
}

struct Side {
  StorageScope scope = StorageScope::Global;
  std::vector<std::int64_t> shape{};
  std::string layout{};                                         // empty: row-major
  std::vector<std::pair<std::int64_t, std::int64_t>> region{};  // begin, end; empty: all
};

struct CopyCase {
  ExecScope scope = ExecScope::Warp;
  std::int64_t threads = 32;
  ir::DataType dtype = ir::kFloat16;
  Side src{}, dst{};
  std::string forced{};
  std::string_view primitive = "copy";
  ir::Target target{9, 0, 'a'};
  // Keywords of the call; called while the kernel is being built.
  std::function<std::vector<ir::ConfigItem>()> config{};
  // A condition around the call, of the CTA's warp_id and thread_id.
  std::function<Expr(Expr warp, Expr tid)> condition{};
};

struct CopyResult {
  dispatch::Dispatched dispatched;
  std::shared_ptr<Arena> arena;
  dispatch::CallReport report;
  Diagnostics diagnostics;
  std::string wrong;  // what the machine found; empty: every element arrived
  std::int64_t bytes_moved = 0;
  std::vector<std::string> copies;  // distinct access widths and instructions

  std::int64_t fact(std::string_view name) const {
    for (const auto& f : report.facts) {
      if (f.name == name) return std::get<std::int64_t>(f.value);
    }
    return -1;
  }
  const dispatch::Trial* trial(std::string_view variant) const {
    for (const auto& t : report.trials) {
      if (t.variant == variant) return &t;
    }
    return nullptr;
  }
};

class ReferenceMachine {
 public:
  ReferenceMachine(std::int64_t threads, int bits)
      : threads_(threads), bits_(bits), env_(static_cast<std::size_t>(threads)) {}

  std::string problem;

  void allocate(const ir::Buffer* b, std::int64_t elements) {
    std::int64_t copies = b->scope == StorageScope::Local ? threads_ : 1;
    memory_[b->data] = {b, elements,
                        std::vector<std::int64_t>(static_cast<std::size_t>(elements * copies), kUntouched)};
  }
  std::int64_t& cell(const ir::Buffer* b, std::int64_t thread, std::int64_t offset) {
    Storage& s = memory_.at(b->data);
    static std::int64_t nowhere;
    if (offset < 0 || offset >= s.elements) {
      complain("offset " + std::to_string(offset) + " outside " + std::string(b->name) + " of " +
               std::to_string(s.elements));
      return nowhere;
    }
    return s.cells[static_cast<std::size_t>(offset + (b->scope == StorageScope::Local ? thread * s.elements : 0))];
  }
  std::vector<std::int64_t>& cells(const ir::Buffer* b) { return memory_.at(b->data).cells; }

  void run(const Stmt* s) { run(s, std::vector<bool>(static_cast<std::size_t>(threads_), true)); }
  std::map<std::string, int> instructions;
  std::int64_t bytes_moved = 0;  // by bulk copies, or by each thread's cp.async

  static constexpr std::int64_t kUntouched = -2;

 private:
  struct Storage {
    const ir::Buffer* buffer;
    std::int64_t elements;
    std::vector<std::int64_t> cells;
  };
  struct Pointer {
    const ir::Buffer* buffer = nullptr;
    std::int64_t offset = 0;
  };
  using Mask = std::vector<bool>;

  void complain(std::string text) {
    if (problem.empty()) problem = std::move(text);
  }

  std::int64_t value(Expr e, std::int64_t t) {
    if (const std::int64_t* c = ir::constant(e)) return *c;
    if (const Var* v = e.as<Var>()) {
      switch (v->role == ir::VarRole::ScopeId ? v->scope_id : ScopeBinding::None) {
        case ScopeBinding::CtaThread: return t;  // one-dimensional CTAs
        case ScopeBinding::WarpThread: return t % 32;
        case ScopeBinding::WarpgroupThread: return t % 128;
        case ScopeBinding::CtaWarp: return t / 32;
        case ScopeBinding::WarpgroupWarp: return t / 32 % 4;
        case ScopeBinding::CtaWarpgroup: return t / 128;
        case ScopeBinding::KernelCta: return 0;
        default: break;
      }
      auto& env = env_[static_cast<std::size_t>(t)];
      auto found = env.find(v);
      if (found == env.end()) complain("unbound variable " + std::string(v->name));
      return found == env.end() ? 0 : found->second;
    }
    if (const auto* c = e.as<ir::Cast>()) return value(c->value, t);
    if (const auto* s = e.as<ir::Select>())
      return value(s->condition, t) ? value(s->when_true, t) : value(s->when_false, t);
    const auto* b = e.as<ir::Binary>();
    if (!b) {
      complain("expression " + ir::to_string(e));
      return 0;
    }
    std::int64_t x = value(b->a, t), y = value(b->b, t);
    auto floor_div = [](std::int64_t p, std::int64_t q) { return p / q - (p % q != 0 && (p < 0) != (q < 0)); };
    switch (e.kind()) {
      case ExprKind::Add: return x + y;
      case ExprKind::Sub: return x - y;
      case ExprKind::Mul: return x * y;
      case ExprKind::FloorDiv: return floor_div(x, y);
      case ExprKind::FloorMod: return x - floor_div(x, y) * y;
      case ExprKind::Min: return std::min(x, y);
      case ExprKind::Max: return std::max(x, y);
      case ExprKind::BitAnd: return x & y;
      case ExprKind::BitOr: return x | y;
      case ExprKind::BitXor: return x ^ y;
      case ExprKind::Shl: return x << y;
      case ExprKind::Shr: return x >> y;
      case ExprKind::EQ: return x == y;
      case ExprKind::NE: return x != y;
      case ExprKind::LT: return x < y;
      case ExprKind::LE: return x <= y;
      case ExprKind::GT: return x > y;
      case ExprKind::GE: return x >= y;
      case ExprKind::And: return x && y;
      case ExprKind::Or: return x || y;
      default: complain("operator in " + ir::to_string(e)); return 0;
    }
  }

  Pointer pointer(Expr e, std::int64_t t) {
    if (auto mapped = pointers_.find(e.as<Var>()); mapped != pointers_.end()) return mapped->second;
    const auto* c = e.as<ir::Call>();
    if (!c || c->callee != &ir::builtin::address_of) {
      complain("pointer " + ir::to_string(e));
      return {};
    }
    const auto* load = c->args[0].as<ir::Load>();
    if (load->buffer->layout) complain("pointer into a buffer with a layout");
    return {load->buffer, value(load->indices[0], t)};
  }

  // Reads or writes of neighbouring elements through a pointer.
  std::vector<std::int64_t> read(Pointer p, std::int64_t t, std::int64_t n, std::int64_t align) {
    check(p, align);
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < n; ++i) out.push_back(cell(p.buffer, t, p.offset + i));
    return out;
  }
  void write(Pointer p, std::int64_t t, const std::vector<std::int64_t>& tokens, std::int64_t align) {
    check(p, align);
    for (std::size_t i = 0; i < tokens.size(); ++i)
      cell(p.buffer, t, p.offset + static_cast<std::int64_t>(i)) = tokens[i];
  }
  void check(Pointer p, std::int64_t align_elements) {
    if (p.offset % align_elements != 0) {
      complain("misaligned: offset " + std::to_string(p.offset) + " of " + std::string(p.buffer->name) + " for " +
               std::to_string(align_elements) + " elements");
    }
  }

  void run(const Stmt* s, Mask mask) {
    if (!problem.empty() || !s) return;
    switch (s->kind) {
      case ir::StmtKind::Seq:
        for (const Stmt* child : static_cast<const ir::Seq*>(s)->body) run(child, mask);
        return;
      case ir::StmtKind::Bind: {
        const auto* b = static_cast<const ir::Bind*>(s);
        const auto* call = b->value.as<ir::Call>();
        if (call && call->callee->name == "ptx.map_shared_rank") {
          // The other CTA's memory is this one's here; only what is mapped matters.
          if (call->args[0].as<ir::Call>()) pointers_[b->var] = pointer(call->args[0], 0);
          return;
        }
        each(mask, [&](std::int64_t t) { env_[static_cast<std::size_t>(t)][b->var] = value(b->value, t); });
        return;
      }
      case ir::StmtKind::For: {
        const auto* f = static_cast<const ir::For*>(s);
        std::int64_t n = value(f->extent, 0), min = value(f->min, 0);
        for (std::int64_t i = min; i < min + n; ++i) {
          each(mask, [&](std::int64_t t) { env_[static_cast<std::size_t>(t)][f->var] = i; });
          run(f->body, mask);
        }
        return;
      }
      case ir::StmtKind::If: {
        const auto* i = static_cast<const ir::If*>(s);
        Mask then_mask = mask, else_mask = mask;
        each(mask, [&](std::int64_t t) {
          bool c = value(i->condition, t);
          then_mask[static_cast<std::size_t>(t)] = c;
          else_mask[static_cast<std::size_t>(t)] = !c;
        });
        run(i->then_body, then_mask);
        if (i->else_body) run(i->else_body, else_mask);
        return;
      }
      case ir::StmtKind::Store: {
        const auto* st = static_cast<const ir::Store*>(s);
        const auto* load = st->value.as<ir::Load>();
        each(mask, [&](std::int64_t t) {
          cell(st->buffer, t, address(st->buffer, st->indices, t)) =
              cell(load->buffer, t, address(load->buffer, load->indices, t));
        });
        return;
      }
      case ir::StmtKind::Comment: return;
      case ir::StmtKind::Evaluate: return evaluate(static_cast<const ir::Evaluate*>(s)->value.as<ir::Call>(), mask);
      default: complain("statement");
    }
  }

  void evaluate(const ir::Call* call, const Mask& mask) {
    for (int width : {8, 16, 32, 64, 128}) {
      if (call->callee != &intrinsics::copy_bytes_row(width)) continue;
      ++instructions[std::to_string(width)];
      std::int64_t n = width / bits_;
      if (n * bits_ != width) return complain("width is no whole number of elements");
      each(mask,
           [&](std::int64_t t) { write(pointer(call->args[0], t), t, read(pointer(call->args[1], t), t, n, n), n); });
      return;
    }
    if (call->callee->name == "ptx.cp_async" || call->callee->name == "ptx.cp_async.bulk.s2c") {
      std::int64_t bytes = *ir::constant(call->args[2]), n = bytes * 8 / bits_;
      ++instructions[std::string(call->callee->name)];
      bytes_moved += bytes;
      std::int64_t align = call->callee->name == "ptx.cp_async" ? n : 128 / bits_;
      each(mask, [&](std::int64_t t) {
        write(pointer(call->args[0], t), t, read(pointer(call->args[1], t), t, n, align), align);
      });
      return;
    }
    bool loads = call->callee == &intrinsics::ldmatrix_row();
    if (!loads && call->callee != &intrinsics::stmatrix_row())
      return complain("call of " + std::string(call->callee->name));
    bool trans = *ir::constant(call->args[0]) != 0;
    std::int64_t num = *ir::constant(call->args[1]);
    if (bits_ != 16 || static_cast<std::int64_t>(call->args.size()) != 3 + num) return complain("matrix operands");
    ++instructions[std::string(loads ? "ldmatrix.x" : "stmatrix.x") + std::to_string(num) + (trans ? ".trans" : "")];
    for (bool b : mask) {
      if (!b) return complain("matrix instruction under divergence");
    }
    for (std::int64_t warp = 0; warp < threads_ / 32; ++warp) {
      for (std::int64_t tile = 0; tile < num; ++tile) {
        std::int64_t matrix[8][8];
        for (std::int64_t row = 0; row < 8 && loads; ++row) {
          std::int64_t lane = warp * 32 + tile * 8 + row;
          auto tokens = read(pointer(call->args[2], lane), lane, 8, 8);
          for (std::size_t c = 0; c < 8; ++c) matrix[row][c] = tokens[c];
        }
        for (std::int64_t l = 0; l < 32; ++l) {
          std::int64_t t = warp * 32 + l;
          Pointer p = pointer(call->args[3 + static_cast<std::size_t>(tile)], t);
          std::int64_t r = l / 4, c = 2 * (l % 4);
          std::int64_t& first = trans ? matrix[c][r] : matrix[r][c];
          std::int64_t& second = trans ? matrix[c + 1][r] : matrix[r][c + 1];
          if (loads) {
            write(p, t, {first, second}, 2);
          } else {
            auto tokens = read(p, t, 2, 2);
            first = tokens[0], second = tokens[1];
          }
        }
        for (std::int64_t row = 0; row < 8 && !loads; ++row) {
          std::int64_t lane = warp * 32 + tile * 8 + row;
          write(pointer(call->args[2], lane), lane, {matrix[row], matrix[row] + 8}, 8);
        }
      }
    }
  }

  std::int64_t address(const ir::Buffer* b, std::span<const Expr> indices, std::int64_t t) {
    std::vector<std::int64_t> at;
    for (Expr i : indices) at.push_back(value(i, t));
    auto where = layout::apply(*b->layout, at, ir::shape_of(*b));
    if (!where) {
      complain(where.error().message);
      return 0;
    }
    std::int64_t m = 0;
    for (auto& [axis, v] : *where) {
      if (axis == layout::Axis::m) m = v;
    }
    return m;
  }

  template <class F>
  void each(const Mask& mask, F&& f) {
    for (std::int64_t t = 0; t < threads_; ++t) {
      if (mask[static_cast<std::size_t>(t)]) f(t);
    }
  }

  std::int64_t threads_;
  int bits_;
  std::vector<std::unordered_map<const Var*, std::int64_t>> env_;
  std::unordered_map<const Var*, Storage> memory_;
  std::unordered_map<const Var*, Pointer> pointers_;  // mapped to another CTA
};

inline std::vector<std::pair<std::int64_t, std::int64_t>> full_or(const Side& s) {
  if (!s.region.empty()) return s.region;
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  for (std::int64_t e : s.shape) out.emplace_back(0, e);
  return out;
}

// Calls visit(coordinate) for a box, last dimension fastest.
template <class F>
void each_coordinate(const std::vector<std::pair<std::int64_t, std::int64_t>>& box, F&& visit) {
  std::vector<std::int64_t> at;
  for (auto& [lo, hi] : box) at.push_back(lo);
  while (true) {
    visit(at);
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == box[d - 1].second) at[d - 1] = box[d - 1].first, --d;
    if (d == 0) return;
  }
}

// (thread, offset) pairs that hold an element.
inline std::vector<std::pair<std::int64_t, std::int64_t>> places(const ir::Buffer* b,
                                                                 const std::vector<std::int64_t>& at,
                                                                 std::int64_t threads) {
  auto where = layout::apply(*b->layout, at, ir::shape_of(*b));
  REQUIRE(where);
  std::int64_t m = 0;
  std::vector<std::pair<layout::Axis, std::int64_t>> on;
  for (auto& [axis, v] : *where) {
    if (axis == layout::Axis::m)
      m = v;
    else
      on.emplace_back(axis, v);
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  if (b->scope != StorageScope::Local) return {{0, m}};
  for (std::int64_t t = 0; t < threads; ++t) {
    bool mine = true;
    for (auto& [axis, v] : on) {
      std::int64_t mine_is = -1;
      switch (axis) {
        case layout::Axis::laneid: mine_is = t % 32; break;
        case layout::Axis::tid_in_wg: mine_is = t % 128; break;
        case layout::Axis::wid_in_wg: mine_is = t / 32 % 4; break;
        case layout::Axis::warpid: mine_is = t / 32; break;
        case layout::Axis::wgid: mine_is = t / 128; break;
        case layout::Axis::tx: mine_is = t; break;
        default: break;
      }
      mine = mine && mine_is == v;
    }
    if (mine) out.emplace_back(t, m);
  }
  return out;
}

inline CopyResult run_copy(const CopyCase& c) {
  CopyResult out;
  KernelBuilder k;
  k.device();
  k.id(ScopeBinding::KernelCta, 1);
  const Var* warp = c.threads % 32 == 0 ? k.id(ScopeBinding::CtaWarp, c.threads / 32, "warp") : nullptr;
  if (warp) k.id(ScopeBinding::WarpThread, 32, "lane");
  const Var* tid = k.id(ScopeBinding::CtaThread, c.threads, "tid");
  auto make = [&](const Side& s, std::string_view name) {
    std::vector<Expr> shape(s.shape.begin(), s.shape.end());
    layout::Shape dims(s.shape.begin(), s.shape.end());
    return k.buffer(name, shape, c.dtype, s.scope, s.layout.empty() ? layout::row_major(dims) : parse_layout(s.layout));
  };
  const ir::Buffer* src = make(c.src, "src");
  const ir::Buffer* dst = make(c.dst, "dst");
  auto region = [&](const ir::Buffer* b, const Side& s) {
    std::vector<std::pair<Expr, Expr>> ranges;
    for (auto& [lo, hi] : full_or(s)) ranges.emplace_back(Expr(lo), Expr(hi - lo));
    return KernelBuilder::region(b, ranges);
  };
  const Stmt* call = k.call(c.primitive, c.scope, region(dst, c.dst), region(src, c.src), c.forced,
                            c.config ? c.config() : std::vector<ir::ConfigItem>());
  if (c.condition) call = KernelBuilder::when(c.condition(warp ? Expr(warp) : Expr(), tid), call);
  k.add(call);
  const ir::Kernel& kernel = k.finish(c.target);
  out.arena = kernel.arena;
  out.dispatched = dispatch::dispatch(kernel, out.diagnostics.context);
  REQUIRE(out.dispatched.calls.size() == 1);
  out.report = out.dispatched.calls[0];
  if (!out.report.body) return out;

  ReferenceMachine machine(c.threads, c.dtype.storage_bits());
  auto elements = [](const ir::Buffer* b) {
    std::int64_t most = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> box;
    for (Expr e : b->shape) box.emplace_back(0, *ir::constant(e));
    each_coordinate(box, [&](const std::vector<std::int64_t>& at) {
      auto where = layout::apply(*b->layout, at, ir::shape_of(*b));
      for (auto& [axis, v] : *where) {
        if (axis == layout::Axis::m) most = std::max(most, v);
      }
    });
    return most + 1;
  };
  machine.allocate(src, elements(src));
  machine.allocate(dst, elements(dst));
  std::map<std::vector<std::int64_t>, std::int64_t> token;
  std::int64_t next = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (std::int64_t e : c.src.shape) all.emplace_back(0, e);
  each_coordinate(all, [&](const std::vector<std::int64_t>& at) {
    token[at] = next;
    for (auto [t, m] : places(src, at, c.threads)) machine.cell(src, t, m) = next;
    ++next;
  });
  // The whole kernel runs, so that a guard around the call counts.
  ir::walk_stmts(out.dispatched.body, [&](const Stmt* s) {
    if (s->kind == ir::StmtKind::Seq || s->kind == ir::StmtKind::ScopeIds || s->kind == ir::StmtKind::DeviceEntry)
      return true;
    machine.run(s);
    return false;
  });
  for (auto& [name, count] : machine.instructions) out.copies.push_back(name);
  out.bytes_moved = machine.bytes_moved;
  out.wrong = machine.problem;
  if (!out.wrong.empty()) return out;
  // Pair the regions element by element, unit dimensions left out: both in row-major order.
  std::vector<std::vector<std::int64_t>> from, to;
  each_coordinate(full_or(c.src), [&](const std::vector<std::int64_t>& at) { from.push_back(at); });
  each_coordinate(full_or(c.dst), [&](const std::vector<std::int64_t>& at) { to.push_back(at); });
  REQUIRE(from.size() == to.size());
  std::size_t wrong = 0, touched = 0, expected = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (auto [t, m] : places(dst, to[i], c.threads)) {
      ++expected;
      std::int64_t& cell = machine.cell(dst, t, m);
      if (cell != token[from[i]]) ++wrong;
      cell = ReferenceMachine::kUntouched;
    }
  }
  for (std::int64_t cell : machine.cells(dst)) touched += cell != ReferenceMachine::kUntouched;
  if (wrong) out.wrong = std::to_string(wrong) + " of " + std::to_string(expected) + " elements wrong";
  if (touched) out.wrong += " " + std::to_string(touched) + " elements beyond the region written";
  return out;
}

}  // namespace tilewright::testing

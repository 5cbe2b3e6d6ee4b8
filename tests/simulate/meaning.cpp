#include "tests/simulate/meaning.h"

#include <algorithm>
#include <numeric>

namespace tilewright::testing {
using ir::Expr;
using ir::ExprKind;

namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

std::int64_t swizzled(const layout::Swizzle& z, std::int64_t x) {
  std::int64_t chunk = x >> z.per_element, low = x - (chunk << z.per_element);
  std::int64_t mask = (std::int64_t{1} << z.swizzle_len) - 1;
  chunk ^= z.inner ? (chunk >> z.atom_len) & mask : (chunk & mask) << z.atom_len;
  return (chunk << z.per_element) + low;
}

int members_of(ir::ExecScope scope, std::int64_t threads) {
  switch (scope) {
    case ir::ExecScope::Thread: return 1;
    case ir::ExecScope::Warp: return 32;
    case ir::ExecScope::Warpgroup: return 128;
    case ir::ExecScope::Cta: return static_cast<int>(threads);
    case ir::ExecScope::Cluster: break;
  }
  throw Unmodelled("cluster scope");
}

}  // namespace

Meaning::Meaning(const ir::Kernel& kernel, const scope::Launch& launch, std::map<std::string, std::int64_t> extents)
    : kernel_(kernel), extents_(std::move(extents)) {
  for (int i = 0; i < 3; ++i) {
    if (launch.grid[i]) grid_[i] = value(launch.grid[i], 0);
    if (launch.block[i]) block_[i] = value(launch.block[i], 0);
    if (launch.has_cluster && launch.cluster[i]) cluster_[i] = value(launch.cluster[i], 0);
  }
}

std::int64_t Meaning::scope_id(ir::ScopeBinding binding, int dimension, int thread) const {
  using B = ir::ScopeBinding;
  switch (binding) {
    case B::KernelCta: return cta_[dimension];
    case B::ClusterCta: return cta_[dimension] % cluster_[dimension];
    case B::KernelCluster: return cta_[dimension] / cluster_[dimension];
    case B::CtaWarpgroup: return thread / 128;
    case B::CtaWarp: return thread / 32;
    case B::WarpgroupWarp: return thread / 32 % 4;
    case B::WarpThread: return thread % 32;
    case B::WarpgroupThread: return thread % 128;
    case B::CtaThread:
      return dimension == 0   ? thread % block_[0]
             : dimension == 1 ? thread / block_[0] % block_[1]
                              : thread / (block_[0] * block_[1]);
    default: throw Unmodelled("a scope id");
  }
}

std::int64_t Meaning::axis_of(layout::Axis axis, int thread) {
  switch (axis) {
    case layout::Axis::laneid: return thread % 32;
    case layout::Axis::warpid: return thread / 32;
    case layout::Axis::wgid: return thread / 128;
    case layout::Axis::wid_in_wg: return thread / 32 % 4;
    case layout::Axis::tid_in_wg: return thread % 128;
    case layout::Axis::tx: return thread;
    default: throw Unmodelled("axis " + std::string(layout::axis_name(axis)));
  }
}

std::int64_t Meaning::value(Expr e, int thread) const {
  if (const std::int64_t* c = ir::constant(e)) return *c;
  if (const auto* v = e.as<ir::Var>()) {
    if (auto it = loops_.find(v); it != loops_.end()) return it->second;
    if (auto it = lets_.find(v); it != lets_.end()) return value(it->second, thread);
    if (v->role == ir::VarRole::ScopeId) return scope_id(v->scope_id, v->dimension, thread);
    if (auto it = extents_.find(std::string(v->name)); it != extents_.end()) return it->second;
    throw Unmodelled("variable " + std::string(v->name));
  }
  if (const auto* c = e.as<ir::Cast>()) return value(c->value, thread);
  if (const auto* u = e.as<ir::Unary>(); u && e.kind() == ExprKind::Not) return !value(u->a, thread);
  if (const auto* s = e.as<ir::Select>())
    return value(s->condition, thread) ? value(s->when_true, thread) : value(s->when_false, thread);
  if (const auto* c = e.as<ir::Call>()) {
    // Any one lane of a warp: copies in one thread do not depend on which.
    if (c->callee->name == "ptx.elect_sync") return thread % 32 == 0;
    throw Unmodelled("a call of " + std::string(c->callee->name));
  }
  const auto* b = e.as<ir::Binary>();
  if (!b) throw Unmodelled("expression " + ir::to_string(e));
  std::int64_t x = value(b->a, thread);
  if (e.kind() == ExprKind::And && !x) return 0;
  if (e.kind() == ExprKind::Or && x) return 1;
  std::int64_t y = value(b->b, thread);
  switch (e.kind()) {
    case ExprKind::Add: return x + y;
    case ExprKind::Sub: return x - y;
    case ExprKind::Mul: return x * y;
    case ExprKind::FloorDiv: return floor_div(x, y);
    case ExprKind::FloorMod: return x - floor_div(x, y) * y;
    case ExprKind::TruncDiv: return x / y;
    case ExprKind::TruncMod: return x % y;
    case ExprKind::Min: return std::min(x, y);
    case ExprKind::Max: return std::max(x, y);
    case ExprKind::EQ: return x == y;
    case ExprKind::NE: return x != y;
    case ExprKind::LT: return x < y;
    case ExprKind::LE: return x <= y;
    case ExprKind::GT: return x > y;
    case ExprKind::GE: return x >= y;
    case ExprKind::And:
    case ExprKind::Or: return y != 0;
    case ExprKind::BitAnd: return x & y;
    case ExprKind::BitOr: return x | y;
    case ExprKind::BitXor: return x ^ y;
    case ExprKind::Shl: return x << y;
    case ExprKind::Shr: return x >> y;
    default: throw Unmodelled("expression " + ir::to_string(e));
  }
}

Meaning::Place Meaning::place(const ir::Buffer& buffer, const std::vector<std::int64_t>& coordinate, int thread) const {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < buffer.rank(); ++d) number = number * value(buffer.shape[d], thread) + coordinate[d];
  Place out{number, {}};
  const layout::Layout* l = buffer.layout;
  if (l && l->tile) {
    auto number_of = [&](const layout::Dim& d) { return d.is_constant() ? d.value() : value(d.expr(), thread); };
    if (!l->tile->replica.empty()) throw Unmodelled("replicas");
    std::map<layout::Axis, std::int64_t> at;
    at[layout::Axis::m] = 0;
    for (std::size_t i = l->tile->shard.size(); i-- > 0;) {
      const layout::Iter& it = l->tile->shard[i];
      std::int64_t extent = number_of(it.extent);
      at[it.axis] += number % extent * number_of(it.stride);
      number /= extent;
    }
    for (const auto& [axis, offset] : l->tile->offset) at[axis] += number_of(offset);
    out.byte = at[layout::Axis::m];
    for (const auto& [axis, v] : at) {
      if (layout::is_thread_axis(axis)) out.threads.emplace_back(axis, v);
    }
  }
  if (l && l->swizzle) out.byte = swizzled(*l->swizzle, out.byte);
  if (buffer.elem_offset) out.byte += value(buffer.elem_offset, thread);
  out.byte *= buffer.dtype.storage_bits() / 8;
  return out;
}

std::vector<std::int64_t> Meaning::tensor_shape(const ir::Buffer& tensor) const {
  std::vector<std::int64_t> out;
  for (Expr e : tensor.shape) out.push_back(value(e, 0));
  return out;
}

std::int64_t Meaning::tensor_bytes(const ir::Buffer& tensor) const {
  std::vector<std::int64_t> shape = tensor_shape(tensor), at(shape.size());
  std::int64_t count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()), last = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t rest = n;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) at[d] = rest % shape[d];
    last = std::max(last, place(tensor, at, 0).byte);
  }
  return last + tensor.dtype.storage_bits() / 8;
}

void Meaning::run() {
  std::map<std::string, const ir::Buffer*> by_name;
  for (const ir::Param& p : kernel_.params) {
    if (p.buffer) by_name.emplace(p.buffer->name, p.buffer);
  }
  std::uint32_t next = 1;
  for (const auto& [name, tensor] : by_name) {
    Bytes& bytes = globals_[tensor->data];
    bytes.resize(static_cast<std::size_t>(tensor_bytes(*tensor)));
    std::iota(bytes.begin(), bytes.end(), next);
    next += static_cast<std::uint32_t>(bytes.size());
  }
  Members everybody(static_cast<std::size_t>(block_[0] * block_[1] * block_[2]));
  std::iota(everybody.begin(), everybody.end(), 0);
  for (cta_[2] = 0; cta_[2] < grid_[2]; ++cta_[2]) {
    for (cta_[1] = 0; cta_[1] < grid_[1]; ++cta_[1]) {
      for (cta_[0] = 0; cta_[0] < grid_[0]; ++cta_[0]) {
        shared_.clear();
        locals_.clear();
        statement(kernel_.body, everybody);
      }
    }
  }
}

void Meaning::statement(const ir::Stmt* s, const Members& active) {
  if (!s || active.empty()) return;
  switch (s->kind) {
    case ir::StmtKind::Seq:
      for (const ir::Stmt* child : static_cast<const ir::Seq*>(s)->body) statement(child, active);
      return;
    case ir::StmtKind::Attr: return statement(static_cast<const ir::Attr*>(s)->body, active);
    case ir::StmtKind::Bind: {
      const auto* b = static_cast<const ir::Bind*>(s);
      lets_[b->var] = b->value;
      return;
    }
    case ir::StmtKind::For: {
      const auto* f = static_cast<const ir::For*>(s);
      if (f->step) throw Unmodelled("a step");
      std::int64_t begin = value(f->min, active[0]), count = value(f->extent, active[0]);
      for (std::int64_t i = 0; i < count; ++i) {
        loops_[f->var] = begin + i;
        statement(f->body, active);
      }
      loops_.erase(f->var);
      return;
    }
    case ir::StmtKind::If: {
      const auto* i = static_cast<const ir::If*>(s);
      Members yes, no;
      for (int t : active) (value(i->condition, t) ? yes : no).push_back(t);
      statement(i->then_body, yes);
      statement(i->else_body, no);
      return;
    }
    case ir::StmtKind::TileCall: return copy(*static_cast<const ir::TileCall*>(s), active);
    case ir::StmtKind::Alloc:
    case ir::StmtKind::Decl:
    case ir::StmtKind::ScopeIds:
    case ir::StmtKind::DeviceEntry:
    case ir::StmtKind::Evaluate:  // barriers: here everybody finishes a statement before the next begins
    case ir::StmtKind::Comment: return;
    default: throw Unmodelled("a statement");
  }
}

void Meaning::copy(const ir::TileCall& call, const Members& active) {
  if (call.primitive != "copy") throw Unmodelled(std::string(call.primitive));
  int size = members_of(call.scope, block_[0] * block_[1] * block_[2]);
  for (std::size_t i = 0; i < active.size();) {  // every instance of the scope that somebody reached
    int first = active[i] / size * size;
    Members members(static_cast<std::size_t>(size));
    std::iota(members.begin(), members.end(), first);
    copy_once(call, members, active[i]);
    while (i < active.size() && active[i] < first + size) ++i;
  }
}

std::vector<std::uint32_t*> Meaning::find(const ir::Buffer& buffer, const std::vector<std::int64_t>& coordinate,
                                          const ir::TileCall& call, const Members& members, int leader) {
  Place p = place(buffer, coordinate, leader);
  std::size_t end = static_cast<std::size_t>(p.byte + buffer.dtype.storage_bits() / 8);
  auto in = [&](Bytes& bytes, bool grows) {
    if (end > bytes.size()) {
      if (!grows) throw std::runtime_error("the script leaves tensor " + std::string(buffer.name));
      bytes.resize(end);
    }
    return bytes.data() + p.byte;
  };
  if (buffer.scope == ir::StorageScope::Global) return {in(globals_[buffer.data], false)};
  if (ir::is_shared(buffer.scope)) return {in(shared_[buffer.data], true)};
  if (buffer.scope != ir::StorageScope::Local) throw Unmodelled("storage of " + std::string(buffer.name));
  if (p.threads.empty()) {
    if (call.scope != ir::ExecScope::Thread) throw Unmodelled("private registers at a cooperative scope");
    return {in(locals_[{buffer.data, leader}], true)};
  }
  std::vector<std::uint32_t*> out;
  for (int t : members) {
    bool owner = std::ranges::all_of(p.threads, [&](const auto& a) { return axis_of(a.first, t) == a.second; });
    if (owner) out.push_back(in(locals_[{buffer.data, t}], true));
  }
  if (out.empty()) throw std::runtime_error("no thread holds an element of " + std::string(buffer.name));
  return out;
}

void Meaning::copy_once(const ir::TileCall& call, const Members& members, int leader) {
  const ir::Region &dst = call.args[0].region, &src = call.args[1].region;
  struct Side {
    const ir::Region& region;
    std::vector<std::int64_t> start, extent;
    std::vector<std::size_t> wide;  // dimensions of more than one element
  };
  auto side = [&](const ir::Region& r) {
    Side s{r, {}, {}, {}};
    for (const ir::Range& range : r.ranges) {
      s.start.push_back(value(range.min, leader));
      s.extent.push_back(value(range.extent, leader));
      if (s.extent.back() != 1) s.wide.push_back(s.extent.size() - 1);
    }
    return s;
  };
  Side to = side(dst), from = side(src);
  std::int64_t count = std::accumulate(to.extent.begin(), to.extent.end(), std::int64_t{1}, std::multiplies<>());
  int width = dst.buffer->dtype.storage_bits() / 8;
  auto coordinate = [](const Side& s, std::int64_t n) {
    std::vector<std::int64_t> at = s.start;
    for (std::size_t k = s.wide.size(); k-- > 0;) {
      at[s.wide[k]] += n % s.extent[s.wide[k]];
      n /= s.extent[s.wide[k]];
    }
    return at;
  };
  // All is read before anything is written.
  std::vector<std::uint32_t> moving(static_cast<std::size_t>(count * width));
  for (std::int64_t n = 0; n < count; ++n) {
    const std::uint32_t* bytes = find(*src.buffer, coordinate(from, n), call, members, leader)[0];
    std::copy_n(bytes, width, moving.begin() + n * width);
    read_undefined_ |= bytes[0] == 0;
  }
  for (std::int64_t n = 0; n < count; ++n) {
    for (std::uint32_t* bytes : find(*dst.buffer, coordinate(to, n), call, members, leader)) {
      std::copy_n(moving.begin() + n * width, width, bytes);
    }
  }
  elements_ += count;
}

}  // namespace tilewright::testing

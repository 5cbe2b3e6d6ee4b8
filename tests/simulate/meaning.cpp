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
  threads_ = static_cast<int>(block_[0] * block_[1] * block_[2]);
}

std::int64_t Meaning::scope_id(ir::ScopeBinding binding, int dimension, int thread) const {
  using B = ir::ScopeBinding;
  std::int64_t in_cluster = rank_of(thread);
  for (int d = 0; d < dimension; ++d) in_cluster /= cluster_[d];
  in_cluster %= cluster_[dimension];
  thread %= threads_;
  switch (binding) {
    case B::KernelCta: return first_cta_[dimension] + in_cluster;
    case B::ClusterCta: return in_cluster;
    case B::KernelCluster: return first_cta_[dimension] / cluster_[dimension];
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

std::int64_t Meaning::axis_of(layout::Axis axis, int thread) const {
  thread %= threads_;
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
    std::vector<std::int64_t> copies{0};  // lane distances of the replicas
    for (const layout::Iter& it : l->tile->replica) {
      if (it.axis != layout::Axis::TLane) throw Unmodelled("replicas");
      std::vector<std::int64_t> more;
      for (std::int64_t n = 0; n < number_of(it.extent); ++n)
        for (std::int64_t c : copies) more.push_back(c + n * number_of(it.stride));
      copies = std::move(more);
    }
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
    if (buffer.scope == ir::StorageScope::Tmem) {
      for (std::int64_t c : copies) out.lanes.push_back(at[layout::Axis::TLane] + c);
      out.byte = at[layout::Axis::TCol] * buffer.dtype.storage_bits() / 8;
      // The address counts columns of 4 bytes; what the allocation gave stands for column 0.
      if (const auto* sum = buffer.allocated_addr.as<ir::Binary>();
          sum && buffer.allocated_addr.kind() == ExprKind::Add)
        out.byte += value(sum->b, thread) * 4;
      return out;
    }
    if (!l->tile->replica.empty()) throw Unmodelled("replicas");
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
  for (first_cta_[2] = 0; first_cta_[2] < grid_[2]; first_cta_[2] += cluster_[2]) {
    for (first_cta_[1] = 0; first_cta_[1] < grid_[1]; first_cta_[1] += cluster_[1]) {
      for (first_cta_[0] = 0; first_cta_[0] < grid_[0]; first_cta_[0] += cluster_[0]) run_cluster();
    }
  }
}

void Meaning::run_cluster() {
  shared_.clear();
  locals_.clear();
  tmem_.clear();
  Members everybody(static_cast<std::size_t>(threads_ * cluster_[0] * cluster_[1] * cluster_[2]));
  std::iota(everybody.begin(), everybody.end(), 0);
  statement(kernel_.body, everybody);
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
    case ir::StmtKind::Store: return store(*static_cast<const ir::Store*>(s), active);
    case ir::StmtKind::TileCall: return copy(*static_cast<const ir::TileCall*>(s), active);
    case ir::StmtKind::Alloc:
    case ir::StmtKind::Decl:
    case ir::StmtKind::ScopeIds:
    case ir::StmtKind::DeviceEntry:
    case ir::StmtKind::Evaluate:  // barriers: here all threads finish a statement before the next begins
    case ir::StmtKind::Comment: return;
    default: throw Unmodelled("a statement");
  }
}

void Meaning::copy(const ir::TileCall& call, const Members& active) {
  if (call.primitive != "copy" && call.primitive != "copy_async") throw Unmodelled(std::string(call.primitive));
  int size = members_of(call.scope, threads_);
  for (std::size_t i = 0; i < active.size();) {  // every instance of the scope that a thread reached
    int first = active[i] / size * size;
    Members members(static_cast<std::size_t>(size));
    std::iota(members.begin(), members.end(), first);
    copy_once(call, members, active[i]);
    while (i < active.size() && active[i] < first + size) ++i;
  }
}

bool Meaning::outside(const ir::Buffer& buffer, const std::vector<std::int64_t>& coordinate, int thread) const {
  if (buffer.scope != ir::StorageScope::Global) return false;
  for (std::size_t d = 0; d < buffer.rank(); ++d)
    if (coordinate[d] < 0 || coordinate[d] >= value(buffer.shape[d], thread)) return true;
  return false;
}

std::vector<std::uint32_t*> Meaning::find(const ir::Buffer& buffer, const std::vector<std::int64_t>& coordinate,
                                          ir::ExecScope scope, const std::vector<int>& ctas, const Members& members,
                                          int leader) {
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
  std::vector<std::uint32_t*> out;
  if (ir::is_shared(buffer.scope)) {
    for (int cta : ctas) out.push_back(in(shared_[{buffer.data, cta}], true));
    return out;
  }
  if (buffer.scope == ir::StorageScope::Tmem) {
    Bytes& cells = tmem_[rank_of(leader)];
    cells.resize(128 * 2048);
    for (std::int64_t lane : p.lanes) out.push_back(cells.data() + lane * 2048 + p.byte);
    return out;
  }
  if (buffer.scope != ir::StorageScope::Local) throw Unmodelled("storage of " + std::string(buffer.name));
  if (p.threads.empty()) {
    if (scope != ir::ExecScope::Thread) throw Unmodelled("private registers at a cooperative scope");
    return {in(locals_[{buffer.data, leader}], true)};
  }
  for (int t : members) {
    bool owner = std::ranges::all_of(p.threads, [&](const auto& a) { return axis_of(a.first, t) == a.second; });
    if (owner) out.push_back(in(locals_[{buffer.data, t}], true));
  }
  if (out.empty()) throw std::runtime_error("no thread holds an element of " + std::string(buffer.name));
  return out;
}

void Meaning::copy_once(const ir::TileCall& call, const Members& members, int leader) {
  auto side = [&](const ir::Region& r) {
    Side s{r, {rank_of(leader)}};
    for (const ir::Range& range : r.ranges) {
      s.start.push_back(value(range.min, leader));
      s.extent.push_back(value(range.extent, leader));
      if (s.extent.back() != 1) s.wide.push_back(s.extent.size() - 1);
    }
    return s;
  };
  Side to = side(call.args[0].region), from = side(call.args[1].region);
  for (const ir::ConfigItem& item : call.config) {
    if (item.key == "remote_cta_id") to.ctas = {static_cast<int>(value(item.value.value, leader))};
    for (std::string_view other : {"use_tma_reduce", "oob", "predicate"})
      if (item.key == other) throw Unmodelled(std::string(item.key));
    if (item.key != "cta_mask") continue;
    const std::int64_t mask = value(item.value.value, leader);
    if (mask) to.ctas.clear();
    for (int cta = 0; cta < 16; ++cta)
      if (mask >> cta & 1) to.ctas.push_back(cta);
  }
  const ir::Buffer &dst = *to.region.buffer, &src = *from.region.buffer;
  std::int64_t count = std::accumulate(to.extent.begin(), to.extent.end(), std::int64_t{1}, std::multiplies<>());
  int width = dst.dtype.storage_bits() / 8;
  auto coordinate = [](const Side& s, std::int64_t n) {
    std::vector<std::int64_t> at = s.start;
    for (std::size_t k = s.wide.size(); k-- > 0;) {
      at[s.wide[k]] += n % s.extent[s.wide[k]];
      n /= s.extent[s.wide[k]];
    }
    return at;
  };
  // All is read before anything is written.
  std::vector<std::uint32_t> moving(static_cast<std::size_t>(count * width), kZero);
  for (std::int64_t n = 0; n < count; ++n) {
    const std::vector<std::int64_t> at = coordinate(from, n);
    if (outside(src, at, leader)) continue;
    const std::uint32_t* bytes = find(src, at, call.scope, from.ctas, members, leader)[0];
    std::copy_n(bytes, width, moving.begin() + n * width);
    read_undefined_ |= bytes[0] == 0;
  }
  for (std::int64_t n = 0; n < count; ++n) {
    const std::vector<std::int64_t> at = coordinate(to, n);
    if (outside(dst, at, leader)) continue;
    for (std::uint32_t* bytes : find(dst, at, call.scope, to.ctas, members, leader)) {
      std::copy_n(moving.begin() + n * width, width, bytes);
    }
  }
  elements_ += count;
}

// One element from memory to memory, or a zero, by every thread.
void Meaning::store(const ir::Store& store, const Members& active) {
  const auto* load = store.value.as<ir::Load>();
  const auto* number = store.value.as<ir::FloatImm>();
  if (number && number->value == 0) {
    for (int t : active) {
      std::vector<std::int64_t> at;
      for (Expr e : store.indices) at.push_back(value(e, t));
      for (std::uint32_t* bytes : find(*store.buffer, at, ir::ExecScope::Thread, {rank_of(t)}, {t}, t))
        std::fill_n(bytes, store.buffer->dtype.storage_bits() / 8, kZero);
    }
    return;
  }
  if (!load || load->dtype != store.buffer->dtype || load->dtype.lanes != 1) throw Unmodelled("a store");
  auto coordinate = [&](std::span<const Expr> indices, int thread) {
    std::vector<std::int64_t> out;
    for (Expr e : indices) out.push_back(value(e, thread));
    return out;
  };
  const auto width = static_cast<std::size_t>(load->dtype.storage_bits() / 8);
  std::vector<std::uint32_t> moving(active.size() * width);
  for (std::size_t i = 0; i < active.size(); ++i) {
    const int t = active[i];
    const std::uint32_t* bytes =
        find(*load->buffer, coordinate(load->indices, t), ir::ExecScope::Thread, {rank_of(t)}, {t}, t)[0];
    std::copy_n(bytes, width, moving.begin() + static_cast<std::ptrdiff_t>(i * width));
    read_undefined_ |= bytes[0] == 0;
  }
  for (std::size_t i = 0; i < active.size(); ++i) {
    const int t = active[i];
    for (std::uint32_t* bytes :
         find(*store.buffer, coordinate(store.indices, t), ir::ExecScope::Thread, {rank_of(t)}, {t}, t))
      std::copy_n(moving.begin() + static_cast<std::ptrdiff_t>(i * width), width, bytes);
  }
  elements_ += static_cast<std::int64_t>(active.size());
}

}  // namespace tilewright::testing

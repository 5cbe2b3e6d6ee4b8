#include "compiler/dispatch/blocks/tile_views.h"

#include <algorithm>

#include "compiler/dispatch/blocks/iters.h"
#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/forms.h"

namespace tilewright::dispatch::tile {

using ir::Expr;
using layout::Axis;
using scope::ActiveAxis;

namespace {

std::string text_of(const Index& index) {
  std::string out;
  for (std::int64_t i : index) out += cat(out.empty() ? "" : ", ", i);
  return cat("(", out, index.size() == 1 ? ",)" : ")");
}

std::optional<ir::ScopeBinding> binding_of(ActiveAxis axis) {
  switch (axis) {
    case ActiveAxis::laneid: return ir::ScopeBinding::WarpThread;
    case ActiveAxis::warpid: return ir::ScopeBinding::CtaWarp;
    case ActiveAxis::wid_in_wg: return ir::ScopeBinding::WarpgroupWarp;
    case ActiveAxis::cta_id:
    case ActiveAxis::cbx:
    case ActiveAxis::cby:
    case ActiveAxis::cbz: return ir::ScopeBinding::ClusterCta;
    default: return std::nullopt;
  }
}

int dimension_of(ActiveAxis axis) { return axis == ActiveAxis::cby ? 1 : axis == ActiveAxis::cbz ? 2 : 0; }

std::optional<Axis> layout_axis(ActiveAxis axis) {
  switch (axis) {
    case ActiveAxis::laneid: return Axis::laneid;
    case ActiveAxis::warpid: return Axis::warpid;
    case ActiveAxis::wid_in_wg: return Axis::wid_in_wg;
    case ActiveAxis::cta_id:
    case ActiveAxis::cbx: return Axis::cbx;
    case ActiveAxis::cby: return Axis::cby;
    case ActiveAxis::cbz: return Axis::cbz;
    default: return std::nullopt;
  }
}

// Values on the axes of threads, in the words of the group: flat counts of threads are split, and warps are counted as
// the group counts them.
using Owners = std::vector<std::pair<Axis, std::int64_t>>;

std::int64_t& on(Owners& owners, Axis axis) {
  for (auto& [a, value] : owners) {
    if (a == axis) return value;
  }
  return owners.emplace_back(axis, 0).second;
}

std::optional<std::int64_t> take(Owners& owners, Axis axis) {
  auto found = std::ranges::find(owners, axis, &Owners::value_type::first);
  if (found == owners.end()) return std::nullopt;
  const std::int64_t value = found->second;
  owners.erase(found);
  return value;
}

void count_as(Owners& owners, const Owners& expected) {
  for (auto [flat, warps] : {std::pair{Axis::tx, Axis::warpid}, std::pair{Axis::tid_in_wg, Axis::wid_in_wg}}) {
    if (auto value = take(owners, flat)) {
      on(owners, warps) += *value / 32;
      on(owners, Axis::laneid) += *value % 32;
    }
  }
  auto has = [](const Owners& all, Axis axis) {
    return std::ranges::find(all, axis, &Owners::value_type::first) != all.end();
  };
  if (has(expected, Axis::warpid) && has(owners, Axis::wid_in_wg)) {
    const std::int64_t warp = *take(owners, Axis::wid_in_wg), group = take(owners, Axis::wgid).value_or(0);
    on(owners, Axis::warpid) += warp + 4 * group;
  } else if (has(expected, Axis::wid_in_wg) && has(owners, Axis::warpid)) {
    const std::int64_t warp = *take(owners, Axis::warpid);
    on(owners, Axis::wid_in_wg) += warp % 4;
    on(owners, Axis::wgid) += warp / 4;
  }
}

}  // namespace

Index Group::shape() const {
  Index out;
  for (const GroupAxis& a : axes) out.push_back(a.extent);
  return out;
}

std::vector<Index> Group::members() const { return indices_below(shape()); }

std::vector<Index> indices_below(const Index& extents) {
  std::vector<Index> out;
  const std::int64_t count = product(extents);
  for (std::int64_t n = 0; n < count; ++n) {
    Index index(extents.size());
    std::int64_t rest = n;
    for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d]) index[d] = rest % extents[d];
    out.push_back(std::move(index));
  }
  return out;
}

std::string_view instruction_of(const CallContext& context) {
  const auto* text = option(context.call, "instruction").as<ir::StringImm>();
  return text ? text->value : std::string_view();
}

void tell_repetition(std::vector<std::string>& told, const Index& repeat, const std::string& what) {
  constexpr std::size_t kMost = 8;
  if (told.size() > kMost) return;
  if (told.size() == kMost) {
    told.push_back("...");
    return;
  }
  std::string which;
  for (std::int64_t i : repeat) which += cat(which.empty() ? "" : ", ", i);
  told.push_back(cat(repeat.empty() ? "once" : cat("repetition ", which), ": ", what));
}

void tell_repetitions(Plan& plan, std::string_view instruction, const Group& group, const Index& repeats) {
  const std::size_t count = indices_below(repeats).size();
  plan.fact("repetitions", static_cast<std::int64_t>(count));
  if (!group.axes.empty()) plan.facts.push_back({"group", group.shape()});
  plan.facts.push_back({"repeat", repeats});
  plan.summary = cat("apply ", instruction, ", ", count, " times");
}

std::expected<Group, Reason> group_of(CallContext& context, bool by_warp) {
  const scope::CallScope& s = context.scope;
  if (!s.failure.empty()) return std::unexpected(s.failure);
  if (!s.tracked) return std::unexpected("the threads of the launch are known only at run time");
  const scope::ActiveRange* lanes = scope::find(s.intra, ActiveAxis::laneid);
  if (by_warp) {
    if (s.kind == ir::ExecScope::Thread)
      return std::unexpected("the instruction is one of a whole warp: write scope=\"warp\" or a wider one");
    if (!lanes || lanes->extent != 32 || lanes->offset != 0 || lanes->elected)
      return std::unexpected("the instruction needs all 32 lanes of a warp, and not all of them get here");
  }
  Group out;
  for (ActiveAxis axis : {ActiveAxis::cta_id, ActiveAxis::cbz, ActiveAxis::cby, ActiveAxis::cbx, ActiveAxis::warpid,
                          ActiveAxis::wid_in_wg, ActiveAxis::laneid}) {
    const scope::ActiveRange* range = scope::find(s.intra, axis);
    if (!range || (axis == ActiveAxis::laneid && by_warp)) continue;
    if (range->elected || range->stride != 1)
      return std::unexpected(cat("the threads that get here are no row of neighbours on ", scope::axis_name(axis)));
    Expr coordinate = 0;
    if (range->extent > 1) {
      coordinate = context.scope_id(*binding_of(axis), dimension_of(axis));
      if (range->offset != 0) coordinate = ir::simplify(coordinate - Expr(range->offset));
    }
    out.axes.push_back({axis, range->extent, range->offset, coordinate});
  }
  return out;
}

std::expected<View, Reason> View::of(std::string_view name, const ir::Operand& operand, const Group& group, Index atom,
                                     std::optional<Index>& repeats, std::optional<std::vector<std::size_t>> axes) {
  View v;
  v.name_ = name;
  v.region_ = &operand.region;
  if (!operand.region.buffer) return std::unexpected(cat(name, " is no tensor and no region of one"));
  const ir::Buffer& buffer = *operand.region.buffer;
  for (Expr extent : buffer.shape) v.shape_.push_back(layout::Dim(extent));
  v.row_major_ = layout::row_major(v.shape_);
  v.layout_ = buffer.layout;
  v.atom_ = std::move(atom);
  Index shape;
  for (const ir::Range& r : operand.region.ranges) {
    const std::int64_t* extent = ir::constant(ir::simplify(r.extent));
    if (!extent || *extent < 1)
      return std::unexpected(cat(name, " has an extent that is not known: ", ir::to_string(operand.region)));
    shape.push_back(*extent);
  }
  const Index threads = group.shape();
  const std::size_t ng = threads.size(), na = v.atom_.size();
  if (shape.size() < ng + na || !std::equal(threads.begin(), threads.end(), shape.begin()))
    return std::unexpected(
        cat(name, " begins with the threads of the scope ", text_of(threads), "; its shape is ", text_of(shape)));
  if (!std::equal(v.atom_.begin(), v.atom_.end(), shape.end() - static_cast<std::ptrdiff_t>(na)))
    return std::unexpected(
        cat(name, " ends with what one instruction takes ", text_of(v.atom_), "; its shape is ", text_of(shape)));
  const Index own(shape.begin() + static_cast<std::ptrdiff_t>(ng), shape.end() - static_cast<std::ptrdiff_t>(na));
  if (!repeats) repeats = own;
  if (axes) {
    v.axes_ = std::move(*axes);
  } else {
    for (std::size_t i = 0; i < repeats->size(); ++i) v.axes_.push_back(i);
  }
  Index expected;
  for (std::size_t i : v.axes_) expected.push_back((*repeats)[i]);
  if (own != expected)
    return std::unexpected(cat(name, " is repeated ", text_of(own), ", and the views before it ", text_of(expected)));
  constexpr std::int64_t kMost = 4096;  // all are written out
  if (product(*repeats) > kMost)
    return std::unexpected(
        cat("the instruction is repeated ", product(*repeats), " times; ", kMost, " are written out"));
  for (const GroupAxis& a : group.axes) v.group_coordinates_.push_back(a.coordinate);
  return v;
}

std::string_view View::spoken() const {
  const std::string_view name = ir::spoken_name(buffer());
  return name.empty() ? std::string_view("the view") : name;
}

int View::bits() const { return buffer().dtype.storage_bits() * buffer().dtype.lanes; }

Reason View::not_in(std::initializer_list<ir::StorageScope> scopes) const {
  if (std::ranges::find(scopes, buffer().scope) != scopes.end()) return {};
  return cat(name_, " must be in ", ir::storage_scope_name(*scopes.begin()), " memory, ", spoken(), " is in ",
             ir::storage_scope_name(buffer().scope));
}

Reason View::not_bits(int wanted) const {
  if (bits() == wanted) return {};
  return cat(name_, " takes elements of ", wanted, " bits, ", spoken(), " has ", bits(), ": view it as another dtype");
}

std::vector<Expr> View::coordinates(std::span<const Expr> member, const Index& repeat,
                                    std::span<const Expr> atom) const {
  std::vector<Expr> out;
  std::size_t d = 0;
  auto add = [&](Expr offset) { out.push_back(ir::simplify(region_->ranges[d++].min + offset)); };
  for (Expr e : member) add(e);
  for (std::size_t i : axes_) add(Expr(repeat[i]));
  for (Expr e : atom) add(e);
  return out;
}

std::vector<Expr> View::element(const Index& repeat, std::span<const Expr> atom) const {
  return coordinates(group_coordinates_, repeat, atom);
}

Expr View::pointer(const Index& repeat, std::span<const Expr> atom) const {
  const Expr element[] = {ir::load(region_->buffer, this->element(repeat, atom))};
  return ir::call(ir::kHandle, ir::builtin::address_of, element);
}

std::expected<layout::Coordinates, Reason> View::place(const Index& member, const Index& repeat,
                                                       const Index& atom) const {
  std::vector<Expr> of_member(member.begin(), member.end()), of_atom(atom.begin(), atom.end());
  const std::vector<Expr> at = coordinates(of_member, repeat, of_atom);
  const layout::Layout& l = layout_ ? *layout_ : row_major_;
  Index numbers;
  for (Expr e : at) {
    if (const std::int64_t* n = ir::constant(e)) numbers.push_back(*n);
  }
  if (numbers.size() == at.size()) {
    auto placed = layout::apply(l, numbers, shape_);
    if (!placed) return std::unexpected(std::move(placed.error().message));
    layout::Coordinates out;
    for (auto [axis, value] : *placed) out.emplace_back(axis, Expr(value));
    return out;
  }
  auto placed = layout::apply(l, at, shape_);
  if (!placed) return std::unexpected(std::move(placed.error().message));
  for (auto& [axis, value] : *placed) value = ir::simplify(value);
  return *placed;
}

std::string View::at(const Index& repeat, const Index& atom) const {
  return cat(name_, repeat.empty() ? std::string() : cat(", repetition ", text_of(repeat)),
             atom.empty() ? std::string() : cat(", element ", text_of(atom)));
}

std::expected<Expr, Reason> View::owned_register(const Group& group, const Index& member, int lane, const Index& repeat,
                                                 const Index& atom) const {
  auto placed = place(member, repeat, atom);
  if (!placed) return std::unexpected(std::move(placed.error()));
  Owners owners, expected;
  Expr m = 0;
  for (auto [axis, value] : *placed) {
    if (axis == Axis::m) {
      m = value;
      continue;
    }
    const std::int64_t* n = ir::constant(value);
    if (!n) return std::unexpected(cat(at(repeat, atom), ": which thread holds it is known only at run time"));
    owners.emplace_back(axis, *n);
  }
  for (std::size_t i = 0; i < group.axes.size(); ++i) {
    const GroupAxis& a = group.axes[i];
    if (auto axis = layout_axis(a.axis)) expected.emplace_back(*axis, member[i] + a.offset);
  }
  if (lane >= 0) expected.emplace_back(Axis::laneid, lane);
  count_as(owners, expected);
  for (auto [axis, value] : expected) {
    const std::int64_t is = take(owners, axis).value_or(0);
    if (is == value) continue;
    return std::unexpected(cat(at(repeat, atom), " belongs to ", layout::axis_name(axis), " ", value,
                               ", and the layout of ", spoken(), " gives it to ", is));
  }
  for (auto [axis, value] : owners) {
    if (value != 0)
      return std::unexpected(cat(at(repeat, atom), ": the layout of ", spoken(), " spreads it over ",
                                 layout::axis_name(axis), ", which the scope of the call does not"));
  }
  return m;
}

Reason View::differs(Expr a, Expr b, const Index& repeat, const Index& atom) const {
  if (ir::same_node(a, b) || ir::provably_equal(a, b)) return {};
  return cat(at(repeat, atom), " is in register ", ir::to_string(a), " of one thread and in ", ir::to_string(b),
             " of another");
}

Reason View::not_contiguous(const Group& group, const Index& repeat, std::span<const Index> atoms, int bytes) const {
  if (buffer().align < bytes || buffer().align % bytes != 0)
    return cat(name_, " needs a base that is a multiple of ", bytes, " bytes, ", spoken(),
               " has align=", buffer().align);
  for (const Index& member : group.members()) {
    std::optional<Expr> first;
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      auto placed = place(member, repeat, atoms[i]);
      if (!placed) return std::move(placed.error());
      Expr m = 0;
      for (auto [axis, value] : *placed) {
        if (axis == Axis::m)
          m = value;
        else if (!ir::is_constant(value, 0))
          return cat(at(repeat, atoms[i]), " has an axis of threads or of tensor memory");
      }
      if (!first) {
        first = m;
        if (!ir::provably_divisible(ir::simplify(m * Expr(bits())), 8 * bytes))
          return cat(at(repeat, atoms[i]), " begins at element ", ir::to_string(m), " of ", spoken(),
                     ", which is not known to be a multiple of ", bytes, " bytes");
      } else if (!ir::provably_equal(m, *first + Expr(static_cast<std::int64_t>(i)))) {
        return cat(at(repeat, atoms[i]), " lies at element ", ir::to_string(m), " of ", spoken(), ", ",
                   ir::to_string(ir::simplify(m - *first)), " after the first; the instruction takes neighbours");
      }
    }
  }
  return {};
}

Reason View::overlaps(const std::vector<Expr>& registers) const {
  std::vector<std::int64_t> seen;
  for (Expr m : registers) {
    const std::int64_t* n = ir::constant(m);
    if (!n) return {};
    if (std::ranges::find(seen, *n) != seen.end())
      return cat(name_, " is written, and two of its elements share register ", *n, " of ", spoken());
    seen.push_back(*n);
  }
  return {};
}

// ---- the instruction ----------------------------------------------------------------------------------------------

std::expected<Expr, Reason> instruction_call(CallContext& context, std::string_view text,
                                             const std::vector<Given>& given, Expr pred, bool preserve_dst) {
  auto chain = ptx::Chain::parse(text);
  if (!chain) return std::unexpected(chain.error());
  using Kind = ptx::Argument::Kind;
  ptx::Call call;
  std::vector<Expr> values;
  auto argument = [](const Given& g) {
    ptx::Argument a;
    a.dtype = g.value.dtype();
    a.predicate = g.predicate;
    a.kind = g.kind == Given::Kind::Register ? Kind::Element : a.dtype.is_handle() ? Kind::Pointer : Kind::Value;
    if (g.kind != Given::Kind::Value) return a;
    const Expr known = ir::simplify(g.value);
    if (const std::int64_t* n = ir::constant(known)) {
      a.value = *n;
      if (a.dtype == ir::kInt32) a.kind = Kind::Integer;  // a number of Python
    }
    return a;
  };
  for (const Given& g : given) {
    call.operands.push_back(argument(g));
    values.push_back(g.value);
  }
  if (pred) call.pred = argument({Given::Kind::Value, pred, false});
  call.preserve_dst = preserve_dst;
  auto resolved = ptx::resolve(*chain, call);
  if (!resolved) return std::unexpected(resolved.error());
  for (const ptx::Bound& bound : resolved->operands) {
    const bool immediate = bound.operand->kind == ptx::OperandKind::Immediate;
    for (int k = 0; k < bound.lanes; ++k) {
      const std::size_t i = bound.first + static_cast<std::size_t>(k);
      const ptx::Argument& a = resolved->arguments[i];
      if (a.kind != Kind::Integer || !a.value) continue;
      const ir::DataType dtype = immediate || bound.dtype.is_void() ? ir::kInt32 : bound.dtype;
      values[i] =
          dtype.is_floating() ? ir::float_imm(dtype, static_cast<double>(*a.value)) : ir::int_imm(dtype, *a.value);
    }
  }
  const Expr made = intrinsics::form_call(*resolved, values, pred);
  const intrinsics::Intrinsic& row = *intrinsics::of(made.as<ir::Call>()->callee);
  if (Reason r = no_such_instruction(context, row, text); !r.empty()) return std::unexpected(std::move(r));
  return made;
}

}  // namespace tilewright::dispatch::tile

// Calls: what they read, what they write, and which of their operands decide something.
#include <algorithm>

#include "compiler/expr/analyzer.h"
#include "compiler/lower/flatten.h"
#include "compiler/run/cta_use.h"

namespace tilewright::run {

using intrinsics::CallEffect;
using intrinsics::Intrinsic;
using intrinsics::Meaning;
using intrinsics::Object;
using intrinsics::Operand;
using intrinsics::OperandKind;
using intrinsics::Space;
using intrinsics::Verb;
using ir::Expr;

namespace {

bool is_pointer(OperandKind k) {
  return k == OperandKind::SharedPointer || k == OperandKind::GlobalPointer || k == OperandKind::Pointer;
}

// Is every value operand a value, so that data may stand there? Arithmetic, and what lanes hand to one another.
bool computes(Meaning m) {
  if (m >= Meaning::Exp2Approx && m <= Meaning::FindFirstSet) return true;
  switch (m) {
    case Meaning::AnySync:
    case Meaning::Ballot:
    case Meaning::ShuffleIndex:
    case Meaning::ShuffleUp:
    case Meaning::ShuffleDown:
    case Meaning::ShuffleXor:
    case Meaning::WarpReduce:
    case Meaning::CtaReduce:
    case Meaning::ReduceSync:
    case Meaning::Mma: return true;
    default: return false;
  }
}

// May data stand in its list of values?
bool moves_values(Meaning m) {
  return computes(m) || m == Meaning::StoreValues || m == Meaning::TmemStore || m == Meaning::Print ||
         m == Meaning::StMatrix || m == Meaning::MmaStore || m == Meaning::WgmmaMma;
}

// Addresses, descriptors and numbers of threads: computed from their operands alone.
bool is_plain(Meaning m) {
  switch (m) {
    case Meaning::Elect:
    case Meaning::ActiveMask:
    case Meaning::MapSharedRank:
    case Meaning::GetCtaRank:
    case Meaning::SharedAddress:
    case Meaning::TruncateAddress:
    case Meaning::TmemAddress:
    case Meaning::PeerBarrierAddress:
    case Meaning::CachePolicy:
    case Meaning::WgmmaDescriptor:
    case Meaning::TmemDescriptor:
    case Meaning::TmemInstructionDescriptor:
    case Meaning::TmemInstructionDescriptorBlockScaled:
    case Meaning::TmemInstructionDescriptorScaleId:
    case Meaning::TmemAlloc: return true;
    default: return m >= Meaning::MbarrierInit && m <= Meaning::MbarrierPendingCount;
  }
}

}  // namespace

CtaUse::Made CtaUse::call(const ir::Call* e) {
  const ir::Callee* c = e->callee;
  if (c == &ir::builtin::address_of || c == &ir::builtin::pointer_offset || c == &ir::builtin::handle_byte_offset) {
    const Place p = place_of(Expr(e));
    if (is_global(p.root) && p.made == Made::Cluster) fail("an address of global memory is used as a number");
    return p.root && is_global(p.root) ? Made::Same : is_own(p) ? Made::Same : Made::Data;
  }
  if (const Intrinsic* row = intrinsics::of(c)) return row_call(*row, e);
  Made made = Made::Same;
  for (Expr arg : e->args) made = std::max(made, value(arg));
  if (c == &ir::builtin::warp_shuffle && made == Made::Cluster) {
    decides(e->args[1]);
    return Made::Same;
  }
  if (made == Made::Cluster && c != &ir::builtin::likely && c != &ir::builtin::reinterpret)
    for (Expr arg : e->args) decides(arg);
  if (c == &ir::builtin::reinterpret && made == Made::Cluster) decides(e->args[0]);
  return c == &ir::builtin::likely ? made : made == Made::Data ? Made::Data : Made::Same;
}

// True if the call concerns other CTAs, or is not known.
bool CtaUse::may_go_on(const Intrinsic& row, const std::vector<CallEffect>& effects) {
  switch (row.meaning) {
    case Meaning::Unmodelled:
    case Meaning::GridSync:
    case Meaning::LaunchControlTryCancel:
    case Meaning::LaunchControlQueryCancel:
    case Meaning::TensormapCopy:
    case Meaning::TensormapReplace:
    case Meaning::TensormapPublish:
    case Meaning::FenceProxyTensormapRelease:
    case Meaning::FenceProxyTensormapAcquire:
    case Meaning::CallSource:
    case Meaning::Nvshmem:
    case Meaning::TimerInit:
    case Meaning::TimerStart:
    case Meaning::TimerEnd:
    case Meaning::TimerFinalize: fail("it calls T." + std::string(row.name)); return false;
    default: break;
  }
  for (const CallEffect& e : effects) {
    const bool other = e.verb == Verb::Unknown || e.object == Object::Grid || e.object == Object::Processors;
    // An atomic access orders CTAs, and its result is a matter of their order.
    const bool atomic = e.verb == Verb::Updates && e.object == Object::Memory && e.space != Space::Shared &&
                        e.space != Space::SharedCluster;
    if (!other && !atomic) continue;
    fail("it calls T." + std::string(row.name));
    return false;
  }
  return true;
}

CtaUse::Made CtaUse::row_call(const Intrinsic& row, const ir::Call* e) {
  if (row.meaning == Meaning::ThreadRank) return Made::Same;
  if (row.meaning == Meaning::ReadRegister) {
    Expr known = pure_call(e);
    return !unknown_.empty() ? Made::Same : reach_of(known, outer_).outer ? Made::Cluster : Made::Same;
  }
  const std::vector<CallEffect> effects = intrinsics::effects_of(row, e->args);
  if (!may_go_on(row, effects)) return Made::Same;
  const intrinsics::Arguments arguments(row, e->args);
  Made made = Made::Same;
  for (const Operand& o : row.operands) made = std::max(made, operand(row, o, arguments.items(o)));
  for (const Operand& o : row.operands) {
    if (o.kind != OperandKind::TensorMap || row.meaning == Meaning::TensorPrefetch ||
        row.meaning == Meaning::TensormapPrefetch)
      continue;
    made = std::max(made, map_access(row, e, o, arguments[o.name]));
  }
  if (!unknown_.empty()) return Made::Same;
  return pointers(row, effects, made);
}

// By what the operand's values differ, where they are values; what decides something has been noted.
CtaUse::Made CtaUse::operand(const Intrinsic& row, const Operand& o, std::span<const Expr> items) {
  if (o.kind == OperandKind::Attribute || o.kind == OperandKind::TensorMap) return Made::Same;
  const bool is_list = o.kind == OperandKind::List || o.kind == OperandKind::Variadic;
  const OperandKind kind = is_list ? o.item : o.kind;
  // pointers() finds the places, if an effect says what is done to them.
  if (is_pointer(kind)) {
    const auto at = &o - row.operands.data();
    const bool named =
        std::ranges::any_of(row.effects, [&](const auto& e) { return e.operand == at || e.until_operand == at; });
    for (Expr item : items) {
      if (intrinsics::is_absent(item)) continue;
      if (!named && !is_plain(row.meaning)) fail("it calls T." + std::string(row.name));
      const Place p = place_of(item);
      if (is_global(p.root)) continue;
      if (!p.root && item.dtype().is_integral()) {
        decides(item);  // a mapped address as a number
      } else {
        is_own(p);
      }
    }
    return Made::Same;
  }
  if (o.name == "coords") return Made::Same;  // map_access
  Made made = Made::Same;
  for (Expr item : items) {
    if (intrinsics::is_absent(item)) continue;
    if (kind == OperandKind::Reference && o.access == intrinsics::Access::Out) {
      if (const auto* l = item.as<ir::Load>()) is_own(place_of(l->buffer, l->indices[0]));
      continue;
    }
    const Made own = value(item);
    const bool may_be_data = kind == OperandKind::Reference || computes(row.meaning) ||
                             (is_list && moves_values(row.meaning)) ||
                             (o.name == "value" && row.meaning == Meaning::Print);
    if (own == Made::Data && !may_be_data) fail("an operand of T." + std::string(row.name) + " depends on data");
    if (own == Made::Cluster) decides(item);
    if (own == Made::Data) made = Made::Data;
  }
  return made;
}

// What it reads and writes through pointers and registers, by what its operands are made of.
CtaUse::Made CtaUse::pointers(const Intrinsic& row, const std::vector<CallEffect>& effects, Made made) {
  auto bits_of = [&](const CallEffect& e) {
    using Kind = intrinsics::Amount::Kind;
    if (e.amount.kind == Kind::Box || e.amount.kind == Kind::Rows) return box_bits_;
    return e.amount.kind == Kind::Known ? e.amount.number * 8 : std::int64_t{0};
  };
  auto each_place = [&](const CallEffect& e, auto&& f) {
    for (Expr argument : e.arguments) {
      const auto* l = e.operand->kind == OperandKind::Reference ? argument.as<ir::Load>() : nullptr;
      f(l ? place_of(l->buffer, l->indices[0]) : place_of(argument));
    }
  };
  const bool plain = is_plain(row.meaning);
  for (const CallEffect& e : effects) {
    if (e.object != Object::Memory || (e.verb != Verb::Reads && e.verb != Verb::Updates)) continue;
    if (e.verb == Verb::Updates) made = Made::Data;  // what it finds is a matter of order
    const bool by_pointer = e.operand && (is_pointer(e.operand->kind) || e.operand->kind == OperandKind::Reference);
    if (e.operand && e.operand->kind == OperandKind::TensorMap) continue;
    if (!by_pointer) {
      made = plain || e.space == Space::Register ? made : Made::Data;  // by a descriptor, or of tensor memory
      continue;
    }
    each_place(e, [&](const Place& p) {
      if (is_global(p.root)) {
        if (e.offset) fail("an address of T." + std::string(row.name) + " is not known");
        touch(p, bits_of(e), false);
        made = Made::Data;
      } else if (is_own(p) && holds_data(p, bits_of(e))) {
        made = Made::Data;
      }
    });
  }
  for (const CallEffect& e : effects) {
    if (e.object != Object::Memory || (e.verb != Verb::Writes && e.verb != Verb::Updates) || !e.operand) continue;
    if (!is_pointer(e.operand->kind) && e.operand->kind != OperandKind::Reference) continue;
    each_place(e, [&](const Place& p) {
      if (is_global(p.root)) {
        if (e.offset || bits_of(e) == 0) fail("what T." + std::string(row.name) + " writes is not known");
        touch(p, bits_of(e), true);
      } else if (is_own(p) && made == Made::Data && !plain) {
        gets_data(p, bits_of(e));
      }
    });
  }
  return plain && made != Made::Data ? Made::Same : made;
}

// A box of a tensor: each coordinate by itself.
CtaUse::Made CtaUse::map_access(const Intrinsic& row, const ir::Call* e, const Operand& map, Expr pointer) {
  const intrinsics::Arguments arguments(row, e->args);
  const auto* address = pointer.as<ir::Call>();
  if (address && !address->args.empty()) pointer = address->args[0];
  const auto* v = pointer.as<ir::Var>();
  int number = -1;
  for (std::size_t i = 0; i < kernel_.plan.tensor_maps.size(); ++i)
    if (kernel_.plan.tensor_maps[i].var == v) number = static_cast<int>(i);
  const intrinsics::OperandUse use = intrinsics::tensor_use_of(row, map);
  if (number < 0 || static_cast<std::size_t>(number) >= launch_.tensor_maps.size() || (use.writes && use.reads)) {
    fail("it calls T." + std::string(row.name) + " with a tensor map that is not known");
    return Made::Same;
  }
  const JobTensorMap& m = launch_.tensor_maps[static_cast<std::size_t>(number)];
  const auto coordinates = arguments.items("coords");
  GlobalAccess access;
  access.memory = kernel_.plan.tensor_maps[static_cast<std::size_t>(number)].tensor->data;
  access.writes = use.writes;
  access.map = number;
  const bool rows = intrinsics::moves_rows(row);
  box_bits_ =
      lower::element_bits(kernel_.plan.tensor_maps[static_cast<std::size_t>(number)].tensor->dtype) * (rows ? 4 : 1);
  for (std::uint32_t extent : m.box) box_bits_ *= extent;
  const bool is_box = !rows && coordinates.size() == m.box.size() && !arguments.operand("offsets") &&
                      std::ranges::all_of(m.element_strides, [](auto s) { return s == 1; });
  for (Expr c : coordinates) {
    if (value(c) == Made::Data) fail("a coordinate depends on data");
    if (!unknown_.empty()) return Made::Same;
    std::optional<Affine> at = affine(pure(c));
    if (!at || !is_box) {
      if (use.writes) fail("a coordinate of T." + std::string(row.name) + " is not linear in the CTA's index");
      // What is only read may lie anywhere: what is outside of the tensor is filled.
      access.bits = -1;
      continue;
    }
    at->add_inner(1, {0, static_cast<std::int64_t>(m.box[access.box.size()]) - 1});
    access.box.push_back(std::move(*at));
  }
  access.loop = loop_;
  accesses_.push_back(std::move(access));
  return use.reads ? Made::Data : Made::Same;
}

Expr CtaUse::special_register(std::string_view name, ir::DataType dtype) {
  const std::size_t dot = name.rfind('.');
  if (dot != name.npos && dot + 2 == name.size() && name.back() >= 'x' && name.back() <= 'z') {
    const auto d = static_cast<std::size_t>(name.back() - 'x');
    const std::string_view what = name.substr(0, dot);
    if (what == "tid") return thread_[d];
    if (what == "ctaid") return cta_[d];
    if (what == "clusterid") return cluster_index_[d];
    if (what == "cluster_ctaid") return in_cluster_[d];
    if (what == "ntid") return Expr(launch_.block[d]);
    if (what == "nctaid") return Expr(launch_.grid[d]);
    if (what == "cluster_nctaid") return Expr(launch_.cluster[d]);
    if (what == "nclusterid") return Expr(launch_.grid[d] / std::max<std::int64_t>(1, launch_.cluster[d]));
  }
  if (name == "cluster_ctarank") return rank_;
  if (name == "cluster_nctarank") return Expr(launch_.cluster[0] * launch_.cluster[1] * launch_.cluster[2]);
  if (name == "laneid") return fresh(dtype, {0, 31});
  if (name == "warpid") return fresh(dtype, {0, 31});
  if (name == "thread_rank" || name.starts_with("lanemask_") || name == "nwarpid" || name.ends_with("smem_size"))
    return fresh(dtype);
  return {};
}

Expr CtaUse::pure_call(const ir::Call* e) {
  if (e->callee == &ir::builtin::likely) return pure(e->args[0]);
  // The first lane's value, for all of the warp: the number of the warp, which its lanes agree on.
  if (e->callee == &ir::builtin::warp_shuffle) {
    Expr all = ir::simplify(pure(e->args[1]));
    const auto* b = all.as<ir::Binary>();
    const std::int64_t* lanes = all.kind() == ir::ExprKind::FloorDiv ? ir::constant(b->b) : nullptr;
    const bool by_x = launch_.block[1] == 1 && launch_.block[2] == 1;
    if (lanes && *lanes % 32 == 0 && by_x && ir::same_node(b->a, thread_[0])) return ir::cast(e->dtype, all);
    return fresh(e->dtype, ir::bounds(all));
  }
  const Intrinsic* row = intrinsics::of(e->callee);
  if (row && row->meaning == Meaning::ReadRegister) {
    const std::string name = intrinsics::Arguments(*row, e->args).text("reg_name");
    Expr known = special_register(name, e->dtype);
    if (!known) fail("it reads the register " + name);
    return known ? ir::cast(e->dtype, known) : fresh(e->dtype);
  }
  if (row && row->meaning == Meaning::ThreadRank)
    return fresh(e->dtype, {0, launch_.block[0] * launch_.block[1] * launch_.block[2] - 1});
  if (e->dtype.is_bool() || (row && row->meaning == Meaning::Elect)) return fresh(e->dtype, {0, 1});
  return fresh(e->dtype);
}

}  // namespace tilewright::run

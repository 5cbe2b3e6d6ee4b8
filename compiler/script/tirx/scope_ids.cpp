// T.cta_id, T.warp_id, T.lane_id, ...: the launch geometry (surface.md 3, scope.md 2).
#include "compiler/builder/launch.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

using ir::ScopeBinding;

struct ScopeIdKind {
  std::string_view name;
  ScopeBinding binding;
  int max_dims;
};
constexpr ScopeIdKind kKinds[] = {
    {"cluster_id", ScopeBinding::KernelCluster, 3},
    {"cta_id", ScopeBinding::KernelCta, 3},
    {"cta_id_in_cluster", ScopeBinding::ClusterCta, 3},
    {"warpgroup_id", ScopeBinding::CtaWarpgroup, 1},
    {"warp_id", ScopeBinding::CtaWarp, 1},
    {"warp_id_in_wg", ScopeBinding::WarpgroupWarp, 1},
    {"lane_id", ScopeBinding::WarpThread, 1},
    {"thread_id", ScopeBinding::CtaThread, 3},
    {"thread_id_in_wg", ScopeBinding::WarpgroupThread, 1},
    {"cta_id_in_pair", ScopeBinding::ClusterCtaPair, 1},
};

const ScopeIdKind* kind_of(std::string_view name) {
  for (const ScopeIdKind& k : kKinds) {
    if (k.name == name) return &k;
  }
  return nullptr;
}

// From 0.27 on an id may be of another type; the value of one with dtype="uint32" is a binding of the converted index.
// Nothing: an error is pending.
std::optional<ir::DataType> dtype_of(Interpreter& in, const Arguments& args) {
  for (const Keyword& k : args.keywords) {
    if (k.name != "dtype") continue;
    if (k.value.is_none()) {
      in.fail(code::kScopeId, k.span, "dtype= of an id is \"int32\" or \"uint32\", not None", "leave dtype= out");
      return std::nullopt;
    }
    auto dtype = in.as_dtype(k.value, k.span);
    if (!dtype || *dtype == ir::kInt32 || *dtype == ir::kUInt32) return dtype;
    in.fail(code::kScopeId, k.span, "dtype= of an id is \"int32\" or \"uint32\", not " + ir::dtype_name(*dtype), {},
            "ValueError");
    return std::nullopt;
  }
  return ir::kInt32;
}

Value declare(Interpreter& in, const ScopeIdKind& kind, Value extents, Value preferred, const Arguments& args) {
  const auto dtype = dtype_of(in, args);
  if (!dtype) return Value::error();
  std::string shown = "T." + std::string(kind.name);
  if (!in.require_kernel(args.call, shown)) return Value::error();
  std::vector<ir::Expr> values, wanted;
  if (!extents.is_none()) {
    auto e = in.as_extents(extents, args.at(0), "the extents of " + shown);
    if (!e) return Value::error();
    values = *e;
    if (values.empty() || values.size() > static_cast<std::size_t>(kind.max_dims)) {
      return in.fail(code::kScopeId, args.at(0),
                     shown + " takes 1" + (kind.max_dims > 1 ? " to 3 extents, " : " extent, ") +
                         std::to_string(values.size()) + " are given");
    }
    for (ir::Expr& v : values) {
      v = in.constant_or_same(v);
      const std::int64_t* c = ir::constant(v);
      if (c && *c <= 0) {
        return in.fail(code::kScopeId, args.at(0),
                       "an extent of " + shown + " is " + std::to_string(*c) + ": it must be positive");
      }
    }
  }
  if (!preferred.is_none()) {
    if (kind.binding != ScopeBinding::ClusterCta) {
      return in.fail(code::kScopeId, args.call, "preferred= is only defined for T.cta_id_in_cluster");
    }
    auto p = in.as_extents(preferred, args.call, "the preferred extents");
    if (!p) return Value::error();
    wanted = *p;
    if (wanted.size() != values.size()) {
      return in.fail(code::kScopeId, args.call,
                     "preferred_extents must have the same size as the extents: " + std::to_string(wanted.size()) +
                         " and " + std::to_string(values.size()));
    }
  }
  if (kind.binding == ScopeBinding::ClusterCtaPair) values = {ir::int_imm(ir::kInt32, 2)};
  std::vector<const ir::Var*> vars = in.kernel()->scope_ids(in.origin(args.call), kind.binding, values, wanted);
  auto value = [&](const ir::Var* var) {
    if (*dtype == ir::kInt32) return Value::expr(var);
    return Value::expr(bind_value(in, {}, ir::cast(*dtype, ir::Expr(var)), nullptr, args.call));
  };
  if (vars.size() == 1) return value(vars[0]);
  std::vector<Value> out;
  for (const ir::Var* var : vars) out.push_back(value(var));
  return in.list(std::move(out));
}

template <std::size_t Kind>
Value declare_kind(Interpreter& in, const Arguments& args, Value) {
  const ScopeIdKind& kind = kKinds[Kind];
  const bool typed = in.dialect() >= text::Dialect::V0_27;
  if (kind.binding == ScopeBinding::ClusterCtaPair) {
    const Bound a =
        typed ? Bound(in, args, "T.cta_id_in_pair", {"dtype"}, 0) : Bound(in, args, "T.cta_id_in_pair", {}, 0);
    if (!a) return Value::error();
    return declare(in, kind, Value::none(), Value::none(), args);
  }
  const std::string name = "T." + std::string(kind.name);
  const Bound a = typed ? Bound(in, args, name, {"extents", "preferred", "dtype"}, 0)
                        : Bound(in, args, name, {"extents", "preferred"}, 0);
  if (!a) return Value::error();
  return declare(in, kind, a[0], a[1], args);
}

// T.scope_id(ext, parent, cur)
Value generic(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.scope_id", {"extents", "parent", "cur"}, 3);
  if (!a) return Value::error();
  auto parent = in.as_string(a[1], a.span(1), "the parent scope");
  auto unit = parent ? in.as_string(a[2], a.span(2), "the scope") : std::nullopt;
  if (!unit) return Value::error();
  struct Pair {
    std::string_view parent, unit, name;
  };
  constexpr Pair kPairs[] = {
      {"kernel", "cluster", "cluster_id"},  {"kernel", "cta", "cta_id"},    {"cluster", "cta", "cta_id_in_cluster"},
      {"cta", "warpgroup", "warpgroup_id"}, {"cta", "warp", "warp_id"},     {"warpgroup", "warp", "warp_id_in_wg"},
      {"warp", "thread", "lane_id"},        {"cta", "thread", "thread_id"}, {"warpgroup", "thread", "thread_id_in_wg"}};
  for (const Pair& p : kPairs) {
    if (p.parent == *parent && p.unit == *unit) return declare(in, *kind_of(p.name), a[0], Value::none(), args);
  }
  return in.fail(code::kScopeId, args.call,
                 "there is no scope id from " + std::string(*parent) + " to " + std::string(*unit));
}

Value device_entry(Interpreter& in, const Arguments& args, Value) {
  if (!in.require_kernel(args.call, "T.device_entry()")) return Value::error();
  auto made = in.kernel()->enter_device(in.origin(args.call));
  return made ? Value::none() : in.fail(std::move(made.error()), args.call);
}

// T.env_thread(tag): a launch dimension whose extent T.launch_thread gives later.
Value env_thread(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.env_thread", {"thread_tag"}, 1);
  if (!a || !in.require_kernel(args.call, "T.env_thread")) return Value::error();
  auto tag = in.as_string(a[0], a.span(0), "the thread tag");
  if (!tag) return Value::error();
  auto dimension = builder::launch_dimension(*tag);
  if (!dimension) return in.fail(std::move(dimension.error()), a.span(0));
  const ir::Var* var = in.drafts().launch_variable(*dimension);
  in.kernel()->launch_later(in.origin(args.call), var);
  return Value::expr(var);
}

// T.launch_thread("threadIdx.x", n), a statement or a `with` item.
Value launch_thread(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.launch_thread", {"thread", "extent"}, 2);
  if (!a || !in.require_kernel(args.call, "T.launch_thread")) return Value::error();
  const ir::Var* var = a[0].is_expr() ? a[0].as_expr().as<ir::Var>() : nullptr;
  if (!var || !builder::is_launch_var(var)) {
    auto tag = in.as_string(a[0], a.span(0), "the thread tag");
    if (!tag) return Value::error();
    auto dimension = builder::launch_dimension(*tag);
    if (!dimension) return in.fail(std::move(dimension.error()), a.span(0));
    var = in.drafts().launch_variable(*dimension);
  }
  ir::Expr extent = in.as_expr(a[1], a.span(1), "the extent");
  if (!extent) return Value::error();
  if (!extent.dtype().is_integral() || extent.dtype().lanes != 1) {
    return in.fail(code::kScopeId, a.span(1), "the extent of a launch dimension must be an integer");
  }
  in.kernel()->launch(in.origin(args.call), var, in.constant_or_same(extent));
  return Value::expr(var);
}

constexpr Record kScopeIdRecords[] = {
    {"T", "cluster_id", NameKind::Function, "extents=None, preferred=None", "The index of the cluster in the grid.",
     declare_kind<0>},
    {"T", "cta_id", NameKind::Function, "extents=None, preferred=None",
     "The index of the CTA in the grid, one variable a dimension.", declare_kind<1>},
    {"T", "cta_id_in_cluster", NameKind::Function, "extents=None, preferred=None",
     "The index of the CTA in its cluster.", declare_kind<2>},
    {"T", "warpgroup_id", NameKind::Function, "extents=None, preferred=None", "The index of the warpgroup in its CTA.",
     declare_kind<3>},
    {"T", "warp_id", NameKind::Function, "extents=None, preferred=None", "The index of the warp in its CTA.",
     declare_kind<4>},
    {"T", "warp_id_in_wg", NameKind::Function, "extents=None, preferred=None",
     "The index of the warp in its warpgroup.", declare_kind<5>},
    {"T", "lane_id", NameKind::Function, "extents=None, preferred=None", "The index of the thread in its warp.",
     declare_kind<6>},
    {"T", "thread_id", NameKind::Function, "extents=None, preferred=None",
     "The index of the thread in its CTA, one variable a dimension.", declare_kind<7>},
    {"T", "thread_id_in_wg", NameKind::Function, "extents=None, preferred=None",
     "The index of the thread in its warpgroup.", declare_kind<8>},
    {"T", "cta_id_in_pair", NameKind::Function, "", "0 or 1: which CTA of a pair this is.", declare_kind<9>},
    {"T", "scope_id", NameKind::Function, "extents, parent, cur", "The index of one scope in another, both by name.",
     generic},
    {"T", "device_entry", NameKind::Function, "", "Everything below runs on the device; above it the host computes.",
     device_entry},
    {"T", "launch_thread", NameKind::Function, "thread, extent", "Binds a launch dimension such as \"threadIdx.x\".",
     launch_thread},
    {"T", "env_thread", NameKind::Function, "thread_tag", "A launch dimension whose extent T.launch_thread gives.",
     env_thread},
};

}  // namespace

std::span<const Record> scope_id_records() { return kScopeIdRecords; }

}  // namespace tilewright::script

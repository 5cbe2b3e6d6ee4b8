// The namespace `T`: what it shows of other modules, dtypes, the decorators, and what it refuses by name.
#include <cmath>
#include <vector>

#include "compiler/expr/dtype_names.h"
#include "compiler/intrinsics/say.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

using text::Dialect::V0_26, text::Dialect::V0_27;

Value not_available(Interpreter& in, const Record& record, Value) {
  return in.fail(code::kAttribute, {},
                 "T." + std::string(record.name) + " is not available: it " + std::string(record.documentation),
                 intrinsics::say(record.detail, in.dialect()), "AttributeError");
}

// A name of the reference's `T` that says nothing in a kernel for CUDA; `why`, and what to write instead.
consteval Record elsewhere(std::string_view name, std::string_view why, std::string_view instead = {}) {
  return {"T", name, NameKind::Elsewhere, {}, why, nullptr, not_available, instead};
}

Value of_layout_module(Interpreter& in, const Record& record, Value) {
  return in.attribute(layout_module(in), record.name, {});
}
Value of_tile_module(Interpreter& in, const Record& record, Value) {
  return record.name == "tile" ? tile_namespace(in) : in.attribute(tile_namespace(in), record.name, {});
}

constexpr std::string_view kByHand = "builds a statement by hand";
constexpr std::string_view kByHandInstead =
    "write the statement itself: if, while, assert, break, continue, or a binding with T.let";
constexpr std::string_view kBlocks = "belongs to the block dialect, which is no tile script";
constexpr std::string_view kBlocksInstead = "write loops and indices";
constexpr std::string_view kOtherTargets = "is for other targets than CUDA";
constexpr std::string_view kHost = "belongs to the host's runtime, not into a kernel";
constexpr std::string_view kCompiler = "is a part of the reference's own compiler";

constexpr Record kShown[] = {
    {"T", "cluster", NameKind::Namespace, "", "Tile primitives issued by a cluster.", nullptr, of_tile_module},
    {"T", "cta", NameKind::Namespace, "", "Tile primitives issued by a CTA together.", nullptr, of_tile_module},
    {"T", "warpgroup", NameKind::Namespace, "", "Tile primitives issued by a warpgroup together.", nullptr,
     of_tile_module},
    {"T", "wg", NameKind::Namespace, "", "Tile primitives issued by a warpgroup together.", nullptr, of_tile_module},
    {"T", "warp", NameKind::Namespace, "", "Tile primitives issued by a warp together.", nullptr, of_tile_module},
    {"T", "thread", NameKind::Namespace, "", "Tile primitives issued by each thread for itself.", nullptr,
     of_tile_module},
    {"T", "tile", NameKind::Namespace, "", "The tile primitives, also known as Tx.", nullptr, of_tile_module},
    {"T", "S", NameKind::Constant, "", "Shard: S[extents : strides], as printed kernels write it.", nullptr,
     of_layout_module},
    {"T", "R", NameKind::Constant, "", "Replica: R[extents : strides], as printed kernels write it.", nullptr,
     of_layout_module},
    {"T", "Axis", NameKind::Namespace, "", "The axes by name, as printed kernels write them.", nullptr,
     of_layout_module},
    elsewhere("Assert", kByHand, kByHandInstead),
    elsewhere("Let", kByHand, kByHandInstead),
    elsewhere("LetAnnotation", kByHand, kByHandInstead),
    elsewhere("LocalVectorAnnotation", kByHand, kByHandInstead),
    elsewhere("add_to_parent", kByHand, kByHandInstead),
    elsewhere("scalar_wrapper", kByHand, kByHandInstead),
    elsewhere("axis", kBlocks, kBlocksInstead),
    elsewhere("block_name_suffix_context", kBlocks, kBlocksInstead),
    elsewhere("comm_reducer", kBlocks, kBlocksInstead),
    elsewhere("CommReducer", kBlocks, kBlocksInstead),
    elsewhere("index_map", kBlocks, kBlocksInstead),
    elsewhere("init", kBlocks, kBlocksInstead),
    elsewhere("iter_var", kBlocks, kBlocksInstead),
    elsewhere("IterVar", kBlocks, kBlocksInstead),
    elsewhere("ProducerLoad", kBlocks, kBlocksInstead),
    elsewhere("Range", kBlocks, kBlocksInstead),
    elsewhere("reads", kBlocks, kBlocksInstead),
    elsewhere("Reduce", kBlocks, kBlocksInstead),
    elsewhere("sblock", kBlocks, kBlocksInstead),
    elsewhere("sblock_attr", kBlocks, kBlocksInstead),
    elsewhere("where", kBlocks, kBlocksInstead),
    elsewhere("writes", kBlocks, kBlocksInstead),
    elsewhere("tvm_thread_allreduce", kBlocks, kBlocksInstead),
    elsewhere("call_llvm_intrin", kOtherTargets),
    elsewhere("call_llvm_pure_intrin", kOtherTargets),
    elsewhere("llvm_lookup_intrinsic_id", kOtherTargets),
    elsewhere("get_active_lane_mask", kOtherTargets),
    elsewhere("vscale", kOtherTargets),
    elsewhere("vectorlow", kOtherTargets),
    elsewhere("vectorhigh", kOtherTargets),
    elsewhere("vectorcombine", kOtherTargets),
    until(V0_26, elsewhere("Shuffle", kOtherTargets)),
    elsewhere("start_profile_intrinsic", kOtherTargets),
    elsewhere("end_profile_intrinsic", kOtherTargets),
    elsewhere("cooperative_tensor_fill", kOtherTargets),
    elsewhere("cooperative_tensor_load", kOtherTargets),
    elsewhere("cooperative_tensor_multiply_accumulate", kOtherTargets),
    elsewhere("cooperative_tensor_store", kOtherTargets),
    elsewhere("ignore_loop_partition", kOtherTargets),
    elsewhere("q_multiply_shift_per_axis", kOtherTargets),
    elsewhere("metal", kOtherTargets),
    elsewhere("webgpu", kOtherTargets),
    elsewhere("nki", kOtherTargets),
    elsewhere("anylist_getitem", kHost),
    elsewhere("anylist_resetitem", kHost),
    elsewhere("anylist_setitem_call_cpacked", kHost),
    elsewhere("anylist_setitem_call_packed", kHost),
    elsewhere("arg", kHost),
    elsewhere("call_cpacked", kHost),
    elsewhere("call_cpacked_lowered", kHost),
    elsewhere("call_kernel", kHost),
    elsewhere("call_packed_lowered", kHost),
    elsewhere("lookup_param", kHost),
    elsewhere("target", kHost),
    elsewhere("tvm_call_cpacked", kHost),
    elsewhere("tvm_call_cpacked_lowered", kHost),
    elsewhere("tvm_call_packed", kHost),
    elsewhere("tvm_call_packed_lowered", kHost),
    elsewhere("tvm_global_barrier_kinit", kHost),
    elsewhere("tvm_kernel_replace_point", kHost),
    elsewhere("tvm_stack_make_array", kHost),
    elsewhere("tvm_stack_make_shape", kHost),
    elsewhere("tvm_struct_get", kHost),
    elsewhere("tvm_struct_set", kHost),
    elsewhere("tvm_throw_last_error", kHost),
    elsewhere("tvm_tuple", kHost),
    elsewhere("TVMBackendAllocWorkspace", kHost),
    elsewhere("TVMBackendFreeWorkspace", kHost),
    elsewhere("register_script_namespace", kHost),
    elsewhere("CallEffectKind", kCompiler),
    elsewhere("DtypeConstructor", kCompiler),
    elsewhere("ExecScope", kCompiler),
    elsewhere("ScopeIdDef", kCompiler),
    elsewhere("selector", kCompiler),
    since(V0_27, elsewhere("masked_load", "cannot be compiled to CUDA", "load under a condition: if mask: ...")),
    since(V0_27, elsewhere("masked_store", "cannot be compiled to CUDA", "store under a condition: if mask: ...")),
    since(V0_27, elsewhere("call_ffi_kernel", kHost)),
    since(V0_27, elsewhere("Tuple", "is a type that no kernel for CUDA has", "bind each value to a name of its own")),
    elsewhere("dp4a", "has no code on CUDA in this release", "call the instruction with {foreign_call}"_row_text),
    elsewhere("buffer_decl", "is the old name of a declaration", "use T.decl_buffer"),
    elsewhere("print_buffer", "prints through the host's runtime", "use {printf}"_row_text),
    elsewhere("void", "is not a type of values", "use T.handle for pointers"),
};

Value dtype_value(Interpreter& in, ir::DataType dtype) {
  DataTypeValue* d = in.make<DataTypeValue>();
  d->dtype = dtype;
  return Value::object(d);
}

Value dtype_of_record(Interpreter& in, const Record& record, Value) {
  return dtype_value(in, *ir::parse_dtype(record.name));
}

// `T.float32x4`: a vector of a dtype. The lanes are no part of the table: any number of them is a type
// (surface.md 6.1).
Value vector_dtype(Interpreter& in, std::string_view name) {
  if (name.empty() || name.back() < '0' || name.back() > '9') return Value::error();
  auto dtype = ir::parse_dtype(name);
  return dtype && dtype->lanes > 1 && dtype->bits <= 64 ? dtype_value(in, *dtype) : Value::error();
}

Value lookup_t(Interpreter& in, Namespace& self, std::string_view name) {
  Value v = lookup_surface(in, self, name);
  return v.is_error() && !in.has_pending() ? vector_dtype(in, name) : v;
}

}  // namespace

std::span<const Record> namespace_records() { return kShown; }

void add_dtype_records(MadeRecords& records) {
  for (std::string_view name : ir::dtype_names()) {
    auto dtype = ir::parse_dtype(name);
    if (dtype->is_handle() || dtype->is_void()) continue;  // T.handle is more than a dtype
    records.rows.push_back({"T", name, NameKind::Type, "value=None", "A dtype: of a variable, a constant or a cast.",
                            nullptr, dtype_of_record});
    if (dtype->bits > 64) records.rows.back().releases = text::since(text::Dialect::V0_27);
  }
}

Value lookup_surface(Interpreter& in, Namespace& self, std::string_view name) {
  const Record* record = in.surface().find(self.space, name);
  return record ? in.denoted(*record) : Value::error();
}

// The prelude of all releases calls instructions by one name each, that of the first release.
static Value lookup_first_release(Interpreter& in, Namespace& self, std::string_view name) {
  const Record* record = surface_of(text::kDialects.front().dialect).find(self.space, name);
  if (!record) return Value::error();
  Value v = in.denoted(*record);
  if (Namespace* inner = v.as<Namespace>(); inner && inner->record) inner->lookup = lookup_first_release;
  return v;
}
static Value lookup_first_t(Interpreter& in, Namespace& self, std::string_view name) {
  Value v = lookup_first_release(in, self, name);
  return v.is_error() && !in.has_pending() ? vector_dtype(in, name) : v;
}

text::Dialect release_of(const Interpreter& in, const Namespace& space) {
  return space.lookup == lookup_first_release ? text::kDialects.front().dialect : in.dialect();
}

Value surface_space(Interpreter& in, std::string path, std::string_view space,
                    Value (*lookup)(Interpreter&, Namespace&, std::string_view)) {
  Value v = in.name_space(std::move(path), lookup);
  v.as<Namespace>()->space = space;
  return v;
}

Value tirx_namespace(Interpreter& in) {
  return surface_space(in, "T", "T", in.runs_prelude() ? lookup_first_t : lookup_t);
}

// T.int32(): a fresh variable; T.int32(v): a constant or a cast.
Value call_dtype(Interpreter& in, DataTypeValue* dtype, const Arguments& args) {
  for (const Keyword& k : args.keywords) {
    if (k.name != "is_size_var" || in.dialect() < text::Dialect::V0_26) continue;
    return in.fail(code::kArguments, k.at_name(),
                   "is_size_var= is 0.25; " + std::string(text::dialect_name(in.dialect())) + " has nothing like it",
                   "drop is_size_var=");
  }
  if (args.positional.empty()) {
    ir::Var* var = in.drafts().variable(dtype->dtype, ir::VarRole::Extent);
    if (dtype->dtype.is_integral()) var->range = {0, ir::Interval::kMax};
    return Value::expr(var);
  }
  if (args.positional.size() > 1) return in.fail(code::kArguments, args.call, "a dtype takes one value");
  Value v = args.positional[0];
  if (v.is_poison() || v.is_opaque()) return v;
  if (Str* s = v.as<Str>()) {
    double value = s->text == "inf" ? INFINITY : s->text == "-inf" ? -INFINITY : NAN;
    if (s->text != "inf" && s->text != "-inf" && s->text != "nan") {
      return in.fail(code::kValue, args.at(0), "only \"inf\", \"-inf\" and \"nan\" can be written as strings");
    }
    return Value::expr(ir::float_imm(dtype->dtype, value));
  }
  ir::Expr e = in.as_expr(v, args.at(0));
  if (!e) return Value::error();
  auto converted = ir::convert(dtype->dtype, e);
  if (!converted) return in.fail(code::kType, args.at(0), converted.error(), {}, "ValueError");
  return Value::expr(*converted);
}

// ---- decorators -----------------------------------------------------------------------------------------------

namespace {

std::optional<bool> flag(Interpreter& in, const Arguments& args, std::string_view name) {
  for (const Keyword& k : args.keywords) {
    if (k.name != name) continue;
    if (k.value.is_bool()) return k.value.b;
    in.fail(code::kArguments, k.span, "'" + std::string(name) + "' must be True or False, written out");
    return std::nullopt;
  }
  return false;
}

// A decorator below made something unknown of the function; of that it is told already. None: it did not.
Value undecorated(const Arguments& args) {
  return !args.positional.empty() && args.positional[0].is_opaque() ? args.positional[0] : Value::none();
}

Function* decorated(Interpreter& in, const Arguments& args, std::string_view name) {
  Function* f = args.positional.empty() ? nullptr : args.positional[0].as<Function>();
  if (!f) in.fail(code::kType, args.call, "@T." + std::string(name) + " decorates a function");
  return f;
}

struct KernelOptions {
  bool is_private = false, persistent = false;
};

Value make_prim_func(Interpreter& in, const Arguments& args, KernelOptions options) {
  if (const Value unknown = undecorated(args); unknown.is_opaque()) return unknown;
  Function* f = decorated(in, args, "prim_func");
  if (!f) return Value::error();
  f->mode = FunctionMode::PrimFunc;
  return in.reuse().evaluate(f, nullptr, options.is_private, options.persistent);
}

// The scopes around a function as they are now; of a module the names that its statement mentions. `itself`: what its
// own name denotes there, for it may call itself; null where it has none yet.
Scope* snapshot(Interpreter& in, Function* f, Scope* scope, Object* itself) {
  if (!scope || scope->is_prelude) return scope;
  Scope* copy = in.make<Scope>();
  if (scope->kind == Scope::Kind::Module && f->keep) {
    copy->kind = scope->kind;
    copy->frozen_from = scope;
    for (const syntax::Name& name : f->keep->names) {
      if (auto* b = scope->find(name)) copy->set(name, b->value);
    }
  } else {
    *copy = *scope;
    copy->parent = snapshot(in, f, scope->parent, itself);
  }
  if (itself && scope->kind != Scope::Kind::Class) copy->set(f->def->name, Value::object(itself));
  return copy;
}

// The kernels are made later, of what its surroundings are now.
Value make_jit(Interpreter& in, const Arguments& args, KernelOptions options) {
  if (const Value unknown = undecorated(args); unknown.is_opaque()) return unknown;
  Function* f = decorated(in, args, "jit");
  if (!f) return Value::error();
  f->mode = FunctionMode::Jit;
  if (!in.kernel()) f->closure = snapshot(in, f, f->closure, nullptr);
  Jit* jit = in.make<Jit>();
  jit->function = f;
  jit->is_private = options.is_private;
  jit->persistent = options.persistent;
  return Value::object(jit);
}

// `@T.prim_func` and `@T.prim_func(private=True)`: the second form returns the decorator itself.
template <Value (*Make)(Interpreter&, const Arguments&, KernelOptions)>
Value kernel_decorator(Interpreter& in, const Arguments& args, Value) {
  if (!args.positional.empty()) return Make(in, args, {});
  auto is_private = flag(in, args, "private");
  auto persistent = is_private ? flag(in, args, "persistent") : std::nullopt;
  auto s_tir = persistent ? flag(in, args, "s_tir") : std::nullopt;
  if (!s_tir) return Value::error();
  if (*s_tir) return in.fail(code::kUnsupported, args.call, "the block dialect (s_tir=True) is not a tile script");
  Dict* options = in.make<Dict>();
  in.dict_set(options, in.string("private"), Value::boolean(*is_private));
  in.dict_set(options, in.string("persistent"), Value::boolean(*persistent));
  return in.native(
      "decorator",
      [](Interpreter& i, const Arguments& a, Value self) {
        Dict* d = self.as<Dict>();
        return Make(i, a, {i.dict_find(d, i.string("private"))->b, i.dict_find(d, i.string("persistent"))->b});
      },
      Value::object(options));
}

// The free names of such a macro are those of its caller.
Value make_open_macro(Interpreter& in, const Arguments& args, Value) {
  if (const Value unknown = undecorated(args); unknown.is_opaque()) return unknown;
  Function* f = decorated(in, args, "macro");
  if (!f) return Value::error();
  f->mode = FunctionMode::Macro;
  f->is_hygienic = false;
  return Value::object(f);
}

// Outside a kernel an inlined function sees its surroundings as they are at decoration; inside, as they are at the
// call.
Value make_inline(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.empty()) {  // @T.macro(hygienic=...)
    for (const Keyword& k : args.keywords) {
      if (k.name == "hygienic" && k.value.is_bool() && !k.value.b) return in.native("macro", make_open_macro);
    }
    return in.native("inline", make_inline);
  }
  if (const Value unknown = undecorated(args); unknown.is_opaque()) return unknown;
  Function* f = decorated(in, args, "inline");
  if (!f) return Value::error();
  f->mode = FunctionMode::Inline;
  if (!in.kernel()) f->closure = snapshot(in, f, f->closure, f);
  return Value::object(f);
}

Value make_meta_class(Interpreter& in, const Arguments& args, Value) {
  Class* cls = args.positional.empty() ? nullptr : args.positional[0].as<Class>();
  if (!cls) return in.fail(code::kType, args.call, "@T.meta_class decorates a class");
  cls->is_meta = true;
  return args.positional[0];
}

Value meta_var(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.meta_var", {"value"}, 1);
  if (!a) return Value::error();
  if (a[0].as<MetaVar>()) return a[0];  // one in another is the same
  MetaVar* m = in.make<MetaVar>();
  m->value = a[0];
  return Value::object(m);
}

constexpr Record kDecoratorRecords[] = {
    {"T", "prim_func", NameKind::Decorator, "func", "A kernel: its body is read as a script that emits statements.",
     kernel_decorator<make_prim_func>},
    {"T", "jit", NameKind::Decorator, "func",
     "A kernel with compile-time parameters, made by f.specialize(NAME=value).", kernel_decorator<make_jit>},
    {"T", "inline", NameKind::Decorator, "func",
     "A function whose statements are written into the kernel where it is called.", make_inline},
    {"T", "macro", NameKind::Decorator, "func",
     "An inlined function; with hygienic=False its free names are those of the caller.", make_inline},
    {"T", "meta_class", NameKind::Decorator, "cls",
     "A class whose instances own buffers and scalars of the kernel that makes them.", make_meta_class},
    {"T", "meta_var", NameKind::Function, "value",
     "Binds a compile-time value to a name instead of making a scalar of it.", meta_var},
};

}  // namespace

std::span<const Record> decorator_records() { return kDecoratorRecords; }

}  // namespace tilewright::script

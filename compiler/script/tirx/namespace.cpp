// The namespace `T`: dtypes, and the members that the other files of this folder bring.
#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {

Value find_member(Interpreter& in, std::span<const Member> table, std::string_view name) {
  for (const Member& m : table) {
    if (m.name == name) return in.native(m.name, m.function);
  }
  return Value::error();
}

namespace {

// `T.float32x4`: the constructor of a dtype. The lanes suffix is legal on all but bfloat16 (surface.md 6.1).
Value dtype_member(Interpreter& in, std::string_view name) {
  auto dtype = name == "boolean" ? std::optional(ir::kBool) : ir::parse_dtype(name);
  if (!dtype || dtype->is_handle() || dtype->is_void()) return Value::error();
  DataTypeValue* d = in.make<DataTypeValue>();
  d->dtype = *dtype;
  return Value::object(d);
}

Value lookup_intrinsic_namespace(Interpreter& in, Namespace& self, std::string_view name) {
  std::string path = self.path + "." + std::string(name);
  std::string_view bare = std::string_view(path).substr(2);
  if (!intrinsics::is_namespace(bare) && !intrinsics::is_intrinsic(bare)) return Value::error();
  return in.name_space(path, lookup_intrinsic_namespace);
}

// Names of the reference's `T` that say nothing in a kernel for CUDA, and what to write instead.
struct Elsewhere {
  std::string_view why, hint;
  std::initializer_list<std::string_view> names;
};
const Elsewhere kElsewhere[] = {
    {"builds a statement by hand",
     "write the statement itself: if, while, assert, break, continue, or a binding with T.let",
     {"If", "Then", "Else", "While", "Assert", "Break", "Continue", "Let", "LetAnnotation", "LocalVectorAnnotation",
      "add_to_parent", "scalar_wrapper"}},
    {"belongs to the block dialect, which is no tile script",
     "write loops and indices",
     {"axis", "block_name_suffix_context", "comm_reducer", "CommReducer", "index_map", "init", "iter_var", "IterVar",
      "ProducerLoad", "Range", "reads", "Reduce", "sblock", "sblock_alloc_buffer", "sblock_attr", "where", "writes",
      "tvm_thread_allreduce"}},
    {"is for other targets than CUDA",
     "",
     {"call_llvm_intrin",
      "call_llvm_pure_intrin",
      "llvm_lookup_intrinsic_id",
      "get_active_lane_mask",
      "vscale",
      "vectorlow",
      "vectorhigh",
      "vectorcombine",
      "Shuffle",
      "start_profile_intrinsic",
      "end_profile_intrinsic",
      "cooperative_tensor_fill",
      "cooperative_tensor_load",
      "cooperative_tensor_multiply_accumulate",
      "cooperative_tensor_store",
      "ignore_loop_partition",
      "q_multiply_shift_per_axis",
      "metal",
      "webgpu",
      "nki"}},
    {"belongs to the host's runtime, not into a kernel",
     "",
     {"anylist_getitem",
      "anylist_resetitem",
      "anylist_setitem_call_cpacked",
      "anylist_setitem_call_packed",
      "arg",
      "call_cpacked",
      "call_cpacked_lowered",
      "call_kernel",
      "call_packed_lowered",
      "lookup_param",
      "target",
      "tvm_call_cpacked",
      "tvm_call_cpacked_lowered",
      "tvm_call_packed",
      "tvm_call_packed_lowered",
      "tvm_global_barrier_kinit",
      "tvm_kernel_replace_point",
      "tvm_stack_make_array",
      "tvm_stack_make_shape",
      "tvm_struct_get",
      "tvm_struct_set",
      "tvm_throw_last_error",
      "tvm_tuple",
      "TVMBackendAllocWorkspace",
      "TVMBackendFreeWorkspace",
      "register_script_namespace"}},
    {"is a part of the reference's own compiler",
     "",
     {"CallEffectKind", "DtypeConstructor", "ExecScope", "ScopeIdDef", "selector"}},
    {"has no code on CUDA in this release", "call the instruction with T.cuda.func_call", {"dp4a"}},
    {"is the old name of a declaration", "use T.decl_buffer", {"buffer_decl"}},
    {"prints through the host's runtime", "use T.cuda.printf", {"print_buffer"}},
    {"is not a type of values", "use T.handle for pointers", {"void"}},
};

Value found_elsewhere(Interpreter& in, std::string_view name) {
  for (const Elsewhere& e : kElsewhere) {
    if (std::find(e.names.begin(), e.names.end(), name) == e.names.end()) continue;
    return in.fail(code::kAttribute, {}, "T." + std::string(name) + " is not available: it " + std::string(e.why),
                   std::string(e.hint), "AttributeError");
  }
  return Value::error();
}

// Those of the reference's classes that are also members of `T`.
Value class_member(Interpreter& in, std::string_view name) {
  for (std::string_view other :
       {"Buffer", "BufferRegion", "BaseFunc", "PrimFunc", "DataType", "Object", "BaseExpr", "PrimExpr", "ExprOp",
        "PrimExprWithOp", "ConstExpr", "BinaryOpExpr", "CmpExpr", "LogicalExpr"}) {
    if (name == other) return Value::error();
  }
  Class* cls = tirx_class(in, name);
  return cls ? Value::object(cls) : Value::error();
}

Value lookup_t(Interpreter& in, Namespace&, std::string_view name) {
  Value v = dtype_member(in, name);
  if (!v.is_error()) return v;
  v = class_member(in, name);
  if (!v.is_error()) return v;
  for (auto member : {scope_id_member, buffer_member, loop_member, expression_member, decorator_member,
                      statement_member, math_member}) {
    v = member(in, name);
    if (!v.is_error() || in.has_pending()) return v;
  }
  if (name == "warp" || name == "wg" || name == "warpgroup" || name == "cta" || name == "cluster" || name == "thread") {
    return in.attribute(tile_namespace(in), name, {});
  }
  if (name == "tile") return tile_namespace(in);
  if (name == "S" || name == "R" || name == "Axis") {
    return in.attribute(layout_module(in), name, {});
  }
  v = in.prelude(name, {});
  if (!v.is_error() || in.has_pending()) return v;
  if (intrinsics::is_namespace(name) || intrinsics::is_intrinsic(name)) {
    return in.name_space("T." + std::string(name), lookup_intrinsic_namespace);
  }
  return found_elsewhere(in, name);
}

}  // namespace

Value tirx_namespace(Interpreter& in) { return in.name_space("T", lookup_t); }

// T.int32(): a fresh variable; T.int32(v): a constant or a cast.
Value call_dtype(Interpreter& in, DataTypeValue* dtype, const Arguments& args) {
  if (args.positional.empty()) {
    ir::Var* var = in.draft(ir::make_var({}, dtype->dtype, ir::VarRole::Extent));
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

Function* decorated(Interpreter& in, const Arguments& args, std::string_view name) {
  Function* f = args.positional.empty() ? nullptr : args.positional[0].as<Function>();
  if (!f) in.fail(code::kType, args.call, "@T." + std::string(name) + " decorates a function");
  return f;
}

struct KernelOptions {
  bool is_private = false, persistent = false;
};

Value make_prim_func(Interpreter& in, const Arguments& args, KernelOptions options) {
  Function* f = decorated(in, args, "prim_func");
  if (!f) return Value::error();
  f->mode = FunctionMode::PrimFunc;
  return in.evaluate_kernel(f, nullptr, options.is_private, options.persistent);
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
  MetaVar* m = in.make<MetaVar>();
  m->value = a[0];
  return Value::object(m);
}

constexpr Member kDecorators[] = {
    {"prim_func", kernel_decorator<make_prim_func>},
    {"jit", kernel_decorator<make_jit>},
    {"inline", make_inline},
    {"macro", make_inline},
    {"meta_class", make_meta_class},
    {"meta_var", meta_var},
};

}  // namespace

Value decorator_member(Interpreter& in, std::string_view name) { return find_member(in, kDecorators, name); }

}  // namespace tilewright::script

// `tvm` and its modules as far as scripts name them; everything else in it is host code that stays unknown until a
// kernel needs it.
#include <algorithm>

#include "compiler/script/python/support.h"
#include "compiler/script/surface.h"
#include "compiler/script/tirx/modules.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

// A name of the module that is not followed, or none.
Value not_followed(Interpreter& in, const Namespace& module, std::string_view name) {
  if (!module_has(module.path, name)) return Value::error();
  std::string inner = module.path + "." + std::string(name);
  if (!is_open_module(inner)) return tvm_package(in, inner);
  return Value::opaque(in.keep(module.path + std::string(1, '\0')).data());
}

// Of a module of which no name is followed.
Value lookup_listed(Interpreter& in, Namespace& self, std::string_view name) { return not_followed(in, self, name); }

Value lookup_ir_script(Interpreter& in, Namespace& self, std::string_view name) {
  if (name == "ir_module") {
    return in.native("ir_module", [](Interpreter& i, const Arguments& args, Value) {
      if (args.positional.empty()) return i.attribute(tvm_package(i, "tvm.script.ir"), "ir_module", args.call);
      return args.positional[0];
    });
  }
  if (name == "meta_var" && in.dialect() >= text::Dialect::V0_26) return in.attribute(tirx_namespace(in), name, {});
  return not_followed(in, self, name);
}

// A module that gives some names of a space of the surface, and others that are not followed.
Value lookup_partly(Interpreter& in, Namespace& self, std::string_view name) {
  Value v = lookup_surface(in, self, name);
  return !v.is_error() || in.has_pending() ? v : not_followed(in, self, name);
}

// `tvm.tirx.lang` and its modules, each of which gives a part of the prelude.
Value lookup_lang(Interpreter& in, Namespace& self, std::string_view name) {
  if (self.path != "tvm.tirx.lang" && !module_has(self.path, name)) return Value::error();
  return lookup_partly(in, self, name);
}

// `T` as the module of its parser, which has names for its own use besides.
Value lookup_parser_tirx(Interpreter& in, Namespace& self, std::string_view name) {
  Namespace* t = tirx_namespace(in).as<Namespace>();
  Value v = t->lookup(in, *t, name);
  const bool own = name.starts_with('_') || name == "TYPE_CHECKING";
  return v.is_error() && !in.has_pending() && own ? not_followed(in, self, name) : v;
}

Value parser_tirx(Interpreter& in) { return surface_space(in, "T", "T", lookup_parser_tirx); }

// `tvm.script.parser`, whose `tirx` is what `tvm.script` has, too.
Value lookup_parser(Interpreter& in, Namespace& self, std::string_view name) {
  if (name == "tirx") return parser_tirx(in);
  if (name == "ir") return in.name_space("tvm.script.ir", lookup_ir_script);
  return not_followed(in, self, name);
}

Value lookup_script(Interpreter& in, Namespace& self, std::string_view name) {
  if (name == "tirx") return tirx_namespace(in);
  if (name == "parser") return in.name_space("tvm.script.parser", lookup_parser);
  if (name == "ir") return in.name_space("tvm.script.ir", lookup_ir_script);
  return not_followed(in, self, name);
}

// Modules of `tvm.tirx` whose names it gives, too.
constexpr std::string_view kTirxModules[] = {"expr", "op", "stmt", "buffer", "function"};
bool is_tirx_module(std::string_view name) {
  return std::find(std::begin(kTirxModules), std::end(kTirxModules), name) != std::end(kTirxModules);
}

// Functions that `tvm.tirx` shares with `T`.
constexpr std::string_view kShared[] = {
    "abs",
    "acos",
    "acosh",
    "address_of",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "call_extern",
    "call_intrin",
    "call_packed",
    "ceil",
    "ceildiv",
    "clz",
    "copysign",
    "cos",
    "cosh",
    "decl_buffer",
    "erf",
    "exp",
    "exp10",
    "exp2",
    "floor",
    "floordiv",
    "floormod",
    "fmod",
    "hypot",
    "if_then_else",
    "infinity",
    "isfinite",
    "isinf",
    "isnan",
    "isnullptr",
    "ldexp",
    "likely",
    "log",
    "log10",
    "log1p",
    "log2",
    "max",
    "max_value",
    "min",
    "min_value",
    "nearbyint",
    "nextafter",
    "popcount",
    "pow",
    "ptr_byte_offset",
    "q_multiply_shift",
    "reinterpret",
    "ret",
    "round",
    "rsqrt",
    "shift_left",
    "shift_right",
    "sigmoid",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
    "truncdiv",
    "truncmod",
    "tvm_access_ptr",
    "type_annotation",
    "undef",
    "indexdiv",
    "indexmod",
    "call_pure_extern",
    "handle_add_byte_offset",
    "tvm_stack_alloca",
    "assume",
    "break_loop",
    "continue_loop",
};

// Functions that go by another name in `T`, where they are a class or an operator.
struct Renamed {
  std::string_view name, member;
};
constexpr Renamed kRenamed[] = {
    {"all", "And"},      {"any", "Or"},  {"add", "Add"},   {"subtract", "Sub"},
    {"multiply", "Mul"}, {"div", "Div"}, {"power", "pow"},
};

// tvm.tirx.const(value, dtype=None)
Value constant(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "const", {"value", "dtype"}, 1);
  if (!a) return Value::error();
  ir::Expr e = in.as_expr(a[0], a.span(0), "the value");
  if (!e || !a.has(1)) return e ? Value::expr(e) : Value::error();
  auto d = in.as_dtype(a[1], a.span(1));
  if (!d) return Value::error();
  auto made = ir::convert(*d, e);
  return made ? Value::expr(*made) : in.fail(code::kType, args.call, made.error(), {}, "ValueError");
}

// Classes of the reference that later releases call otherwise.
struct ClassName {
  text::Dialect since;
  std::string_view is, was;
};
constexpr ClassName kClassNames[] = {
    {text::Dialect::V0_26, "Expr", "PrimExpr"},
    {text::Dialect::V0_27, "TensorLoad", "BufferLoad"},
    {text::Dialect::V0_27, "TensorRegion", "BufferRegion"},
};
Value class_of_release(Interpreter& in, std::string_view name) {
  for (const ClassName& c : kClassNames) {
    if (c.is == name && in.dialect() >= c.since) return Value::object(tirx_class(in, c.was));
  }
  return Value::error();
}

// is_prim_expr(v), is_buffer_var(v)
template <bool Buffers>
Value is_of_kind(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, Buffers ? "is_buffer_var" : "is_prim_expr", {"value"}, 1);
  if (!a) return Value::error();
  if (a[0].is_opaque() || a[0].is_poison()) return a[0];
  return Value::boolean(Buffers ? a[0].as<BufferValue>() != nullptr
                                : a[0].is_expr() || (a[0].is_int() && a[0].immediate));
}

Value lookup_tirx(Interpreter& in, Namespace& self, std::string_view name) {
  if (Value v = class_of_release(in, name); !v.is_error()) return v;
  if (name == "is_buffer_var" && in.dialect() >= text::Dialect::V0_26) return in.native(name, is_of_kind<true>);
  if (Class* cls = tirx_class(in, name)) return Value::object(cls);
  if (name == "layout") return layout_module(in);
  if (name == "script") return tirx_namespace(in);
  if (is_tirx_module(name)) return in.name_space("tvm.tirx." + std::string(name), lookup_tirx);
  if (name == "const") return in.native("const", constant);
  for (const Renamed& r : kRenamed) {
    if (r.name == name) return in.attribute(tirx_namespace(in), r.member, {});
  }
  if (std::find(std::begin(kShared), std::end(kShared), name) != std::end(kShared)) {
    return in.attribute(tirx_namespace(in), name, {});
  }
  return not_followed(in, self, name);
}

// PrimType("uint64") and PointerType(PrimType("uint64"), scope): types as printed kernels spell them.
Value prim_type(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "PrimType", {"dtype"}, 1);
  if (!a) return Value::error();
  if (a[0].is_opaque()) return a[0];
  auto d = in.as_dtype(a[0], a.span(0));
  if (!d) return Value::error();
  DataTypeValue* type = in.make<DataTypeValue>();
  type->dtype = *d;
  return Value::object(type);
}
Value pointer_type(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "PointerType", {"element_type", "storage_scope"}, 1);
  if (!a) return Value::error();
  TypeAnnotation* type = in.make<TypeAnnotation>();
  type->kind = TypeAnnotation::Kind::Handle;
  if (DataTypeValue* d = a[0].as<DataTypeValue>()) type->pointee = d->dtype;
  if (Str* scope = a[1].as<Str>()) type->storage_scope = scope->text;
  return Value::object(type);
}

Value lookup_ir(Interpreter& in, Namespace& self, std::string_view name) {
  if (name == "PrimType") return in.native("PrimType", prim_type);
  if (name == "PointerType") return in.native("PointerType", pointer_type);
  if (Value v = class_of_release(in, name); !v.is_error()) return v;
  if (name == "is_prim_expr" && in.dialect() >= text::Dialect::V0_26) return in.native(name, is_of_kind<false>);
  if (name == "StringImm" && in.dialect() >= text::Dialect::V0_27) return Value::object(tirx_class(in, name));
  for (std::string_view known : {"PrimExpr", "BaseExpr", "BaseFunc"}) {
    if (known == name) return Value::object(tirx_class(in, name));
  }
  return not_followed(in, self, name);
}

// ---- tvm.arith ------------------------------------------------------------------------------------------------

// The instance stands in front of what its methods are called with.
Value analyzed(Interpreter& in, const Arguments& args, std::size_t operands, ir::Expr (&out)[2]) {
  if (args.positional.size() < operands + 1) {
    return in.fail(code::kArguments, args.call, "this method of Analyzer needs an expression");
  }
  for (std::size_t i = 0; i < operands; ++i) {
    Value v = args.positional[i + 1];
    if (v.is_opaque() || v.is_poison()) return v;
    out[i] = in.as_expr(v, args.call);
    if (!out[i]) return Value::error();
  }
  return Value::none();
}

Value analyzer_simplify(Interpreter& in, const Arguments& args, Value) {
  ir::Expr e[2];
  Value failed = analyzed(in, args, 1, e);
  return failed.is_none() ? Value::expr(ir::simplify(e[0])) : failed;
}

Value analyzer_can_prove(Interpreter& in, const Arguments& args, Value) {
  ir::Expr e[2];
  Value failed = analyzed(in, args, 1, e);
  if (!failed.is_none()) return failed;
  const std::int64_t* c = ir::constant(ir::simplify(e[0]));
  return Value::boolean(c && *c != 0);
}

Value analyzer_can_prove_equal(Interpreter& in, const Arguments& args, Value) {
  ir::Expr e[2];
  Value failed = analyzed(in, args, 2, e);
  if (!failed.is_none()) return failed;
  auto difference = ir::apply_operator(ir::ExprKind::Sub, e[0], e[1]);
  const std::int64_t* c = difference ? ir::constant(ir::simplify(*difference)) : nullptr;
  return Value::boolean(c && *c == 0);
}

Value lookup_arith(Interpreter& in, Namespace& self, std::string_view name) {
  if (name != "Analyzer") return not_followed(in, self, name);
  return Value::object(python::shared_class(in, "tvm.Analyzer", [&] {
    Class* cls = python::make_class(in, "Analyzer", {python::class_named(in, "object")});
    for (std::string_view method : {"simplify", "rewrite_simplify", "canonical_simplify"}) {
      python::add_method(in, cls, method, analyzer_simplify);
    }
    python::add_method(in, cls, "can_prove", analyzer_can_prove);
    python::add_method(in, cls, "can_prove_equal", analyzer_can_prove_equal);
    cls->has_unknown_base = true;  // its other methods
    return cls;
  }));
}

Value lookup_runtime(Interpreter& in, Namespace& self, std::string_view name) {
  return name == "DataType" ? Value::object(tirx_class(in, name)) : not_followed(in, self, name);
}

// The instruction that `T` calls `path.a.b` and this module `a_b`. Error tag: there is none.
Value joined_instruction(Interpreter& in, std::string_view space, std::string_view name) {
  if (const Record* record = in.surface().find(space, name)) return in.denoted(*record);
  for (std::size_t end = name.rfind('_'); end != name.npos && end > 0; end = name.rfind('_', end - 1)) {
    const Record* outer = in.surface().find(space, name.substr(0, end));
    if (!outer || outer->children.empty()) continue;
    Value v = joined_instruction(in, outer->children, name.substr(end + 1));
    if (!v.is_error() || in.has_pending()) return v;
  }
  return Value::error();
}

// `tvm.tirx.cuda.op`: the instructions of `T.ptx` and `T.cuda` under one name each, `ptx_bar_sync`.
Value lookup_cuda_op(Interpreter& in, Namespace& self, std::string_view name) {
  if (!module_has(self.path, name)) return Value::error();
  Value v = joined_instruction(in, "T", name);
  return v.is_error() && !in.has_pending() ? not_followed(in, self, name) : v;
}

// The layouts of scale factors; those of tensor memory stand among the other layouts.
Value lookup_gemm_async(Interpreter& in, Namespace& self, std::string_view name) {
  return name == "sf_tmem_layout" ? in.attribute(layout_module(in), name, {}) : lookup_partly(in, self, name);
}

Value lookup_tvm(Interpreter& in, Namespace& self, std::string_view name) {
  if (name == "DataType") return Value::object(tirx_class(in, name));
  // What pip installs for the release of the script.
  constexpr std::string_view kVersions[] = {"0.25.0.post1", "0.26.0", "0.27.0.post1"};
  static_assert(std::size(kVersions) == text::kDialects.size());
  if (name == "__version__") return in.string(kVersions[static_cast<std::size_t>(in.dialect())]);
  return not_followed(in, self, name);
}

}  // namespace

Value tvm_package(Interpreter& in, std::string_view dotted) {
  if (dotted == "tvm") return in.name_space("tvm", lookup_tvm);
  if (dotted == "tvm.script") return in.name_space("tvm.script", lookup_script);
  if (dotted == "tvm.script.parser") return in.name_space("tvm.script.parser", lookup_parser);
  if (dotted == "tvm.script.tirx" || dotted == "tvm.tirx.script") return tirx_namespace(in);
  if (dotted == "tvm.script.parser.tirx" || dotted == "tvm.tirx.script.parser") return parser_tirx(in);
  if (dotted == "tvm.script.tirx.tile") return tile_namespace(in);
  if (dotted == "tvm.script.ir") return in.name_space("tvm.script.ir", lookup_ir_script);
  if (dotted.starts_with("tvm.tirx.layout") || dotted.find("tma_utils") != std::string_view::npos)
    return layout_module(in);
  // The prelude's own way to ask for an integer, be it an IntImm of the reference: no file of the script's can come
  // between as with `numbers`.
  if (dotted == "tvm.tirx.lang.integers") return python_module(in, "numbers");
  for (std::string_view backend : {"tvm.backend.cuda.lang", "tvm.tirx.cuda.lang"}) {
    if (dotted.starts_with(backend))
      return tvm_package(in, "tvm.tirx.lang" + std::string(dotted.substr(backend.size())));
  }
  if (dotted.starts_with("tvm.tirx.lang")) return surface_space(in, std::string(dotted), "lang", lookup_lang);
  constexpr std::string_view kTirx = "tvm.tirx";
  if (dotted == kTirx || (dotted.starts_with("tvm.tirx.") && is_tirx_module(dotted.substr(kTirx.size() + 1)))) {
    return in.name_space(std::string(dotted), lookup_tirx);
  }
  if (dotted == "tvm.ir" || dotted == "tvm.ir.expr" || dotted == "tvm.ir.type")
    return in.name_space(std::string(dotted), lookup_ir);
  if (dotted == "tvm.arith" || dotted == "tvm.sym") return in.name_space(std::string(dotted), lookup_arith);
  if (dotted == "tvm.runtime") return in.name_space("tvm.runtime", lookup_runtime);
  if (dotted == "tvm.tirx.cuda.op" || dotted == "tvm.backend.cuda.op") {
    return in.name_space(std::string(dotted), lookup_cuda_op);
  }
  if (dotted == "tvm.tirx.cuda.iket" || dotted == "tvm.backend.cuda.iket") {
    return surface_space(in, std::string(dotted), "iket", lookup_partly);
  }
  if (dotted == "tvm.backend.cuda.cpp.descriptors") {
    return surface_space(in, std::string(dotted), "descriptors", lookup_partly);
  }
  if (dotted == "tvm.tirx.bench") return surface_space(in, std::string(dotted), "bench", lookup_partly);
  if (dotted.ends_with(".gemm_async.tcgen05")) {
    return surface_space(in, std::string(dotted), "gemm_async", lookup_gemm_async);
  }
  if (!is_open_module(dotted)) return in.name_space(std::string(dotted), lookup_listed);
  return Value::opaque("tvm");
}

}  // namespace tilewright::script

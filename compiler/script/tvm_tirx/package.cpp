// The modules of `tvm_tirx` and the names of its `T`: those that it has beside the names of 0.27, and those of 0.27
// that it lacks. All other names are those of `T` (Surface::find).
#include "compiler/script/tvm_tirx/package.h"

#include <algorithm>

#include "compiler/script/surface.h"
#include "compiler/script/tirx/modules.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/text/dotted.h"

namespace tilewright::script {
namespace {

using text::Dialect::V0_27;

constexpr std::string_view kPackage = "tvm_tirx";
// Of a function that the package decorated; no name that a script could write.
constexpr std::string_view kMark = "decorated by tvm_tirx";
// In the dict of a kernel: what note_value() noted.
constexpr std::string_view kValues = "values of names";

// ---- decorators ---------------------------------------------------------------------------------------------------

Function* mark(Interpreter& in, const Arguments& args, std::string_view shown) {
  Function* f = args.positional.size() == 1 ? args.positional[0].as<Function>() : nullptr;
  if (!f) {
    in.refuse(code::kType, args.call, "@T." + std::string(shown) + " decorates a function", {}, "TypeError");
    return nullptr;
  }
  Dict* attributes = f->attributes.as<Dict>();
  if (!attributes) {
    attributes = in.make<Dict>();
    f->attributes = Value::object(attributes);
  }
  in.dict_set(attributes, in.string(kMark), Value::boolean(true));
  return f;
}

// `self`: is the kernel private?
Value decorate(Interpreter& in, const Arguments& args, Value self) {
  Function* f = mark(in, args, "function");
  if (!f) return Value::error();
  if (f->def->returns) return args.positional[0];  // of scalars, for T.cuda.tile.ewise
  f->mode = FunctionMode::PrimFunc;
  return in.reuse().evaluate(f, nullptr, self.is_bool() && self.b, false);
}

Value function(Interpreter& in, const Arguments& args, Value) {
  if (!args.positional.empty()) return decorate(in, args, Value::boolean(false));
  Bound a(in, args, "T.function", {"func", "private", "check_well_formed"}, 0);
  if (!a) return Value::error();
  const auto is_private = a.has(1) ? in.truth(a[1], a.span(1)) : std::optional(false);
  return is_private ? in.native("function", decorate, Value::boolean(*is_private)) : Value::error();
}

// T.jit is that of 0.27; its kernels are the package's.
Value decorate_jit(Interpreter& in, const Arguments& args, Value self) {
  if (!mark(in, args, "jit")) return Value::error();
  const Value made = self.is_none() ? in.attribute(tirx_namespace(in), "jit", args.call) : self;
  return made.is_error() ? made : in.call(made, args);
}

Value jit(Interpreter& in, const Arguments& args, Value) {
  if (!args.positional.empty()) return decorate_jit(in, args, Value::none());
  const Value decorator = in.attribute(tirx_namespace(in), "jit", args.call);
  const Value with_options = decorator.is_error() ? decorator : in.call(decorator, args);
  return with_options.is_error() ? with_options : in.native("jit", decorate_jit, with_options);
}

// ---- tensors and values -------------------------------------------------------------------------------------------

// T.Tensor(shape, dtype, scope, align, layout): T.Buffer of 0.27 without its strides and offsets.
Value tensor(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.Tensor", {"shape", "dtype", "scope", "align", "layout", "data", "data_alignment"}, 2);
  if (!a) return Value::error();
  std::vector<Keyword> keywords;
  constexpr std::string_view kPackageNames[] = {"shape", "dtype", "scope", "align", "layout", "data", "align"};
  for (std::size_t i = 0; i < std::size(kPackageNames); ++i) {
    if (a.has(i)) keywords.push_back({kPackageNames[i], a[i], a.span(i)});
  }
  // What is in registers has the layout that is written, and no other.
  const Str* scope = a[2].as<Str>();
  if (scope && scope->text == "local" && !a.has(4)) keywords.push_back({"layout", Value::none(), args.call});
  const Value buffer = in.attribute(tirx_namespace(in), "Buffer", args.call);
  if (buffer.is_error()) return buffer;
  return in.call(buffer, Arguments{{}, keywords, {}, args.call, args.function});
}

// The tensor that ty_args=[T.Tensor(...)] says. Null: an error is pending.
const ir::Buffer* type_argument(Interpreter& in, Value value, text::Span span, std::string_view shown) {
  auto items = in.iterate(value, span);
  if (!items) return nullptr;
  TypeAnnotation* type = items->size() == 1 ? items->front().as<TypeAnnotation>() : nullptr;
  if (!type || !type->buffer) {
    in.fail(code::kBuffer, span, std::string(shown) + " takes one tensor type",
            "write ty_args=[T.Tensor(shape, dtype, scope=\"local\")]", "TypeError");
    return nullptr;
  }
  return type->buffer;
}

BufferOptions options_of(const ir::Buffer& type) {
  BufferOptions options;
  options.dtype = type.dtype;
  options.shape.assign(type.shape.begin(), type.shape.end());
  options.scope = type.scope;
  options.scope_text = type.scope_text;
  options.align = type.align;
  options.layout = type.layout;
  return options;
}

constexpr std::string_view kWithoutLayout = "without a layout";

// Notes that the script gave this tensor in registers no layout.
void note_without_layout(Interpreter& in, Value tensor) {
  Dict* launch = in.kernel()->session.as<Dict>();
  const BufferValue* made = tensor.as<BufferValue>();
  if (!launch || !made || made->buffer->scope != ir::StorageScope::Local) return;
  Value* list = in.dict_find(launch, in.string(kWithoutLayout));
  if (list) {
    list->as<List>()->items.push_back(tensor);
  } else {
    in.dict_set(launch, in.string(kWithoutLayout), in.list({tensor}));
  }
}

Value alloc_local(Interpreter& in, const Arguments& args, Value) {
  const Value own = in.attribute(tirx_namespace(in), "alloc_local", args.call);
  const Value made = own.is_error() ? own : in.call(own, args);
  const bool given =
      std::ranges::any_of(args.keywords, [](const Keyword& k) { return k.name == "layout" && !k.value.is_none(); });
  if (!made.is_error() && !given) note_without_layout(in, made);
  return made;
}

// T.reinterpret(value, ty=T.uint32)
Value reinterpret(Interpreter& in, const Arguments& args, Value) {
  const Value own = in.attribute(tirx_namespace(in), "reinterpret", args.call);
  if (own.is_error()) return own;
  if (std::ranges::none_of(args.keywords, [](const Keyword& k) { return k.name == "ty"; })) return in.call(own, args);
  Bound a(in, args, "T.reinterpret", {"value", "ty"}, 2);
  if (!a) return Value::error();
  const Value values[] = {a[1], a[0]};
  return in.call(own, values, args.call);
}

Value alloc_tensor(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.alloc_tensor", {"placement", "ty_args", "attrs", "annotations"}, 0);
  if (!a || !in.require_kernel(args.call, "T.alloc_tensor")) return Value::error();
  const ir::Buffer* type =
      type_argument(in, a.has(1) ? a[1] : in.list({}), a.has(1) ? a.span(1) : args.call, "T.alloc_tensor");
  if (!type) return Value::error();
  BufferOptions options = options_of(*type);
  if (a.has(0)) {
    Value place = a[0];
    if (List* l = place.as<List>(); l && l->items.size() == 1) place = l->items[0];
    if (Tuple* t = place.as<Tuple>(); t && t->items.size() == 1) place = t->items[0];
    options.allocated_addr = in.as_expr(place, a.span(0), "the placement");
    if (!options.allocated_addr) return Value::error();
  }
  const Value made = allocate(in, options, args.call);
  if (!made.is_error() && !type->layout) note_without_layout(in, made);
  return made;
}

Value decl_tensor(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.decl_tensor", {"data", "ty_args", "attrs"}, 2);
  if (!a || !in.require_kernel(args.call, "T.decl_tensor")) return Value::error();
  const ir::Buffer* type = type_argument(in, a[1], a.span(1), "T.decl_tensor");
  ir::Expr data = type ? in.as_expr(a[0], a.span(0), "the pointer") : ir::Expr();
  if (!data) return Value::error();
  if (!data.dtype().is_handle()) {
    return in.fail(code::kBuffer, a.span(0),
                   "T.decl_tensor takes a pointer, this is of type " + ir::dtype_name(data.dtype()),
                   "pass tensor.data, tensor.ptr_to([...]) or a parameter T.Ptr(dtype)", "TypeError");
  }
  const auto* var = data.as<ir::Var>();
  if (!var) {
    ir::Var* bound = bind_value(in, "ptr", data, nullptr, a.span(0));
    bound->pointee = type->dtype;
    if (type->scope != ir::StorageScope::Global) bound->storage_scope = ir::storage_scope_name(type->scope);
    var = bound;
  }
  BufferOptions options = options_of(*type);
  options.data = var;
  return allocate(in, options, args.call);
}

Value data_pointer(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.tensor_data_ptr", {"tensor"}, 1);
  return a ? in.attribute(a[0], "data", args.call) : Value::error();
}

// T.cuda.decl_tmem(address, ty_args=[T.Tensor(..., scope="tmem")])
Value decl_tmem(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.cuda.decl_tmem", {"address", "ty_args"}, 2);
  if (!a || !in.require_kernel(args.call, "T.cuda.decl_tmem")) return Value::error();
  const ir::Buffer* type = type_argument(in, a[1], a.span(1), "T.cuda.decl_tmem");
  if (!type) return Value::error();
  BufferOptions options = options_of(*type);
  options.scope = ir::StorageScope::Tmem;
  options.allocated_addr = in.as_expr(a[0], a.span(0), "the address");
  return options.allocated_addr ? allocate(in, options, args.call) : Value::error();
}

// T.dynamic("n"): an extent that each launch gives.
Value dynamic(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.dynamic", {"name", "dtype"}, 1);
  auto name = a ? in.as_string(a[0], a.span(0), "the name") : std::nullopt;
  if (!name) return Value::error();
  ir::DataType dtype = ir::kInt32;
  if (a.has(1)) {
    auto given = in.as_dtype(a[1], a.span(1));
    if (!given) return Value::error();
    dtype = *given;
  }
  if (!dtype.is_integral() || dtype.is_bool() || dtype.lanes != 1) {
    return in.fail(code::kType, a.span(1), "T.dynamic is an integer, not " + ir::dtype_name(dtype),
                   "write T.dynamic(\"" + std::string(*name) + "\", \"int64\")", "TypeError");
  }
  ir::Var* var = in.drafts().variable(dtype, ir::VarRole::Extent);
  var->range = {0, ir::Interval::kMax};
  in.drafts().name(var, *name);
  return Value::expr(var);
}

// T.bind_(value): a value of its own, computed here; what has been allocated stays what it is.
Value bind(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.bind_", {"value", "name"}, 1);
  if (!a || !in.require_kernel(args.call, "T.bind_")) return Value::error();
  if (!a[0].is_expr()) return a[0];
  const auto* load = a[0].as_expr().as<ir::Load>();
  if (load && load->buffer->is_scalar) return a[0];
  ir::Var* var = bind_value(in, {}, a[0].as_expr(), nullptr, args.call);
  in.kernel()->know(var, a[0].as_expr());
  return Value::expr(var);
}

Value tensor_store(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.tensor_store", {"tensor", "indices", "value"}, 3);
  if (!a || !in.require_kernel(args.call, "T.tensor_store")) return Value::error();
  const Value own = in.attribute(tirx_namespace(in), "buffer_store", args.call);
  const Value operands[] = {a[0], a[2], a[1]};
  const text::Span spans[] = {a.span(0), a.span(2), a.span(1)};
  return own.is_error() ? own : in.call(own, Arguments{operands, {}, spans, args.call, args.function});
}

// T.ThreadScope("cuda.warp"): a scope, as printed kernels spell it.
Value thread_scope(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.ThreadScope", {"name"}, 1);
  return a ? a[0] : Value::error();
}

// T.constexpr(value) in a kernel: what Python computes of it.
Value constexpr_value(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.constexpr", {"value"}, 1);
  return a ? a[0] : Value::error();
}

Value constexpr_or_type(Interpreter& in, const Record&, Value) { return in.native("constexpr", constexpr_value); }

Value launch_of_kernel(Interpreter& in, const Arguments& args, Value) {
  const KernelState* kernel = in.kernel();
  if (kernel && !kernel->traced && !kernel->session.is_none()) return kernel->session;
  return in.fail(code::kOutside, args.call, "this belongs into the body of a kernel",
                 "decorate the function with @T.function");
}

// A value of the launch is asked for where the kernel has none. After an error, which may be that of T.device_entry,
// nothing is said.
Value without_launch(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T._no_launch", {"what"}, 1);
  if (!a) return Value::error();
  if (in.kernel() && in.kernel()->failed) return in.fail("", args.call, "");
  const Str* what = a[0].as<Str>();
  return in.fail(code::kRaised, args.call,
                 "RuntimeError: " + (what ? std::string(what->text) : std::string("this")) +
                     " has a value below T.device_entry(launch=...)",
                 {}, "RuntimeError");
}

// ---- names --------------------------------------------------------------------------------------------------------

Value lookup_t(Interpreter& in, Namespace&, std::string_view name) {
  const Record* record = in.surface().find("tirx", name);
  if (record) return in.denoted(*record);
  Namespace* t = tirx_namespace(in).as<Namespace>();  // vectors of a dtype
  const Value v = t->lookup(in, *t, name);
  return v.as<DataTypeValue>() || in.has_pending() ? v : Value::error();
}

Value package_t(Interpreter& in) { return surface_space(in, "T", "tirx", lookup_t); }

Value cuda(Interpreter& in, const Record&, Value) { return surface_space(in, "T.cuda", "tirx.cuda", lookup_surface); }

Value of_launch_file(Interpreter& in, const Record& record, Value) {
  return in.modules().prelude_of("0.27/" + std::string(record.detail), record.name);
}

// A name of 0.27, "cuda.wgmma.noop_barrier".
Value of_t(Interpreter& in, const Record& record, Value) {
  Value found = tirx_namespace(in);
  for (std::string_view rest = record.detail; !rest.empty() && !found.is_error();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    found = in.attribute(found, rest.substr(0, dot), {});
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return found;
}

Value of_layouts(Interpreter& in, const Record& record, Value) {
  return record.detail.empty() ? layout_module(in) : in.attribute(layout_module(in), record.detail, {});
}

Value of_modules(Interpreter& in, const Record& record, Value) {
  return in.attribute(tvm_package(in, "tvm.script.ir"), record.detail, {});
}

Value not_available(Interpreter& in, const Record& record, Value) {
  return in.fail(code::kAttribute, {},
                 "T." + std::string(record.name) + " is not available: it " + std::string(record.documentation),
                 std::string(record.detail), "AttributeError");
}

Value refused(Interpreter& in, const Record& record, Value) {
  return in.fail(code::kAttribute, {}, "tvm_tirx has no T." + std::string(record.name), std::string(record.detail),
                 "AttributeError");
}
Value refused_cuda(Interpreter& in, const Record& record, Value) {
  return in.fail(code::kAttribute, {}, "tvm_tirx has no T.cuda." + std::string(record.name), std::string(record.detail),
                 "AttributeError");
}

consteval Record own(std::string_view name, NameKind kind, std::string_view signature, std::string_view says,
                     NativeFunction function) {
  return since(V0_27, {"tirx", name, kind, signature, says, function});
}
consteval Record also(std::string_view name, std::string_view signature, std::string_view says, std::string_view is) {
  return since(V0_27, {"tirx", name, NameKind::Function, signature, says, nullptr, of_t, is});
}
consteval Record of_cuda(std::string_view name, NameKind kind, std::string_view signature, std::string_view says) {
  return since(V0_27, {"tirx.cuda", name, kind, signature, says, nullptr, of_launch_file, "tirx_launch.py"});
}
consteval Record also_of_cuda(std::string_view name, std::string_view is) {
  return since(V0_27,
               {"tirx.cuda", name, NameKind::Function, "*operands", "The same under one name.", nullptr, of_t, is});
}
consteval Record elsewhere(std::string_view name, std::string_view why, std::string_view instead = {}) {
  return since(V0_27, {"tirx", name, NameKind::Elsewhere, {}, why, nullptr, not_available, instead});
}
consteval Record gone(std::string_view name, std::string_view instead) {
  return since(V0_27, {"tirx", name, NameKind::Elsewhere, {}, {}, nullptr, refused, instead});
}
consteval Record gone_of_cuda(std::string_view name, std::string_view instead) {
  return since(V0_27, {"tirx.cuda", name, NameKind::Elsewhere, {}, {}, nullptr, refused_cuda, instead});
}

constexpr std::string_view kHostAlone = "belongs to the host, not into a kernel";
constexpr std::string_view kByHand = "builds a statement by hand";
constexpr std::string_view kByHandInstead = "write the statement itself";
constexpr std::string_view kOtherTargets = "is for other targets than CUDA";
constexpr std::string_view kAlloc = "write T.alloc_tensor(ty_args=[T.Tensor(shape, dtype, scope=...)])";
constexpr std::string_view kStatements = "write the statement of Python: if, else, while, break, continue, return";
constexpr std::string_view kTile = "tiles are moved by T.cuda.tile.apply(instruction, *views, scope=...)";
constexpr std::string_view kBlocks = "write loops and indices";

constexpr Record kRecords[] = {
    own("function", NameKind::Decorator, "func", "A kernel: its body is read as a script that emits statements.",
        function),
    own("jit", NameKind::Decorator, "func", "A kernel with compile-time parameters, made by f.specialize(NAME=value).",
        jit),
    own("Tensor", NameKind::Type, "shape, dtype, scope='global', align=0, layout=None, *, data=None",
        "A tensor with its shape and dtype: of a parameter, or of memory that the kernel allocates.", tensor),
    own("alloc_tensor", NameKind::Function, "placement=None, *, ty_args, attrs=None, annotations=None",
        "Allocates the tensor that ty_args=[T.Tensor(...)] describes.", alloc_tensor),
    own("alloc_local", NameKind::Function, "shape, dtype='float32', align=-1, layout=None",
        "Allocates a tensor in the registers of each thread.", alloc_local),
    own("decl_tensor", NameKind::Function, "data, *, ty_args, attrs=None",
        "Declares a tensor over memory that exists already.", decl_tensor),
    own("dynamic", NameKind::Function, "name, dtype='int32'", "An extent that each launch gives.", dynamic),
    own("bind_", NameKind::Function, "value, name=None", "Computes a value here, under a name of its own.", bind),
    since(V0_27,
          {"tirx", "reinterpret", NameKind::Function, "value, *, ty", "The same bits as another type.", reinterpret}),
    since(V0_27, {"tirx", "constexpr", NameKind::Type, "value",
                  "What Python computes: of a condition, or a @T.jit parameter that is known when the kernel is made.",
                  nullptr, constexpr_or_type}),
    own("ThreadScope", NameKind::Function, "name", "A scope of threads by its name.", thread_scope),
    own("_launch", NameKind::Function, "", "Of the prelude's own files.", launch_of_kernel),
    own("_no_launch", NameKind::Function, "what", "Of the prelude's own files.", without_launch),
    since(V0_27, {"tirx", "device_entry", NameKind::Function, "*, launch, kernel_attrs=None, backend_config=None",
                  "Everything below runs on the device, in the grid that launch= says.", nullptr, of_launch_file,
                  "tirx_launch.py"}),
    since(V0_27, {"tirx",
                  "cuda",
                  NameKind::Namespace,
                  {},
                  "Launch, ids and functions of CUDA.",
                  nullptr,
                  cuda,
                  {},
                  0,
                  "tirx.cuda"}),
    also("select", "condition, true_value, false_value", "Chooses one of two values, both of which are computed.",
         "Select"),
    also("logical_and", "a, b", "Are both true?", "And"),
    also("logical_or", "a, b", "Is one of both true?", "Or"),
    also("logical_not", "a", "Is it false?", "Not"),
    own("tensor_store", NameKind::Function, "tensor, indices, value", "Stores an element.", tensor_store),
    also("stack_alloca", "kind, size=1", "Storage on the host's stack, for a tensor map.", "tvm_stack_alloca"),
    own("tensor_data_ptr", NameKind::Function, "tensor", "The pointer to a tensor's data.", data_pointer),
    since(V0_27, {"tirx.cuda", "decl_tmem", NameKind::Function, "address, *, ty_args",
                  "Declares a tensor over columns of tensor memory that tcgen05.alloc allocated.", decl_tmem}),
    also("gpu_warp_shuffle", "mask, value, lane, width, warp_size", "The value of another lane.", "tvm_warp_shuffle"),
    also("gpu_warp_shuffle_up", "mask, value, delta, width, warp_size", "The value of a lane before.",
         "tvm_warp_shuffle_up"),
    also("gpu_warp_shuffle_down", "mask, value, delta, width, warp_size", "The value of a lane after this one.",
         "tvm_warp_shuffle_down"),
    also("gpu_warp_activemask", "", "The lanes that are active.", "tvm_warp_activemask"),
    also("gpu_storage_sync", "scope", "Waits for the threads of a scope.", "tvm_storage_sync"),
    since(V0_27,
          {"tirx", "ir_module", NameKind::Decorator, "cls", "A class of kernels.", nullptr, of_modules, "ir_module"}),
    since(V0_27, {"tirx.cuda", "Axis", NameKind::Namespace, {}, "The axes of layouts.", nullptr, of_layouts, "Axis"}),
    since(V0_27, {"tirx.cuda", "layout", NameKind::Namespace, {}, "Layouts of CUDA.", nullptr, of_layouts}),
    since(V0_27,
          {"tirx.cuda", "ThreadScope", NameKind::Function, "name", "A scope of threads by its name.", thread_scope}),
    also_of_cuda("wgmma_noop_barrier", "cuda.wgmma.noop_barrier"),
    also_of_cuda("wgmma_encode_matrix_descriptor", "cuda.wgmma.encode_matrix_descriptor"),
    also_of_cuda("tcgen05_encode_matrix_descriptor", "cuda.tcgen05.encode_matrix_descriptor"),
    also_of_cuda("tcgen05_encode_instr_descriptor", "cuda.tcgen05.encode_instr_descriptor"),
    also_of_cuda("tcgen05_encode_instr_descriptor_block_scaled", "cuda.tcgen05.encode_instr_descriptor_block_scaled"),
    also_of_cuda("iket_mark", "cuda.iket.mark"),
    also_of_cuda("iket_range_start", "cuda.iket.range_start"),
    also_of_cuda("iket_range_end", "cuda.iket.range_end"),
    also_of_cuda("iket_range_push", "cuda.iket.range_push"),
    also_of_cuda("iket_range_pop", "cuda.iket.range_pop"),
    also_of_cuda("iket_sentinel_token", "cuda.iket.sentinel_token"),
    also_of_cuda("iket_official_event", "cuda.iket.official_event"),
    of_cuda("BackendConfig", NameKind::Class, "**settings", "How the package calls its compiler."),
    elsewhere("abi_field_get", kHostAlone),
    elsewhere("abi_field_set", kHostAlone),
    elsewhere("alloc_workspace", kHostAlone),
    elsewhere("call_global_var_", kHostAlone),
    elsewhere("call_spirv_pure_glsl450", kHostAlone),
    elsewhere("compute_scope", kHostAlone),
    elsewhere("cpu_parallel_barrier", kHostAlone),
    elsewhere("decl_function", kHostAlone),
    elsewhere("device_context", kHostAlone),
    elsewhere("device_scope", kHostAlone),
    elsewhere("external_kernel", kHostAlone),
    elsewhere("free_workspace", kHostAlone),
    elsewhere("kernel_replace_point", kHostAlone),
    elsewhere("module_attrs", kHostAlone),
    elsewhere("module_get_attr", kHostAlone),
    elsewhere("module_global_infos", kHostAlone),
    elsewhere("module_set_attr", kHostAlone),
    elsewhere("parallel_launch", kHostAlone),
    elsewhere("pyfunc", kHostAlone),
    elsewhere("stack_make_dltensor", kHostAlone),
    elsewhere("stack_make_shape", kHostAlone),
    elsewhere("static_handle", kHostAlone),
    elsewhere("throw_last_error", kHostAlone),
    elsewhere("and_", kByHand, kByHandInstead),
    elsewhere("arg_", kByHand, kByHandInstead),
    elsewhere("assert_", kByHand, kByHandInstead),
    elsewhere("assign", kByHand, kByHandInstead),
    elsewhere("at_", kByHand, kByHandInstead),
    elsewhere("break_", kByHand, kByHandInstead),
    elsewhere("check_well_formed_", kByHand, kByHandInstead),
    elsewhere("continue_", kByHand, kByHandInstead),
    elsewhere("decl_mutable_cell_", kByHand, kByHandInstead),
    elsewhere("else_", kByHand, kByHandInstead),
    elsewhere("emit", kByHand, kByHandInstead),
    elsewhere("emit_", kByHand, kByHandInstead),
    elsewhere("eq_", kByHand, kByHandInstead),
    elsewhere("expose_script_op", kByHand, kByHandInstead),
    elsewhere("expose_script_type", kByHand, kByHandInstead),
    elsewhere("for_", kByHand, kByHandInstead),
    elsewhere("frame", kByHand, kByHandInstead),
    elsewhere("frame_scope", kByHand, kByHandInstead),
    elsewhere("func_name_", kByHand, kByHandInstead),
    elsewhere("func_ret_type_", kByHand, kByHandInstead),
    elsewhere("function_", kByHand, kByHandInstead),
    elsewhere("ge_", kByHand, kByHandInstead),
    elsewhere("gt_", kByHand, kByHandInstead),
    elsewhere("if_", kByHand, kByHandInstead),
    elsewhere("if_then_else_", kByHand, kByHandInstead),
    elsewhere("ir_builder", kByHand, kByHandInstead),
    elsewhere("le_", kByHand, kByHandInstead),
    elsewhere("lt_", kByHand, kByHandInstead),
    elsewhere("make_node", kByHand, kByHandInstead),
    elsewhere("module_member_", kByHand, kByHandInstead),
    elsewhere("ne_", kByHand, kByHandInstead),
    elsewhere("not_", kByHand, kByHandInstead),
    elsewhere("or_", kByHand, kByHandInstead),
    elsewhere("parser_protocol", kByHand, kByHandInstead),
    elsewhere("range_", kByHand, kByHandInstead),
    elsewhere("region", kByHand, kByHandInstead),
    elsewhere("resolve_global_info_", kByHand, kByHandInstead),
    elsewhere("resolve_global_info_args", kByHand, kByHandInstead),
    elsewhere("return_", kByHand, kByHandInstead),
    elsewhere("set_mutable_cell_", kByHand, kByHandInstead),
    elsewhere("setattr_", kByHand, kByHandInstead),
    elsewhere("setitem_", kByHand, kByHandInstead),
    elsewhere("supports_mutable_declarations", kByHand, kByHandInstead),
    elsewhere("tensor_indices", kByHand, kByHandInstead),
    elsewhere("then_", kByHand, kByHandInstead),
    elsewhere("unpack_", kByHand, kByHandInstead),
    elsewhere("utils", kByHand, kByHandInstead),
    elsewhere("while_", kByHand, kByHandInstead),
    elsewhere("with_at_group_", kByHand, kByHandInstead),
    elsewhere("opencl", kOtherTargets),
    elsewhere("trn", kOtherTargets),
    elsewhere("vector_combine", kOtherTargets),
    elsewhere("vector_high", kOtherTargets),
    elsewhere("vector_low", kOtherTargets),
    elsewhere("gpu_dp4a", kOtherTargets),
    elsewhere("gpu_fill_fragment", "moves fragments of another interface",
              "write T.ptx[\"mma.sync...\"] with registers"),
    elsewhere("gpu_load_matrix_sync", "moves fragments of another interface",
              "write T.ptx[\"mma.sync...\"] with registers"),
    elsewhere("gpu_mma_sync", "moves fragments of another interface", "write T.ptx[\"mma.sync...\"] with registers"),
    elsewhere("gpu_store_matrix_sync", "moves fragments of another interface",
              "write T.ptx[\"mma.sync...\"] with registers"),
    elsewhere("gpu_active_thread_selector", kByHand, "write if T.cuda.elect_sync():"),
    elsewhere("gpu_thread_filter", kByHand, "write if with a condition of the ids"),
    elsewhere("gpu_thread_invariant", kByHand, "bind the value: x = T.bind_(value)"),
    elsewhere("gpu_thread_return", kByHand, "write return 0"),
    elsewhere("gpu_thread_allreduce", "reduces over bound threads", "write T.cuda.cta_sum(value, num_warps, scratch)"),
    elsewhere("atomic_add", kOtherTargets, "write T.cuda.atomic_add, or T.ptx.atom"),
    elsewhere("prefetch", kOtherTargets, "write T.ptx.prefetch"),
    of_cuda("LaunchConfig", NameKind::Class,
            "*, grid, block, cluster=None, preferred_cluster=None, dynamic_smem_bytes=None, stream=None, "
            "cooperative=None, programmatic_stream_serialization=None, ...",
            "Grid, CTA and cluster of a kernel: T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=128))."),
    of_cuda("KernelAttributes", NameKind::Class,
            "*, min_blocks_per_sm=None, max_blocks_per_cluster=None, max_registers_per_thread=None, "
            "required_block_size=False",
            "Launch bounds or registers that a kernel is compiled for."),
    of_cuda("MemSyncDomainMap", NameKind::Class, "*, default=0, remote=1", "Physical domains of memory."),
    of_cuda("AccessPolicyWindow", NameKind::Class,
            "*, base_ptr, num_bytes, hit_ratio=1.0, hit_prop='persisting', miss_prop='normal'",
            "What the L2 cache is to keep of a window of memory."),
    of_cuda("ProgrammaticEvent", NameKind::Class, "*, event, flags=0, trigger_at_block_start=False",
            "An event that dependent launches wait for."),
    of_cuda("LaunchCompletionEvent", NameKind::Class, "*, event, flags=0", "An event of all blocks having begun."),
    of_cuda("block_idx", NameKind::Function, "axis", "The index of the CTA in the grid along \"x\", \"y\" or \"z\"."),
    of_cuda("thread_idx", NameKind::Function, "axis",
            "The index of the thread in its CTA along \"x\", \"y\" or \"z\"."),
    of_cuda("grid_dim", NameKind::Function, "axis", "The number of CTAs along an axis."),
    of_cuda("block_dim", NameKind::Function, "axis", "The number of threads of a CTA along an axis."),
    of_cuda("cluster_dim", NameKind::Function, "axis", "The number of CTAs of a cluster along an axis."),
    of_cuda("cluster_cta_id", NameKind::Function, "axis", "The index of the CTA in its cluster along an axis."),
    of_cuda("cluster_id", NameKind::Function, "axis", "The index of the cluster in the grid along an axis."),
    of_cuda("linear_thread_id", NameKind::Function, "", "The index of the thread in its CTA over all axes."),
    of_cuda("lane_id", NameKind::Function, "", "The index of the thread in its warp."),
    of_cuda("warp_id", NameKind::Function, "", "The index of the warp in its CTA, the same in all its lanes."),
    of_cuda("warpgroup_id", NameKind::Function, "", "The index of the warpgroup in its CTA."),
    of_cuda("warp_in_warpgroup", NameKind::Function, "", "The index of the warp in its warpgroup."),
    of_cuda("thread_in_warpgroup", NameKind::Function, "", "The index of the thread in its warpgroup."),
    of_cuda("cta_pair_id", NameKind::Function, "", "0 or 1: which CTA of a pair this is."),
    gone_of_cuda("ldg", "write T.ptx.ld.global_.nc.<type>(dst, address)"),
    gone_of_cuda("_shfl_sync", "write T.ptx.shfl_sync.idx.b32(dst, v, lane, clamp, mask)"),
    gone_of_cuda("_shfl_xor_sync", "write T.ptx.shfl_sync.bfly.b32(dst, v, xor, clamp, mask)"),
    gone_of_cuda("_shfl_up_sync", "write T.ptx.shfl_sync.up.b32(dst, v, delta, clamp, mask)"),
    gone_of_cuda("_shfl_down_sync", "write T.ptx.shfl_sync.down.b32(dst, v, delta, clamp, mask)"),
    gone_of_cuda("_activemask", "write T.ptx.activemask.b32(dst)"),
    gone("prim_func", "write @T.function"),
    gone("Buffer", "write T.Tensor(shape, dtype)"),
    gone("match_buffer", "annotate the parameter: A: T.Tensor(shape, dtype)"),
    gone("alloc_buffer", kAlloc),
    gone("decl_buffer", "write T.decl_tensor(data, ty_args=[T.Tensor(shape, dtype)])"),
    gone("buffer", "write T.Tensor(shape, dtype)"),
    gone("buffer_var", "write T.ptr(dtype, scope)"),
    gone("buffer_store", "write tensor[i] = value, or T.tensor_store(tensor, [i], value)"),
    gone("BufferLoad", "write tensor[i]"),
    gone("sblock_alloc_buffer", kAlloc),
    gone("wg_reg_tile", kAlloc),
    gone("alloc_cast_frag", kAlloc),
    gone("alloc_tcgen05_ldst_frag", kAlloc),
    gone("SMEMPool", "write: from tvm_tirx.backend.cuda.lang import SMEMPool"),
    gone("TMEMPool", "write T.cuda.decl_tmem for columns that T.ptx.tcgen05.alloc allocated"),
    gone("cta_id", "write T.cuda.block_idx(\"x\"); the grid stands in T.cuda.LaunchConfig"),
    gone("thread_id", "write T.cuda.thread_idx(\"x\"); the block stands in T.cuda.LaunchConfig"),
    gone("warp_id", "write T.cuda.warp_id()"),
    gone("lane_id", "write T.cuda.lane_id()"),
    gone("warpgroup_id", "write T.cuda.warpgroup_id()"),
    gone("warp_id_in_wg", "write T.cuda.warp_in_warpgroup()"),
    gone("thread_id_in_wg", "write T.cuda.thread_in_warpgroup()"),
    gone("cluster_id", "write T.cuda.cluster_id(\"x\")"),
    gone("cta_id_in_cluster", "write T.cuda.cluster_cta_id(\"x\"); the cluster stands in T.cuda.LaunchConfig"),
    gone("cta_id_in_pair", "write T.cuda.cta_pair_id()"),
    gone("scope_id", "write T.cuda.block_idx(\"x\") or T.cuda.thread_idx(\"x\")"),
    gone("env_thread", "write T.cuda.thread_idx(\"x\")"),
    gone("thread_binding", "write T.cuda.thread_idx(\"x\")"),
    gone("attr", "the launch stands in T.cuda.LaunchConfig and T.cuda.KernelAttributes"),
    gone("hint", "the launch stands in T.cuda.LaunchConfig and T.cuda.KernelAttributes"),
    gone("bind", "write T.bind_(value)"),
    gone("If", kStatements),
    gone("Then", kStatements),
    gone("Else", kStatements),
    gone("While", kStatements),
    gone("Break", kStatements),
    gone("Continue", kStatements),
    gone("Return", kStatements),
    gone("Assert", kStatements),
    gone("break_loop", kStatements),
    gone("continue_loop", kStatements),
    gone("thread_return", kStatements),
    gone("tile", kTile),
    gone("cluster", kTile),
    gone("cta", kTile),
    gone("warpgroup", kTile),
    gone("wg", kTile),
    gone("warp", kTile),
    gone("thread", kTile),
    gone("filter", "write if T.cuda.elect_sync():"),
    gone("selector", "write if T.cuda.elect_sync():"),
    gone("comm_reducer", kBlocks),
    gone("iter_var", kBlocks),
    gone("sblock", kBlocks),
    gone("axis", kBlocks),
    gone("reads", kBlocks),
    gone("writes", kBlocks),
    gone("where", kBlocks),
    gone("init", kBlocks),
    gone("var", "write T.dynamic(name, dtype)"),
    gone("tvm_access_ptr", "write tensor.ptr_to([...])"),
    gone("tvm_stack_alloca", "write T.stack_alloca(kind, size)"),
    gone("tvm_storage_sync", "write T.cuda.cta_sync()"),
    gone("tvm_warp_shuffle", "write T.ptx.shfl_sync.idx.b32(dst, v, lane, clamp, mask)"),
    gone("tvm_warp_shuffle_xor", "write T.ptx.shfl_sync.bfly.b32(dst, v, xor, clamp, mask)"),
    gone("tvm_warp_shuffle_up", "write T.ptx.shfl_sync.up.b32(dst, v, delta, clamp, mask)"),
    gone("tvm_warp_shuffle_down", "write T.ptx.shfl_sync.down.b32(dst, v, delta, clamp, mask)"),
    gone("tvm_warp_activemask", "write T.ptx.activemask.b32(dst)"),
    gone("tvm_thread_allreduce", "write T.cuda.cta_sum(value, num_warps, scratch)"),
    gone("tensormap_encode_tiled", "write T.cuda.tensormap_encode_tiled"),
};

// What the modules of helpers give; all of it is that of 0.27.
constexpr std::string_view kHelpers[] = {
    "BaseTileScheduler",
    "ClusterPersistentScheduler2D",
    "FlashAttentionLPTScheduler",
    "FlashAttentionLinearScheduler",
    "MBarrier",
    "Pipeline",
    "PipelineState",
    "SMEMPool",
    "TCGen05Bar",
    "TMABar",
    "query_cancel_first_ctaid_x",
};

Value lookup_helpers(Interpreter& in, Namespace&, std::string_view name) {
  for (std::string_view module : {"alloc_pool", "clc", "pipeline", "tile_scheduler"}) {
    if (name == module) return tirx_package(in, "tvm_tirx.backend.cuda.lang." + std::string(name));
  }
  if (std::ranges::find(kHelpers, name) != std::end(kHelpers)) {
    if (const Record* record = in.surface().find("lang", name)) return in.denoted(*record);
    return Value::error();
  }
  std::string hint = "it has";
  for (std::string_view helper : kHelpers) hint.append(hint == "it has" ? " " : ", ").append(helper);
  return in.refuse(code::kAttribute, {}, "tvm_tirx.backend.cuda.lang has no '" + std::string(name) + "'", hint,
                   "ImportError");
}

Value not_known(Interpreter& in, std::string_view dotted) {
  return Value::opaque(in.keep("the module '" + std::string(dotted) + "'" + std::string(1, '\0')).data());
}

Value lookup_module(Interpreter& in, Namespace& self, std::string_view name) {
  const std::string dotted = self.path + "." + std::string(name);
  if (auto unknown = unknown_part(dotted)) {
    return in.refuse(code::kAttribute, {}, "'" + self.path + "' has no name '" + std::string(name) + "'",
                     "did you mean " + std::string(unknown->nearest) + "?", "ImportError");
  }
  return tirx_package(in, dotted);
}

// Modules that have the same names as those of 0.27.
constexpr std::string_view kShared[] = {".ir", ".ir.expr", ".ir.type", ".sym", ".runtime", ".target"};

}  // namespace

std::span<const Record> package_records() { return kRecords; }

bool is_tirx_package(std::string_view dotted) { return text::is_or_below(dotted, kPackage); }

bool imports_tirx_package(const syntax::Tree& tree) {
  return std::ranges::any_of(tree.statements(), [](const syntax::Tree::Statement& s) {
    if (auto* from = syntax::as<syntax::ImportFrom>(s.node->statement))
      return from->level == 0 && is_tirx_package(from->module);
    auto* plain = syntax::as<syntax::Import>(s.node->statement);
    return plain && std::ranges::any_of(plain->names, [](const auto& n) { return is_tirx_package(n.name); });
  });
}

Value tirx_package(Interpreter& in, std::string_view dotted) {
  if (in.dialect() < V0_27) {
    return in.refuse(code::kDialect, {},
                     "tvm_tirx is written on the instructions of 0.27, and this script is in " +
                         std::string(text::dialect_name(in.dialect())),
                     "write # tilewright: dialect 0.27", "ImportError");
  }
  const std::string_view below = dotted.substr(kPackage.size());
  if (below == ".script.tirx" || below == ".tirx.script") return package_t(in);
  if (below.empty() || below == ".script" || below == ".tirx" || below == ".backend" || below == ".backend.cuda") {
    return in.name_space(std::string(dotted), lookup_module);
  }
  if (below == ".tirx.layout" || below == ".backend.cuda.layout") return layout_module(in);
  if (below == ".backend.cuda.lang" || below.starts_with(".backend.cuda.lang.")) {
    return in.name_space(std::string(dotted), lookup_helpers);
  }
  if (below == ".script.ir") return tvm_package(in, "tvm.script.ir");
  if (std::ranges::find(kShared, below) != std::end(kShared)) return tvm_package(in, "tvm" + std::string(below));
  return not_known(in, dotted);
}

bool is_package_function(const Function& f) {
  const Dict* attributes = f.attributes.as<Dict>();
  if (!attributes) return false;
  return std::ranges::any_of(attributes->items, [](const auto& item) {
    const Str* key = item.first.template as<Str>();
    return key && key->text == kMark;
  });
}

bool lacks_layout(Interpreter& in, const ir::Buffer* buffer) {
  Dict* launch = in.kernel()->session.as<Dict>();
  const Value* list = launch ? in.dict_find(launch, in.string(kWithoutLayout)) : nullptr;
  return list &&
         std::ranges::any_of(list->as<List>()->items, [&](Value v) { return v.as<BufferValue>()->buffer == buffer; });
}

void note_value(Interpreter& in, const ir::Var* var, ir::Expr value) {
  Dict* launch = in.kernel()->session.as<Dict>();
  if (!launch || !value.dtype().is_integral()) return;
  bool computed = true;
  ir::walk(value, [&](ir::Expr e) {
    computed = computed && !e.as<ir::Load>() && !e.as<ir::Call>();
    return computed;
  });
  if (!computed) return;
  Value* list = in.dict_find(launch, in.string(kValues));
  if (!list) {
    in.dict_set(launch, in.string(kValues), in.list({}));
    list = in.dict_find(launch, in.string(kValues));
  }
  list->as<List>()->items.push_back(in.tuple({Value::expr(var), Value::expr(with_values(in, value))}));
}

ir::Expr with_values(Interpreter& in, ir::Expr e) {
  Dict* launch = in.kernel()->session.as<Dict>();
  const Value* list = launch ? in.dict_find(launch, in.string(kValues)) : nullptr;
  if (!list) return e;
  return ir::substitute(e, [&](const ir::Var* var) {
    for (Value item : list->as<List>()->items) {
      const std::vector<Value>& pair = item.as<Tuple>()->items;
      if (pair[0].as_expr().get() == var) return pair[1].as_expr();
    }
    return ir::Expr();
  });
}

void begin_package_kernel(Interpreter& in) { in.kernel()->session = Value::object(in.make<Dict>()); }

bool is_package_kernel(const KernelState& kernel, const Scope* scope) {
  return !kernel.traced && !kernel.session.is_none() && !is_of_prelude(scope);
}

}  // namespace tilewright::script

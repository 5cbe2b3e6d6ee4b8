#include "compiler/cuda/host.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <vector>

#include "compiler/cuda/types.h"
#include "compiler/cuda/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/lower/tensor_maps.h"
#include "compiler/text/escape.h"
#include "compiler/text/names.h"

namespace tilewright::cuda {
namespace {

using namespace ir;

// What a launcher cannot express.
struct Inexpressible {
  std::string what;
};

class Writer {
 public:
  Writer(const lower::LoweredKernel& kernel, HostApi api) : kernel_(kernel), driver_(api == HostApi::Driver) {
    names_.open();
    // Local names of the launcher.
    for (const char* name : {"kernel", "module", "stream", "error", "arguments", "config", "attributes", "dims",
                             "strides", "box", "steps", "std"})
      names_.reserve(name);
    names_.reserve(kernel.symbol);
  }

  HostParts parts(std::span<const Expr> numbers) {
    HostParts out{
        .text = {}, .function = "launch_" + text::identifier(kernel_.kernel->name), .parameters = {}, .numbers = {}};
    out.text = write([&] {
      for (Expr e : numbers) out.numbers.push_back(number(e));
    });
    out.has_module = driver_ && !kernel_.plan.constant_maps.empty();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const std::string& p = parameters_[i];
      const std::size_t space = p.rfind(' ');
      out.parameters.push_back({parameter_vars_[i], p.substr(0, space), p.substr(space + 1)});
    }
    return out;
  }

  // `before_end`: called when the body is written and the signature is not.
  std::string write(const std::function<void()>& before_end = {}) {
    if (auto foreign = lower::foreign_host_call(kernel_.host)) throw Inexpressible{*foreign};
    parameters();
    std::string body;
    host_part(body);
    for (const dispatch::TensorMap& map : maps_) encode(body, map);
    place_maps(body);
    launch(body);
    if (before_end) before_end();

    std::string out = header();
    out += driver_ ? "inline CUresult " : "inline cudaError_t ";
    out += "launch_" + text::identifier(kernel_.kernel->name) + "(";
    std::vector<std::string> list;
    if (driver_) list.emplace_back("CUfunction kernel");
    if (driver_ && !kernel_.plan.constant_maps.empty()) list.emplace_back("CUmodule module");
    list.insert(list.end(), parameters_.begin(), parameters_.end());
    list.emplace_back(driver_ ? "CUstream stream" : "cudaStream_t stream");
    for (std::size_t i = 0; i < list.size(); ++i) out += (i ? ", " : "") + list[i];
    return out + ") {\n" + body + "}\n";
  }

 private:
  [[noreturn]] static void fail(std::string what) { throw Inexpressible{std::move(what)}; }

  // Tensors and scalars in the order of the kernel's signature; then what only the host needs.
  void parameters() {
    for (const lower::KernelParam& p : kernel_.plan.params) {
      switch (p.kind) {
        case lower::ParamKind::Pointer:
          if (!p.value) pointer(p.var, p.tensor, p.dtype);
          break;
        case lower::ParamKind::Scalar:
          if (!p.value) scalar(p.var);
          break;
        case lower::ParamKind::TensorMap: {
          auto map = std::ranges::find(maps_, p.var, &dispatch::TensorMap::var);
          if (map == maps_.end()) {
            add_parameter(nullptr, "const CUtensorMap& " + name(p.var, p.var->name));
          } else {
            pointer(map->tensor->data, map->tensor, kVoid);
          }
          break;
        }
      }
    }
    for (const dispatch::TensorMap& map : maps_) {
      pointer(map.tensor->data, map.tensor, kVoid);
      name(map.var, map.var->name);
    }
    for (const lower::KernelParam& p : kernel_.plan.params) {
      if (!lower::in_global_memory(kernel_.plan, p)) continue;
      const std::string& memory = map_memory_[p.var] = names_.take(std::string(p.var->name) + "_memory");
      add_parameter(nullptr, (driver_ ? "CUdeviceptr " : "CUtensorMap* ") + memory);
    }
  }

  void add_parameter(const Var* var, std::string declaration) {
    parameters_.push_back(std::move(declaration));
    parameter_vars_.push_back(var);
  }
  void pointer(const Var* var, const Buffer* tensor, DataType dtype) {
    if (known_.contains(var)) return;
    const std::string& given = name(var, tensor && !tensor->name.empty() ? tensor->name : var->name);
    if (tensor) dtype = tensor->dtype;
    add_parameter(var, (driver_ ? "CUdeviceptr " : pointer_type(dtype)) + given);
  }
  std::string pointer_type(DataType dtype) {
    bool typed = !dtype.is_void() && !dtype.is_handle();
    return (typed ? storage_type_name(dtype, needs_) : std::string("void")) + "* ";
  }
  void scalar(const Var* var) {
    if (known_.contains(var)) return;
    add_parameter(var, scalar_type(var->dtype) + " " + name(var, var->name));
  }
  std::string scalar_type(DataType dtype) {
    // Half-precision scalars are bits to a C++ compiler without CUDA's headers.
    bool plain = dtype.is_integral() || dtype.is_bool() || (dtype.is_float() && dtype.bits >= 32);
    if (plain || !driver_) return type_name(dtype, needs_);
    return dtype.storage_bits() == 16 ? "std::uint16_t" : "std::uint8_t";
  }
  const std::string& name(const Var* var, std::string_view wanted) {
    auto [it, fresh] = known_.try_emplace(var);
    if (fresh) it->second = names_.take(wanted);
    return it->second;
  }

  // The data variable that a host pointer starts from; null: none.
  static const Var* data_of(Expr e) {
    if (const auto* var = e.as<Var>()) return var;
    const auto* call = e.as<Call>();
    bool offset = call && (call->callee == &builtin::pointer_offset || call->callee == &builtin::handle_byte_offset);
    return offset ? data_of(call->args[0]) : nullptr;
  }
  const Buffer* tensor_of(const Var* data) const {
    for (const Param& p : kernel_.kernel->params)
      if (p.buffer && p.buffer->data == data) return p.buffer;
    return nullptr;
  }

  // ---- expressions: all in 64 bits ---------------------------------------------------------------------------------

  std::string number(Expr e) { return expression(simplify(e), 0); }

  // `outer`: 0 anything may stand there, 1 an operand of + or -, 2 of * / %, 3 a primary expression.
  std::string expression(Expr e, int outer) {
    if (const std::int64_t* c = constant(e))
      return *c < 0 && outer ? "(" + std::to_string(*c) + ")" : std::to_string(*c);
    if (const auto* f = e.as<FloatImm>()) {
      std::string text;
      append_constant(text, *f, needs_);
      return text;
    }
    if (const auto* var = e.as<Var>()) {
      if (auto host = computed_.find(var); host != computed_.end()) return host->second;
      scalar(var);
      bool wide = !var->dtype.is_integral() || var->dtype.bits == 64;
      return wide ? known_.at(var) : "std::int64_t{" + known_.at(var) + "}";
    }
    if (const auto* c = e.as<Cast>()) {
      bool widening = e.dtype().is_integral() && c->value.dtype().is_integral() && e.dtype().bits >= 32;
      if (widening) return expression(c->value, outer);
      return "static_cast<" + scalar_type(e.dtype()) + ">(" + expression(c->value, 0) + ")";
    }
    if (const auto* u = e.as<Unary>()) return (e.kind() == ExprKind::Not ? "!" : "~") + expression(u->a, 3);
    if (const auto* s = e.as<Select>()) {
      return "(" + expression(s->condition, 3) + " ? " + expression(s->when_true, 3) + " : " +
             expression(s->when_false, 3) + ")";
    }
    if (const auto* call = e.as<Call>(); call && call->callee == &builtin::likely)
      return expression(call->args[0], outer);
    const auto* b = e.as<Binary>();
    if (!b) fail("`" + to_string(e) + "` has no form on the host");
    struct Operator {
      ExprKind kind;
      const char* text;
      int binds;
    };
    static constexpr Operator kOperators[] = {
        {ExprKind::Add, " + ", 1},   {ExprKind::Sub, " - ", 1},      {ExprKind::Mul, " * ", 2},
        {ExprKind::Div, " / ", 2},   {ExprKind::TruncDiv, " / ", 2}, {ExprKind::TruncMod, " % ", 2},
        {ExprKind::EQ, " == ", 0},   {ExprKind::NE, " != ", 0},      {ExprKind::LT, " < ", 0},
        {ExprKind::LE, " <= ", 0},   {ExprKind::GT, " > ", 0},       {ExprKind::GE, " >= ", 0},
        {ExprKind::And, " && ", 0},  {ExprKind::Or, " || ", 0},      {ExprKind::BitAnd, " & ", 0},
        {ExprKind::BitOr, " | ", 0}, {ExprKind::BitXor, " ^ ", 0},   {ExprKind::Shl, " << ", 0},
        {ExprKind::Shr, " >> ", 0}};
    ExprKind kind = e.kind();
    if (kind == ExprKind::Min || kind == ExprKind::Max) {
      return std::string(kind == ExprKind::Min ? "std::min<std::int64_t>(" : "std::max<std::int64_t>(") +
             expression(b->a, 0) + ", " + expression(b->b, 0) + ")";
    }
    if (kind == ExprKind::FloorDiv || kind == ExprKind::FloorMod) {
      bool down = kind == ExprKind::FloorDiv;
      const std::int64_t* divisor = constant(b->b);
      if (divisor && *divisor > 0 && bounds(b->a).lo >= 0) {
        kind = down ? ExprKind::TruncDiv : ExprKind::TruncMod;
      } else {
        floors_ = true;
        std::string quotient = "floor_div(" + expression(b->a, 0) + ", " + expression(b->b, 0) + ")";
        if (down) return quotient;
        std::string text = expression(b->a, 1) + " - " + quotient + " * " + expression(b->b, 3);
        return outer ? "(" + text + ")" : text;
      }
    }
    auto op = std::ranges::find(kOperators, kind, &Operator::kind);
    if (op == std::end(kOperators)) fail("`" + to_string(e) + "` has no form on the host");
    int inside = op->binds ? op->binds : 3;
    std::string text = expression(b->a, inside) + op->text + expression(b->b, inside + (inside < 3));
    bool parenthesise = op->binds == 0 ? outer > 0 : outer > op->binds;
    return parenthesise ? "(" + text + ")" : text;
  }

  // ---- the body ----------------------------------------------------------------------------------------------------

  void line(std::string& out, const std::string& text, int depth = 1) {
    out.append(static_cast<std::size_t>(depth) * 2, ' ').append(text).append("\n");
  }
  std::string invalid() const { return driver_ ? "CUDA_ERROR_INVALID_VALUE" : "cudaErrorInvalidValue"; }

  void host_part(std::string& out) {
    walk_stmts(kernel_.host, [&](const Stmt* s) {
      if (const auto* bind = as<Bind>(s)) {
        const auto* call = bind->value.as<Call>();
        if (call && call->callee->name == "tvm_stack_alloca") return true;  // a map: declared where it is encoded
        if (bind->var->dtype.is_handle()) return true;                      // pointers stand where they are used
        std::string value = number(bind->value);
        std::string given = names_.take(bind->var->name);
        line(out, "const " + scalar_type(bind->var->dtype) + " " + given + " = static_cast<" +
                      scalar_type(bind->var->dtype) + ">(" + value + ");");
        known_[bind->var] = given;
        computed_[bind->var] = given;
      } else if (const auto* check = as<Assert>(s)) {
        std::string condition = expression(check->condition, 3);
        line(out, "if (!" + (condition.starts_with('(') ? condition : "(" + condition + ")") + ") return " + invalid() +
                      ";" + (check->message.empty() ? "" : "  // " + one_line(check->message)));
      } else if (s->kind == StmtKind::If || s->kind == StmtKind::For || s->kind == StmtKind::While) {
        fail("the host part branches or loops before T.device_entry(): write the launch by hand");
      }
      return true;
    });
    for (const lower::KernelParam& p : kernel_.plan.params) {
      if (p.kind != lower::ParamKind::Scalar || !p.value || computed_.contains(p.var)) continue;
      std::string value = number(p.value);
      const std::string& given = name(p.var, p.var->name);
      line(out, "const " + scalar_type(p.dtype) + " " + given + " = static_cast<" + scalar_type(p.dtype) + ">(" +
                    value + ");");
      computed_[p.var] = given;
    }
  }

  static std::string one_line(std::string_view text) {
    constexpr std::size_t kLongest = 80;
    std::string out = text::visible(text.substr(0, kLongest));
    std::ranges::replace(out, '\\', ' ');
    return out;
  }

  std::string host_pointer(Expr e) {
    if (const auto* var = e.as<Var>(); var && known_.contains(var))
      return driver_ ? known_.at(var) : "reinterpret_cast<char*>(" + known_.at(var) + ")";
    if (const auto* call = e.as<Call>(); call && call->args.size() == 2) {
      if (call->callee == &builtin::handle_byte_offset)
        return host_pointer(call->args[0]) + " + " + number(call->args[1]);
      const Var* data = data_of(e);
      const Buffer* tensor = data ? tensor_of(data) : nullptr;
      if (call->callee == &builtin::pointer_offset && tensor) {
        Expr bytes = int_imm(kInt64, tensor->dtype.storage_bits() / 8);
        return host_pointer(call->args[0]) + " + " + number(cast(kInt64, call->args[1]) * bytes);
      }
    }
    fail("the pointer `" + to_string(e) + "` of a tensor map belongs to no tensor of the signature");
  }

  static std::string enumerator(int value, std::span<const char* const> names) {
    return "CU_TENSOR_MAP_" + std::string(names[static_cast<std::size_t>(value)]);
  }

  void encode(std::string& out, const dispatch::TensorMap& map) {
    static constexpr const char* kInterleave[] = {"INTERLEAVE_NONE", "INTERLEAVE_16B", "INTERLEAVE_32B"};
    static constexpr const char* kSwizzle[] = {"SWIZZLE_NONE",          "SWIZZLE_32B",
                                               "SWIZZLE_64B",           "SWIZZLE_128B",
                                               "SWIZZLE_128B_ATOM_32B", "SWIZZLE_128B_ATOM_32B_FLIP_8B",
                                               "SWIZZLE_128B_ATOM_64B"};
    static constexpr const char* kPromotion[] = {"L2_PROMOTION_NONE", "L2_PROMOTION_L2_64B", "L2_PROMOTION_L2_128B",
                                                 "L2_PROMOTION_L2_256B"};
    static constexpr const char* kFill[] = {"FLOAT_OOB_FILL_NONE", "FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA"};
    auto type = lower::map_type(map.dtype);
    if (!type) fail("a tensor map has no element type " + std::string(map.dtype));
    std::string own = known_.at(map.var), address = host_pointer(Expr(map.tensor->data));
    if (map.byte_offset && !is_constant(map.byte_offset, 0)) address += " + " + number(map.byte_offset);
    auto list = [&](const std::vector<Expr>& values, const char* element) {
      std::string text;
      for (Expr e : values) {
        std::string value = number(e);
        if (!constant(simplify(e))) value = "static_cast<" + std::string(element) + ">(" + value + ")";
        text += (text.empty() ? "" : ", ") + value;
      }
      return text;
    };
    auto numbers = [](const std::vector<std::int64_t>& values) {
      std::string text;
      for (std::int64_t n : values) text += (text.empty() ? "" : ", ") + std::to_string(n);
      return text;
    };
    line(out, "CUtensorMap " + own + ";");
    line(out, "{");
    line(out, "const cuuint64_t dims[] = {" + list(map.dims, "cuuint64_t") + "};  // innermost first", 2);
    if (map.strides.empty()) {
      line(out, "const cuuint64_t strides[] = {0};  // none at rank 1", 2);
    } else {
      line(out, "const cuuint64_t strides[] = {" + list(map.strides, "cuuint64_t") + "};  // bytes", 2);
    }
    const std::string box = map.host_box.empty() ? numbers(map.box) : list(map.host_box, "cuuint32_t");
    line(out, "const cuuint32_t box[] = {" + box + "};", 2);
    line(out, "const cuuint32_t steps[] = {" + numbers(map.element_strides) + "};", 2);
    std::string call = "cuTensorMapEncodeTiled(&" + own + ", CU_TENSOR_MAP_DATA_TYPE_" + std::string(type->name) +
                       ", " + std::to_string(map.dims.size()) + ",";
    line(out, (driver_ ? "CUresult error = " : "CUresult encoded = ") + call, 2);
    line(out, "reinterpret_cast<void*>(" + address + "), dims, strides, box, steps,", 4);
    line(out, enumerator(map.interleave, kInterleave) + ", " + enumerator(map.swizzle, kSwizzle) + ",", 4);
    line(out, enumerator(map.l2_promotion, kPromotion) + ", " + enumerator(map.oob_fill, kFill) + ");", 4);
    line(out,
         driver_ ? "if (error != CUDA_SUCCESS) return error;"
                 : "if (encoded != CUDA_SUCCESS) return cudaErrorInvalidValue;",
         2);
    line(out, "}");
  }

  // Puts the encoded maps where the kernel looks for them, in the order of the stream; parameters need nothing.
  void place_maps(std::string& out) {
    auto copy = [&](const std::string& call) {
      line(out, std::string(driver_ ? "if (CUresult error = " : "if (cudaError_t error = ") + call + ";");
      line(out, "error != " + std::string(driver_ ? "CUDA_SUCCESS" : "cudaSuccess") + ")", 3);
      line(out, "return error;", 2);
    };
    for (const Var* map : kernel_.plan.constant_maps) {
      std::string own = known_.at(map), symbol = lower::constant_map_symbol(kernel_, map);
      if (!driver_) {
        copy("cudaMemcpyToSymbolAsync(static_cast<const void*>(&" + symbol + "), &" + own + ", sizeof " + own +
             ", 0, cudaMemcpyHostToDevice, stream)");
        continue;
      }
      std::string variable = names_.take(std::string(map->name) + "_variable");
      line(out, "CUdeviceptr " + variable + " = 0;");
      copy("cuModuleGetGlobal(&" + variable + ", nullptr, module, \"" + symbol + "\")");
      copy("cuMemcpyHtoDAsync(" + variable + ", &" + own + ", sizeof " + own + ", stream)");
    }
    for (const lower::KernelParam& p : kernel_.plan.params) {
      if (!map_memory_.contains(p.var)) continue;
      std::string own = known_.at(p.var), memory = map_memory_.at(p.var);
      copy(driver_
               ? "cuMemcpyHtoDAsync(" + memory + ", &" + own + ", sizeof " + own + ", stream)"
               : "cudaMemcpyAsync(" + memory + ", &" + own + ", sizeof " + own + ", cudaMemcpyHostToDevice, stream)");
    }
  }

  std::array<std::string, 3> three(const std::array<Expr, 3>& extents) {
    std::array<std::string, 3> out;
    for (std::size_t i = 0; i < 3; ++i) {
      Expr e = extents[i] ? simplify(extents[i]) : Expr(1);
      out[i] = constant(e) ? number(e) : "static_cast<unsigned>(" + number(e) + ")";
    }
    return out;
  }

  void launch(std::string& out) {
    allow(out);
    const std::string array = arguments(out);
    const int count = launch_attributes(out);
    configure(out, count);
    line(out, driver_ ? "return cuLaunchKernelEx(&config, kernel, " + array + ", nullptr);"
                      : "return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(" + kernel_.symbol + "), " +
                            array + ");");
  }

  // Asks for what a kernel does not have by itself: more than 48 KB of shared memory, clusters of more than 8 CTAs.
  void allow(std::string& out) {
    const scope::Launch& l = kernel_.plan.launch;
    const std::int64_t shared = kernel_.plan.dynamic_shared_bytes;
    std::int64_t cluster = 1;
    for (Expr e : l.has_preferred ? l.preferred : l.cluster)
      if (const std::int64_t* c = e ? constant(simplify(e)) : nullptr) cluster *= *c;
    auto attribute = [&](const char* in_driver, const char* in_runtime, std::int64_t value) {
      std::string type = driver_ ? "CUresult" : "cudaError_t", good = driver_ ? "CUDA_SUCCESS" : "cudaSuccess";
      line(out,
           "if (" + type + " error = " +
               (driver_ ? "cuFuncSetAttribute(kernel, " + std::string(in_driver)
                        : "cudaFuncSetAttribute(reinterpret_cast<const void*>(" + kernel_.symbol + "), " + in_runtime) +
               ", " + std::to_string(value) + ");");
      line(out, "error != " + good + ")", 3);
      line(out, "return error;", 2);
    };
    if (shared > 48 << 10)
      attribute("CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", "cudaFuncAttributeMaxDynamicSharedMemorySize",
                shared);
    if (cluster > 8)
      attribute("CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED", "cudaFuncAttributeNonPortableClusterSizeAllowed",
                1);
  }

  // What points to the values of the parameters.
  std::string arguments(std::string& out) {
    std::string list;
    for (const lower::KernelParam& p : kernel_.plan.params) {
      std::string own;
      if (p.kind == lower::ParamKind::Pointer && p.value) {
        own = name(p.var, p.var->name);
        line(out, (driver_ ? "CUdeviceptr " : "void* ") + own + " = " + host_pointer(p.value) + ";");
      } else {
        own = map_memory_.contains(p.var) ? map_memory_.at(p.var) : known_.at(p.var);
      }
      // The address of a parameter, without its constness: the launch only reads it.
      bool constant_value = p.kind == lower::ParamKind::Scalar && p.value;
      bool callers_map = p.kind == lower::ParamKind::TensorMap &&
                         std::ranges::find(maps_, p.var, &dispatch::TensorMap::var) == maps_.end();
      std::string type = constant_value ? scalar_type(p.dtype) : "CUtensorMap";
      list += (list.empty() ? "" : ", ") +
              (constant_value || callers_map ? "const_cast<" + type + "*>(&" + own + ")" : "&" + own);
    }
    if (list.empty()) return "nullptr";
    line(out, "void* arguments[] = {" + list + "};");
    return "arguments";
  }

  // How many attributes the launch has.
  int launch_attributes(std::string& out) {
    const scope::Launch& l = kernel_.plan.launch;
    const std::array<std::string, 3> cta = three(l.cluster), preferred = three(l.preferred);
    std::string attributes;
    int count = 0;
    auto add = [&](const char* in_driver, const char* in_runtime) {
      std::string at = "attributes[" + std::to_string(count++) + "].";
      line(attributes, at + "id = " + (driver_ ? in_driver : in_runtime) + ";");
      return at + (driver_ ? "value." : "val.");
    };
    auto set_dimensions = [&](const std::string& field, const std::array<std::string, 3>& d) {
      for (std::size_t k = 0; k < 3; ++k) line(attributes, field + "." + "xyz"[k] + " = " + d[k] + ";");
    };
    if (cta != std::array<std::string, 3>{"1", "1", "1"} || l.has_preferred) {
      std::string value = add("CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION", "cudaLaunchAttributeClusterDimension");
      set_dimensions(value + "clusterDim", cta);
    }
    if (l.has_preferred) {
      std::string value =
          add("CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION", "cudaLaunchAttributePreferredClusterDimension");
      set_dimensions(value + "preferredClusterDim", preferred);
    }
    if (kernel_.plan.cooperative) {
      std::string value = add("CU_LAUNCH_ATTRIBUTE_COOPERATIVE", "cudaLaunchAttributeCooperative");
      line(attributes, value + "cooperative = 1;");
    }
    if (kernel_.plan.programmatic_dependent_launch) {
      std::string value = add("CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION",
                              "cudaLaunchAttributeProgrammaticStreamSerialization");
      line(attributes, value + "programmaticStreamSerializationAllowed = 1;");
    }
    if (count) {
      line(out, std::string(driver_ ? "CUlaunchAttribute" : "cudaLaunchAttribute") + " attributes[" +
                    std::to_string(count) + "] = {};");
      out += attributes;
    }
    return count;
  }

  void configure(std::string& out, int attributes) {
    const scope::Launch& l = kernel_.plan.launch;
    const std::string shared = std::to_string(kernel_.plan.dynamic_shared_bytes);
    const std::array<std::string, 3> grid = three(l.grid), block = three(l.block);
    auto joined = [](const std::array<std::string, 3>& d) { return d[0] + ", " + d[1] + ", " + d[2]; };
    line(out, std::string(driver_ ? "CUlaunchConfig" : "cudaLaunchConfig_t") + " config = {};");
    if (driver_) {
      for (std::size_t k = 0; k < 3; ++k) line(out, std::string("config.gridDim") + "XYZ"[k] + " = " + grid[k] + ";");
      for (std::size_t k = 0; k < 3; ++k) line(out, std::string("config.blockDim") + "XYZ"[k] + " = " + block[k] + ";");
      line(out, "config.sharedMemBytes = " + shared + ";");
      line(out, "config.hStream = stream;");
    } else {
      line(out, "config.gridDim = dim3(" + joined(grid) + ");");
      line(out, "config.blockDim = dim3(" + joined(block) + ");");
      line(out, "config.dynamicSmemBytes = " + shared + ";");
      line(out, "config.stream = stream;");
    }
    if (attributes) {
      line(out, "config.attrs = attributes;");
      line(out, "config.numAttrs = " + std::to_string(attributes) + ";");
    }
  }

  // The kernel's declaration: it stands in front of this text, or in another file. Variables in constant memory have to
  // stand in front: nvcc takes a second declaration for a second variable.
  std::string declaration() {
    std::string out = "extern \"C\" __global__ void " + kernel_.symbol + "(";
    bool first = true;
    for (const lower::KernelParam& p : kernel_.plan.params) {
      if (!first) out += ", ";
      first = false;
      if (p.kind == lower::ParamKind::Pointer) {
        std::string type = pointer_type(p.dtype);
        type.pop_back();
        out += type;
      } else {
        out += p.kind == lower::ParamKind::Scalar         ? type_name(p.dtype, needs_)
               : lower::in_global_memory(kernel_.plan, p) ? std::string("const CUtensorMap*")
                                                          : std::string("const __grid_constant__ CUtensorMap");
      }
    }
    return out + ");\n\n";
  }

  std::string header() {
    bool maps = !maps_.empty();
    for (const lower::KernelParam& p : kernel_.plan.params) maps = maps || p.kind == lower::ParamKind::TensorMap;
    std::string out;
    std::string declared = driver_ ? std::string() : declaration();
    if (driver_) {
      out = "// Launches " + kernel_.symbol + " with the CUDA driver API: `kernel` comes from cuModuleGetFunction.\n";
      out += "// Compile as C++17 or later, link with -lcuda.\n#include <cuda.h>\n\n";
    } else {
      out =
          "// Launches " + kernel_.symbol + " with the CUDA runtime: put this after the kernel's text in a .cu file.\n";
      out += "// nvcc -std=c++17 -arch=" + kernel_.kernel->target.name() + (maps ? ", link with -lcuda.\n" : ".\n");
      out += "#include <cuda_runtime.h>\n";
      Needs types = needs_;
      types.tensor_map = types.vectors = types.foreign_source = false;
      if (maps) out = out.insert(out.find("#include <cuda_runtime.h>"), "#include <cuda.h>\n");
      out += preamble(types);
      if (!out.ends_with("\n\n")) out += "\n";
    }
    out += "#include <algorithm>\n#include <cstdint>\n\n";
    if (floors_) {
      out +=
          "// Rounds down, as the script's `//` does.\n"
          "inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {\n"
          "  return a / b - (a % b != 0 && (a < 0) != (b < 0));\n}\n\n";
    }
    out += declared;
    out +=
        "// Tensors are device memory; strides and sizes are the script's. The first error is returned, and nothing "
        "is\n";
    out += "// waited for.\n";
    if (!map_memory_.empty())
      out +=
          "// A tensor map goes to 128 bytes of device memory, aligned to 128, that stay until the kernel has ended.\n";
    if (!kernel_.plan.constant_maps.empty())
      out += "// Tensor maps lie in the module's constant memory: a second launch must not overtake the first.\n";
    return out;
  }

  const lower::LoweredKernel& kernel_;
  bool driver_;
  bool floors_ = false;  // some expression needs floor_div
  Needs needs_;
  text::Names names_{reserved_words()};
  const std::vector<dispatch::TensorMap>& maps_ = kernel_.plan.tensor_maps;
  std::vector<std::string> parameters_;
  std::vector<const Var*> parameter_vars_;  // of each; null: it stands for none
  std::unordered_map<const Var*, std::string> known_, computed_;
  std::unordered_map<const Var*, std::string> map_memory_;  // the parameter that says where a map goes
};

}  // namespace

std::expected<HostParts, std::string> host_parts(const lower::LoweredKernel& kernel, std::span<const Expr> numbers) {
  try {
    return Writer(kernel, HostApi::Driver).parts(numbers);
  } catch (const Inexpressible& e) {
    return std::unexpected(e.what);
  }
}

std::expected<std::string, std::string> host_launcher(const lower::LoweredKernel& kernel, HostApi api) {
  ScratchArena scratch;
  ArenaScope scope(scratch);
  try {
    return Writer(kernel, api).write();
  } catch (const Inexpressible& e) {
    return std::unexpected(e.what);
  }
}

}  // namespace tilewright::cuda

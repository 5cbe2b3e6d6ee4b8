#include "server/render/ffi_library.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/cuda/host.h"
#include "compiler/run/bind.h"
#include "compiler/text/escape.h"
#include "server/render/host_call.h"

namespace tilewright::render {
namespace {

using namespace ir;

// What every library has in front of its kernels.
constexpr std::string_view kFrame = R"(
namespace {

// As DLPack and TVM's C ABI lay them out.
struct Device {
  std::int32_t type, id;
};
struct Type {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  Type dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: row by row
  std::uint64_t byte_offset;
};
struct Any {
  std::int32_t type;  // 0 none, 1 int, 2 bool, 3 float, 4 pointer, 7 Tensor*, 70 a tensor object
  std::uint32_t padding;
  union {
    std::int64_t integer;
    double number;
    void* pointer;
  };
};
constexpr std::size_t kObjectHeader = 24;  // before the Tensor of a tensor object

void* found_in(const char* library, int flags, const char* name) {
  if (void* there = dlsym(RTLD_DEFAULT, name)) return there;
  void* opened = dlopen(library, flags);
  return opened ? dlsym(opened, name) : nullptr;
}

// A function of CUDA's driver, by the name that cuda.h gives it in this version.
void* driver_function(const char* name) { return found_in("libcuda.so.1", RTLD_LAZY, name); }
#define TW_TEXT(x) #x
#define TW_NAME(x) TW_TEXT(x)
#define TW_DRIVER(function)                                                                         \
  ([] {                                                                                             \
    static const auto there = reinterpret_cast<decltype(&function)>(driver_function(TW_NAME(function))); \
    return there;                                                                                   \
  }())

int fail(const char* kind, const char* format, ...) {
  char message[600];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  using Raise = void (*)(const char*, const char*);
  static const auto raise =
      reinterpret_cast<Raise>(found_in("libtvm_ffi.so", RTLD_LAZY | RTLD_NOLOAD, "TVMFFIErrorSetRaisedFromCStr"));
  if (raise) raise(kind, message);
  return -1;
}

int fail_driver(const char* kernel, CUresult error) {
  const char* name = nullptr;
  if (const auto get = TW_DRIVER(cuGetErrorName)) get(error, &name);
  return fail("RuntimeError", "%s: CUDA's driver answers %s", kernel, name ? name : "an error without a name");
}

CUstream current_stream(Device device) {
  using Get = void* (*)(std::int32_t, std::int32_t);
  static const auto get =
      reinterpret_cast<Get>(found_in("libtvm_ffi.so", RTLD_LAZY | RTLD_NOLOAD, "TVMFFIEnvGetStream"));
  return get ? static_cast<CUstream>(get(device.type, device.id)) : nullptr;
}

const Tensor* tensor_of(const Any& given) {
  if (given.type == 7) return static_cast<const Tensor*>(given.pointer);
  if (given.type == 70) return reinterpret_cast<const Tensor*>(static_cast<const char*>(given.pointer) + kObjectHeader);
  return nullptr;
}

std::int64_t stride_of(const Tensor* t, int dimension) {
  if (t->strides) return t->strides[dimension];
  std::int64_t out = 1;
  for (int d = t->ndim - 1; d > dimension; --d) out *= t->shape[d];
  return out;
}

CUdeviceptr address_of(const Tensor* t) {
  return reinterpret_cast<CUdeviceptr>(static_cast<char*>(t->data) + t->byte_offset);
}

// The primary context of a device is current while this lives.
class Current {
 public:
  explicit Current(int id) {
    const auto init = TW_DRIVER(cuInit);
    if (!init) {
      error_ = CUDA_ERROR_NOT_FOUND;
      return;
    }
    CUdevice wanted = 0, now = 0;
    CUcontext context = nullptr;
    if (set(init(0)) || set(TW_DRIVER(cuDeviceGet)(&wanted, id))) return;
    if (TW_DRIVER(cuCtxGetCurrent)(&context) == CUDA_SUCCESS && context &&
        TW_DRIVER(cuCtxGetDevice)(&now) == CUDA_SUCCESS && now == wanted)
      return;
    static std::mutex mutex;
    static CUcontext kept[64] = {};
    const std::lock_guard<std::mutex> lock(mutex);
    if (id < 0 || id >= 64) {
      error_ = CUDA_ERROR_INVALID_DEVICE;
      return;
    }
    if (!kept[id] && set(TW_DRIVER(cuDevicePrimaryCtxRetain)(&kept[id], wanted))) return;
    pushed_ = !set(TW_DRIVER(cuCtxPushCurrent)(kept[id]));
  }
  ~Current() {
    CUcontext before = nullptr;
    if (pushed_) TW_DRIVER(cuCtxPopCurrent)(&before);
  }
  CUresult error() const { return error_; }

 private:
  bool set(CUresult error) {
    error_ = error;
    return error != CUDA_SUCCESS;
  }
  CUresult error_ = CUDA_SUCCESS;
  bool pushed_ = false;
};

// A kernel of a cubin in this library, in the context that is current.
struct Code {
  const unsigned char* cubin;
  const char* symbol;
  std::mutex mutex{};
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;

  CUresult find(CUfunction* function, CUmodule* module) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!TW_DRIVER(cuLibraryLoadData)) return CUDA_ERROR_NOT_SUPPORTED;  // before CUDA 12
    CUresult error = CUDA_SUCCESS;
    if (!library) error = TW_DRIVER(cuLibraryLoadData)(&library, cubin, nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (error == CUDA_SUCCESS && !kernel) error = TW_DRIVER(cuLibraryGetKernel)(&kernel, library, symbol);
    if (error == CUDA_SUCCESS) error = TW_DRIVER(cuKernelGetFunction)(function, kernel);
    if (error == CUDA_SUCCESS && module) error = TW_DRIVER(cuLibraryGetModule)(module, library);
    return error;
  }
};

}  // namespace

// The launchers call the driver through the functions found above.
)";

// Functions of the driver that launchers call.
constexpr std::string_view kDriver[] = {"cuTensorMapEncodeTiled", "cuFuncSetAttribute", "cuLaunchKernelEx",
                                        "cuModuleGetGlobal", "cuMemcpyHtoDAsync"};

// DLPack's number for a kind of element; none: it has none, or elements that share a byte.
std::optional<int> dlpack_code(DataType t) {
  if (t.storage_bits() < 8) return std::nullopt;
  if (t.is_bool()) return 6;
  if (t.is_int()) return 0;
  if (t.is_uint()) return 1;
  if (t.is_float()) return 2;
  if (t.is_bfloat()) return 4;
  const std::map<std::string, int> narrow{{"float8_e3m4", 7},      {"float8_e4m3", 8},      {"float8_e4m3b11fnuz", 9},
                                          {"float8_e4m3fn", 10},   {"float8_e4m3fnuz", 11}, {"float8_e5m2", 12},
                                          {"float8_e5m2fnuz", 13}, {"float8_e8m0fnu", 14}};
  const auto found = narrow.find(dtype_name(t.element()));
  return found == narrow.end() ? std::nullopt : std::optional(found->second);
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

std::string replaced(std::string text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

class Function {
 public:
  Function(const FfiKernel& kernel, const text::Anchors& anchors)
      : given_(kernel), kernel_(*kernel.kernel->lowered), call_(host_call_json(kernel_, anchors)) {}

  std::expected<std::string, std::string> write(std::size_t number) {
    if (call_.contains("refused")) return std::unexpected(call_["refused"].get<std::string>());
    if (std::string why = collect(); !why.empty()) return std::unexpected(std::move(why));
    auto parts = cuda::host_parts(kernel_, wanted_);
    if (!parts) return std::unexpected(parts.error());
    parts_ = std::move(*parts);
    for (const cuda::HostParts::Parameter& p : parts_.parameters)
      if (!p.var) return std::unexpected("a tensor map that lies in memory of the caller");
    const std::string space = "kernel_" + std::to_string(number);
    std::string launcher;
    for (std::size_t from = 0; from < parts_.text.size();) {
      const std::size_t end = std::min(parts_.text.find('\n', from), parts_.text.size() - 1) + 1;
      const std::string_view line = std::string_view(parts_.text).substr(from, end - from);
      if (!line.starts_with("#include")) launcher += line;
      from = end;
    }
    for (std::string_view name : kDriver)
      launcher = replaced(std::move(launcher), std::string(name) + "(", "TW_DRIVER(" + std::string(name) + ")(");
    std::string out = "\nnamespace " + space + " {\n\n" + launcher + "\nalignas(64) const unsigned char tw_cubin[] = {";
    for (std::size_t i = 0; i < given_.cubin.size(); ++i)
      out += (i % 32 ? "" : "\n") + std::to_string(static_cast<unsigned char>(given_.cubin[i])) + ",";
    out += "\n};\nCode tw_code{tw_cubin, " + in_quotes(kernel_.symbol) + "};\n\n" + body() + "\n}  // namespace " +
           space + "\n";
    return out + "extern \"C\" __attribute__((visibility(\"default\"))) int __tvm_ffi_" + given_.name +
           "(void*, const Any* given, std::int32_t count, Any* result) {\n  return " + space +
           "::tw_call(given, count, result);\n}\n";
  }

 private:
  struct Dimension {
    std::size_t parameter = 0, dimension = 0;
    std::size_t extent = 0;               // index in wanted_
    std::optional<std::size_t> stride{};  // the same; none: it is not known or does not matter
    const Var* var = nullptr;             // an extent that is a variable and nothing more
  };

  // What has to be printed. The text says what the library cannot check; empty: all is well.
  std::string collect() {
    const auto& params = kernel_.kernel->params;
    for (std::size_t i = 0; i < params.size(); ++i) {
      const Buffer* b = params[i].buffer;
      if (!b) continue;
      if (!dlpack_code(b->dtype))
        return "tensors of " + dtype_name(b->dtype) + ", for which DLPack has no whole element";
      if (b->elem_offset && !is_constant(simplify(b->elem_offset), 0)) return "a tensor that begins at an offset";
      const auto strides = run::element_strides(*b);
      for (std::size_t d = 0; d < b->shape.size(); ++d) {
        Dimension& one = dimensions_.emplace_back(Dimension{.parameter = i, .dimension = d, .extent = wanted_.size()});
        one.var = simplify(b->shape[d]).as<Var>();
        wanted_.push_back(b->shape[d]);
        if (!strides || d >= strides->size()) continue;
        one.stride = wanted_.size();
        wanted_.push_back((*strides)[d]);
      }
    }
    return {};
  }

  std::string name_of(const Var* var) const {
    for (const cuda::HostParts::Parameter& p : parts_.parameters)
      if (p.var == var) return p.name;
    return {};
  }
  std::string type_of(const Var* var) const {
    for (const cuda::HostParts::Parameter& p : parts_.parameters)
      if (p.var == var) return p.type;
    return "std::int64_t";
  }

  void line(const std::string& text) { out_ += "  " + text + "\n"; }
  void check(const std::string& wrong, const char* kind, const std::string& words, const std::string& values = {}) {
    line("if (" + wrong + ") return fail(\"" + kind + "\", " + in_quotes(given_.name + ": " + words) + values + ");");
  }

  void tensor(std::size_t i, const Buffer& b) {
    const std::string t = "tw_" + std::to_string(i),
                      name = b.name.empty() ? "argument " + std::to_string(i) : std::string(b.name);
    const DataType e = b.dtype;
    line("const Tensor* " + t + " = tensor_of(tw_given[" + std::to_string(i) + "]);");
    check("!" + t, "TypeError", name + " is a tensor of " + dtype_name(e));
    check(t + "->device.type != 2 && " + t + "->device.type != 13", "ValueError", name + " is not on a CUDA device");
    const std::string bits = std::to_string(e.storage_bits()), lanes = std::to_string(e.lanes);
    std::string wrong = t + "->dtype.code != " + std::to_string(*dlpack_code(e)) + " || " + t +
                        "->dtype.bits != " + bits + " || " + t + "->dtype.lanes != " + lanes;
    // Libraries without a number for such elements hand them out as bytes.
    if (e.storage_bits() == 8) wrong = "(" + wrong + ") && (" + t + "->dtype.code != 1 || " + t + "->dtype.bits != 8)";
    check(wrong, "TypeError", name + " has elements of another dtype than " + dtype_name(e));
    const std::string rank = std::to_string(b.shape.size());
    check(t + "->ndim != " + rank, "ValueError", name + " has %d dimensions, not " + rank,
          ", static_cast<int>(" + t + "->ndim)");
    const auto align = call_["signature"][i].value("align", std::int64_t{1});
    if (align > 1)
      check("address_of(" + t + ") % " + std::to_string(align) + " != 0", "ValueError",
            name + " is not aligned to " + std::to_string(align) + " bytes");
    if (first_.empty())
      first_ = t;
    else
      check(t + "->device.id != " + first_ + "->device.id", "ValueError",
            name + " is on another device than the first tensor");
    line("const CUdeviceptr " + name_or(b.data, "address_" + std::to_string(i)) + " = address_of(" + t + ");");
  }
  std::string name_or(const Var* var, std::string other) const {
    std::string name = name_of(var);
    return name.empty() ? std::move(other) : name;
  }

  void scalar(std::size_t i, const Var& var) {
    const std::string at = "tw_given[" + std::to_string(i) + "]", type = type_of(&var), name(var.name);
    if (var.dtype.is_handle()) {
      check(at + ".type != 4 && !tensor_of(" + at + ")", "TypeError", name + " is an address or a tensor");
      line("const CUdeviceptr " + name_or(&var, name) + " = tensor_of(" + at + ") ? address_of(tensor_of(" + at +
           ")) : reinterpret_cast<CUdeviceptr>(" + at + ".pointer);");
    } else if (var.dtype.is_floating()) {
      check(at + ".type < 1 || " + at + ".type > 3", "TypeError", name + " is a number");
      line("const " + type + " " + name_or(&var, name) + " = static_cast<" + type + ">(" + at + ".type == 3 ? " + at +
           ".number : static_cast<double>(" + at + ".integer));");
    } else {
      check(at + ".type != 1 && " + at + ".type != 2", "TypeError", name + " is an integer");
      line("const " + type + " " + name_or(&var, name) + " = static_cast<" + type + ">(" + at + ".integer);");
      if (var.dtype.bits < 64 && !var.dtype.is_bool() && !name_of(&var).empty())
        check("static_cast<std::int64_t>(" + name_of(&var) + ") != " + at + ".integer", "OverflowError",
              name + " does not fit " + dtype_name(var.dtype));
    }
  }

  // Extents get their values from the first tensor that has them; then all is compared.
  void shapes() {
    std::map<const Var*, bool> bound;
    for (const Param& p : kernel_.kernel->params)
      if (!p.buffer) bound[p.var] = true;
    auto at = [](const Dimension& d) {
      return "tw_" + std::to_string(d.parameter) + "->shape[" + std::to_string(d.dimension) + "]";
    };
    for (const Dimension& d : dimensions_) {
      if (!d.var || std::exchange(bound[d.var], true)) continue;
      const std::string type = type_of(d.var);
      line("const " + type + " " + name_of(d.var) + " = static_cast<" + type + ">(" + at(d) + ");");
    }
    for (const Dimension& d : dimensions_) {
      const Buffer& b = *kernel_.kernel->params[d.parameter].buffer;
      const std::string index = std::to_string(d.dimension),
                        wanted = "static_cast<std::int64_t>(" + parts_.numbers[d.extent] + ")";
      check(at(d) + " != " + wanted, "ValueError", std::string(b.name) + ".shape[" + index + "] is %lld, not %lld",
            ", static_cast<long long>(" + at(d) + "), static_cast<long long>(" + wanted + ")");
    }
    for (const Dimension& d : dimensions_) {
      if (!d.stride) continue;
      const Buffer& b = *kernel_.kernel->params[d.parameter].buffer;
      const std::string index = std::to_string(d.dimension);
      const std::string stride = "stride_of(tw_" + std::to_string(d.parameter) + ", " + index + ")",
                        own = "static_cast<std::int64_t>(" + parts_.numbers[*d.stride] + ")";
      check(at(d) + " > 1 && " + stride + " != " + own, "ValueError",
            std::string(b.name) + ".strides[" + index + "] is %lld, not %lld elements",
            ", static_cast<long long>(" + stride + "), static_cast<long long>(" + own + ")");
    }
  }

  std::string body() {
    const auto& params = kernel_.kernel->params;
    std::string names;
    for (const Param& p : params)
      names += (names.empty() ? "" : ", ") + std::string(p.buffer ? p.buffer->name : p.var->name);
    out_ = "int tw_call(const Any* tw_given, std::int32_t tw_count, Any* tw_result) {\n";
    check("tw_count != " + std::to_string(params.size()), "TypeError",
          "the arguments are (" + names + "), and %d are given", ", static_cast<int>(tw_count)");
    for (std::size_t i = 0; i < params.size(); ++i)
      params[i].buffer ? tensor(i, *params[i].buffer) : scalar(i, *params[i].var);
    shapes();
    const std::string device = first_.empty() ? "Device{2, 0}" : "Device{2, " + first_ + "->device.id}";
    line("const Device tw_device = " + device + ";");
    line("const Current tw_current(tw_device.id);");
    line("if (tw_current.error() != CUDA_SUCCESS) return fail_driver(" + in_quotes(given_.name) +
         ", tw_current.error());");
    line("CUfunction tw_function = nullptr;");
    if (parts_.has_module) line("CUmodule tw_module = nullptr;");
    line(std::string("CUresult tw_error = tw_code.find(&tw_function, ") +
         (parts_.has_module ? "&tw_module" : "nullptr") + ");");
    std::string list = parts_.has_module ? "tw_function, tw_module" : "tw_function";
    for (const cuda::HostParts::Parameter& p : parts_.parameters) list += ", " + p.name;
    line("if (tw_error == CUDA_SUCCESS) tw_error = " + parts_.function + "(" + list + ", current_stream(tw_device));");
    line("if (tw_error != CUDA_SUCCESS) return fail_driver(" + in_quotes(given_.name) + ", tw_error);");
    line("*tw_result = Any{};");
    line("return 0;");
    return out_ + "}\n";
  }

  const FfiKernel& given_;
  const lower::LoweredKernel& kernel_;
  Json call_;
  std::vector<Expr> wanted_;
  std::vector<Dimension> dimensions_;
  cuda::HostParts parts_;
  std::string out_, first_;
};

}  // namespace

std::expected<std::string, std::string> ffi_library(std::string_view script, const text::Anchors& anchors,
                                                    std::span<const FfiKernel> kernels) {
  ScratchArena scratch;
  ArenaScope scope(scratch);
  std::string out =
      "// Kernels of " + text::visible(script) +
      " as a library that tvm_ffi.load_module takes. Made by `tilewright export`; compile as C++17:\n"
      "//   c++ -std=c++17 -O2 -shared -fPIC -fvisibility=hidden -I CUDA/include THIS.cpp -o LIBRARY.so -ldl\n"
      "#include <cuda.h>\n#include <dlfcn.h>\n\n#include <algorithm>\n#include <cstdarg>\n#include "
      "<cstddef>\n#include <cstdint>\n#include <cstdio>\n#include <mutex>\n";
  out += kFrame;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    auto text = Function(kernels[i], anchors).write(i);
    if (!text) return std::unexpected(kernels[i].kernel->entry->expression + " is not exported: " + text.error());
    out += *text;
  }
  return out;
}

}  // namespace tilewright::render

// torch.cuda as far as kernels of the traced library ask it while they are made: the device is the one that the kernel
// is compiled for. Other scripts ask it to run something, and no answer of it is known.
#include "compiler/script/python/more_names.h"
#include "compiler/script/traced/kernel.h"

namespace tilewright::script::python {
namespace {

constexpr const char* kTorch = "the module 'torch'";

// What the library itself takes where no target is named.
constexpr ir::Target kDefault{10, 0, 'a'};

// Nothing: the script is none of the library's.
std::optional<ir::Target> device(Interpreter& in) {
  if (!uses_traced_library(in)) return std::nullopt;
  in.assume();
  return in.finds_target() ? kDefault : in.target();
}

// Of the largest product of an architecture; none: it is not known.
Value multiprocessors(const ir::Target& target) {
  switch (target.number()) {
    case 90: return Value::integer(132);
    case 100: return Value::integer(148);
    default: return Value::opaque(kTorch);
  }
}

Value is_available(Interpreter& in, const Arguments&, Value) {
  return device(in) ? Value::boolean(true) : Value::opaque(kTorch);
}

Value current_device(Interpreter& in, const Arguments&, Value) {
  return device(in) ? Value::integer(0) : Value::opaque(kTorch);
}

Value capability(Interpreter& in, const Arguments&, Value) {
  const auto target = device(in);
  if (!target) return Value::opaque(kTorch);
  return in.tuple({Value::integer(target->major), Value::integer(target->minor)});
}

Value properties(Interpreter& in, const Arguments&, Value) {
  const auto target = device(in);
  if (!target) return Value::opaque(kTorch);
  Instance* instance = in.make<Instance>();
  instance->cls = shared_class(in, "torch.cuda.properties", [&] {
    Class* made = make_class(in, "_CudaDeviceProperties", {class_named(in, "object")});
    made->has_unknown_base = true;  // what else it has is not known
    return made;
  });
  constexpr std::int64_t kSharedMemory = 227 * 1024, kRegisters = 65536, kThreads = 2048;
  instance->set("major", Value::integer(target->major));
  instance->set("minor", Value::integer(target->minor));
  instance->set("multi_processor_count", multiprocessors(*target));
  instance->set("warp_size", Value::integer(32));
  instance->set("regs_per_multiprocessor", Value::integer(kRegisters));
  instance->set("max_threads_per_multi_processor", Value::integer(kThreads));
  const bool known = target->number() == 90 || target->number() == 100;
  instance->set("shared_memory_per_block_optin", known ? Value::integer(kSharedMemory) : Value::opaque(kTorch));
  return Value::object(instance);
}

constexpr Entry kCuda[] = {{"is_available", is_available},
                           {"current_device", current_device},
                           {"get_device_capability", capability},
                           {"get_device_properties", properties}};

}  // namespace

std::span<const Entry> torch_cuda_names() { return kCuda; }
Value torch_cuda_name(Interpreter&, std::string_view) { return Value::opaque(kTorch); }

}  // namespace tilewright::script::python

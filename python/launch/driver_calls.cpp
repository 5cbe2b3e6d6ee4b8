#include "python/launch/driver_calls.h"

#include <dlfcn.h>

#include <cstring>
#include <string>

#include "python/launch/launcher.h"

namespace tilewright::launch {
namespace {

namespace cu = run::cu;

Loaded loaded;
bool is_loaded = false;

PyObject* open_driver(PyObject*, PyObject* arguments) {
  const char* library = nullptr;
  if (!PyArg_ParseTuple(arguments, "s", &library)) return nullptr;
  if (is_loaded) Py_RETURN_NONE;
  auto found = run::Driver::load(library);
  std::string error = found ? std::string() : found.error();
  if (found) {
    static_cast<run::Driver&>(loaded) = *found;
    void* handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
    auto find = [&](const char* symbol) { return handle ? ::dlsym(handle, symbol) : nullptr; };
    loaded.current_context = reinterpret_cast<decltype(loaded.current_context)>(find("cuCtxGetCurrent"));
    loaded.push_context = reinterpret_cast<decltype(loaded.push_context)>(find("cuCtxPushCurrent_v2"));
    loaded.pop_context = reinterpret_cast<decltype(loaded.pop_context)>(find("cuCtxPopCurrent_v2"));
    loaded.pointer_attribute = reinterpret_cast<decltype(loaded.pointer_attribute)>(find("cuPointerGetAttribute"));
    if (!loaded.current_context || !loaded.push_context || !loaded.pop_context) error = "the driver has no contexts";
  }
  if (error.empty()) {
    if (const cu::Result r = loaded.init(0); r != cu::kSuccess) error = "cuInit: " + loaded.describe(r);
  }
  if (!error.empty()) {
    PyErr_SetString(PyExc_OSError, error.c_str());
    return nullptr;
  }
  is_loaded = true;
  Py_RETURN_NONE;
}

bool ready() {
  if (is_loaded) return true;
  PyErr_SetString(PyExc_OSError, "no CUDA driver was opened");
  return false;
}

PyObject* device_count(PyObject*, PyObject*) {
  int count = 0;
  if (!ready()) return nullptr;
  if (const cu::Result r = loaded.device_count(&count); r != cu::kSuccess) return raise_driver("cuDeviceGetCount", r);
  return PyLong_FromLong(count);
}

PyObject* capability(PyObject*, PyObject* arguments) {
  int ordinal = 0, major = 0, minor = 0;
  cu::Device device{};
  if (!PyArg_ParseTuple(arguments, "i", &ordinal) || !ready()) return nullptr;
  if (const cu::Result r = loaded.device(&device, ordinal); r != cu::kSuccess) return raise_driver("cuDeviceGet", r);
  loaded.device_attribute(&major, cu::kCapabilityMajor, device);
  loaded.device_attribute(&minor, cu::kCapabilityMinor, device);
  return Py_BuildValue("(ii)", major, minor);
}

// load(device, cubin, symbol, dynamic_shared, large_cluster, map_symbols) -> (function, context, addresses)
PyObject* load(PyObject*, PyObject* arguments) {
  int ordinal = 0, shared = 0, large = 0;
  const char *image = nullptr, *symbol = nullptr;
  Py_ssize_t bytes = 0;
  PyObject* variables = nullptr;
  if (!PyArg_ParseTuple(arguments, "iy#sipO!", &ordinal, &image, &bytes, &symbol, &shared, &large, &PyTuple_Type,
                        &variables) ||
      !ready())
    return nullptr;
  cu::Device device{};
  cu::Context context = nullptr;
  if (const cu::Result r = loaded.device(&device, ordinal); r != cu::kSuccess) return raise_driver("cuDeviceGet", r);
  if (const cu::Result r = loaded.retain_context(&context, device); r != cu::kSuccess)
    return raise_driver("cuDevicePrimaryCtxRetain", r);
  const InContext in(context);
  cu::Module module = nullptr;
  cu::Function function = nullptr;
  if (const cu::Result r = loaded.load_module(&module, image); r != cu::kSuccess)
    return raise_driver("cuModuleLoadData", r);
  if (const cu::Result r = loaded.get_function(&function, module, symbol); r != cu::kSuccess)
    return raise_driver("cuModuleGetFunction", r);
  if (shared > 0)
    if (const cu::Result r = loaded.set_function_attribute(function, cu::kFunctionDynamicShared, shared); r)
      return raise_driver("cuFuncSetAttribute", r);
  if (large)
    if (const cu::Result r = loaded.set_function_attribute(function, cu::kFunctionNonPortableCluster, 1); r)
      return raise_driver("cuFuncSetAttribute", r);
  Ref addresses(PyList_New(0));
  for (Py_ssize_t i = 0; addresses && i < PyTuple_Size(variables); ++i) {
    Ref name(PyUnicode_AsUTF8String(PyTuple_GetItem(variables, i)));
    cu::DevicePtr at = 0;
    if (!name) return nullptr;
    if (PyBytes_Size(name.get()) > 0)
      if (const cu::Result r = loaded.get_global(&at, nullptr, module, PyBytes_AsString(name.get())); r)
        return raise_driver("cuModuleGetGlobal", r);
    Ref number(PyLong_FromUnsignedLongLong(at));
    if (!number || PyList_Append(addresses.get(), number.get()) != 0) return nullptr;
  }
  if (!addresses) return nullptr;
  return Py_BuildValue("(KKN)", reinterpret_cast<unsigned long long>(function),
                       reinterpret_cast<unsigned long long>(context), PyList_AsTuple(addresses.get()));
}

}  // namespace

const Loaded* driver() { return is_loaded ? &loaded : nullptr; }

int device_of(std::uint64_t address) {
  constexpr int kOrdinal = 9;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
  int device = 0;
  if (!is_loaded || !loaded.pointer_attribute || !address) return 0;
  return loaded.pointer_attribute(&device, kOrdinal, address) == cu::kSuccess ? device : kNoMemory;
}

InContext::InContext(cu::Context wanted) {
  cu::Context now = nullptr;
  loaded.current_context(&now);
  pushed_ = now != wanted && loaded.push_context(wanted) == cu::kSuccess;
}
InContext::~InContext() {
  cu::Context left = nullptr;
  if (pushed_) loaded.pop_context(&left);
}

PyObject* raise_driver(const char* what, cu::Result result) {
  const char *name = nullptr, *text = nullptr;
  if (loaded.error_name(result, &name) != cu::kSuccess || !name) name = "unknown error";
  if (loaded.error_text(result, &text) != cu::kSuccess || !text) text = "";
  Ref module(PyImport_ImportModule("tilewright._errors"));
  Ref made(module ? PyObject_CallMethod(module.get(), "driver_error", "siss", what, result, name, text) : nullptr);
  if (made) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.get())), made.get());
  return nullptr;
}

PyMethodDef driver_methods[] = {
    {"open_driver", open_driver, METH_VARARGS, "open_driver(library): loads the CUDA driver of this process."},
    {"device_count", device_count, METH_NOARGS, "device_count(): GPUs of the driver."},
    {"capability", capability, METH_VARARGS, "capability(device): (major, minor)."},
    {"load", load, METH_VARARGS,
     "load(device, cubin, symbol, shared, large_cluster, variables): (function, context, addresses)."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tilewright::launch

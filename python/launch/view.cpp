#include "python/launch/view.h"

#include <cstdlib>
#include <cstring>
#include <vector>

namespace tilewright::launch {
namespace {

using namespace dlpack;

struct Names {
  PyObject* exchange = interned("__dlpack_c_exchange_api__");
  PyObject* data_ptr = interned("data_ptr");
  PyObject* stride = interned("stride");
  PyObject* shape = interned("shape");
  PyObject* dtype = interned("dtype");
  PyObject* get_device = interned("get_device");
  PyObject* cuda_array = interned("__cuda_array_interface__");
  PyObject* array = interned("__array_interface__");
  PyObject* dlpack = interned("__dlpack__");
  PyObject* dlpack_device = interned("__dlpack_device__");
  PyObject* module = interned("__module__");
};
const Names& names() {
  static const Names all;
  return all;
}

// What a type offers; looked up once for each type.
struct Offer {
  PyTypeObject* type = nullptr;  // held
  const Exchange* exchange = nullptr;
  bool torch = false;          // has the methods of torch.Tensor
  PyObject* stream = nullptr;  // a function of the device's number: the current stream
};

Ref attribute(PyObject* object, PyObject* name) {
  Ref found(PyObject_GetAttr(object, name));
  if (!found && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  return found;
}

const Exchange* exchange_of(PyObject* type) {
  Ref capsule = attribute(type, names().exchange);
  if (!capsule) {
    PyErr_Clear();
    return nullptr;
  }
  if (!PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api")) return nullptr;
  const auto* api = static_cast<const Exchange*>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  while (api && api->version.major > 1) api = api->older;
  return api && api->version.major == 1 ? api : nullptr;
}

// The first part of the module that defines the type or one of its bases: "torch", "cupy".
bool comes_from(PyObject* type, const char* package) {
  Ref bases(PyObject_GetAttrString(type, "__mro__"));
  if (!bases) PyErr_Clear();
  const Py_ssize_t count = bases && PyTuple_Check(bases.get()) ? PyTuple_Size(bases.get()) : 0;
  const std::size_t length = std::strlen(package);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref module = attribute(PyTuple_GetItem(bases.get(), i), names().module);
    Ref text(module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8String(module.get()) : nullptr);
    const char* word = text ? PyBytes_AsString(text.get()) : nullptr;
    if (word && std::strncmp(word, package, length) == 0 && (!word[length] || word[length] == '.')) return true;
    PyErr_Clear();
  }
  return false;
}

// The function of tilewright._streams that knows the library of the type; null: none does.
PyObject* stream_function(PyObject* type) {
  Ref module(PyImport_ImportModule("tilewright._streams"));
  Ref function(module ? PyObject_CallMethod(module.get(), "current_of", "O", type) : nullptr);
  if (!function) PyErr_Clear();
  return function && function.get() != Py_None ? function.release() : nullptr;
}

const Offer& offer_of(PyObject* object) {
  static std::vector<Offer> known;
  PyTypeObject* type = Py_TYPE(object);
  for (const Offer& o : known)
    if (o.type == type) return o;
  Offer made;
  made.type = type;
  auto* as_object = reinterpret_cast<PyObject*>(type);
  made.exchange = exchange_of(as_object);
  made.torch = !made.exchange && comes_from(as_object, "torch") && PyObject_HasAttrString(as_object, "data_ptr");
  if (!made.exchange) made.stream = stream_function(as_object);
  constexpr std::size_t kMost = 64;  // types; more are looked up again
  static Offer spare;
  if (known.size() >= kMost) {
    Py_XDECREF(spare.stream);
    spare = made;
    return spare;
  }
  Py_INCREF(as_object);
  known.reserve(kMost);
  known.push_back(made);
  return known.back();
}

bool integer(PyObject* object, std::int64_t& out) {
  out = PyLong_AsLongLong(object);
  return out != -1 || !PyErr_Occurred();
}

// The items of a tuple (or of what becomes one).
bool numbers(PyObject* object, std::int64_t* out, int& count) {
  Ref items = PyTuple_Check(object) ? Ref::borrowed(object) : Ref(PySequence_Tuple(object));
  if (!items) return false;
  const Py_ssize_t size = PyTuple_Size(items.get());
  if (size > kMaxRank) {
    PyErr_Format(PyExc_ValueError, "it has %zd dimensions; at most %d are read", size, kMaxRank);
    return false;
  }
  for (Py_ssize_t i = 0; i < size; ++i)
    if (!integer(PyTuple_GetItem(items.get(), i), out[i])) return false;
  count = static_cast<int>(size);
  return true;
}

void take(const Tensor& tensor, View& view) {
  view.address = reinterpret_cast<std::uint64_t>(tensor.data) + tensor.byte_offset;
  view.device = tensor.device;
  view.dtype = tensor.dtype;
  view.rank = tensor.rank;
  view.shape = tensor.shape;
  view.strides = tensor.strides;
}

// ---- torch before its C interface --------------------------------------------------------------------------------

struct TorchType {
  const char* name;
  DataType dtype;
};
constexpr TorchType kTorchTypes[] = {
    {"torch.float16", {kFloat, 16, 1}},
    {"torch.bfloat16", {kBfloat, 16, 1}},
    {"torch.float32", {kFloat, 32, 1}},
    {"torch.float64", {kFloat, 64, 1}},
    {"torch.int8", {kInt, 8, 1}},
    {"torch.int16", {kInt, 16, 1}},
    {"torch.int32", {kInt, 32, 1}},
    {"torch.int64", {kInt, 64, 1}},
    {"torch.uint8", {kUInt, 8, 1}},
    {"torch.uint16", {kUInt, 16, 1}},
    {"torch.uint32", {kUInt, 32, 1}},
    {"torch.uint64", {kUInt, 64, 1}},
    {"torch.bool", {kBool, 8, 1}},
    {"torch.complex64", {kComplex, 64, 1}},
    {"torch.complex128", {kComplex, 128, 1}},
    {"torch.float8_e4m3fn", {10, 8, 1}},
    {"torch.float8_e4m3fnuz", {11, 8, 1}},
    {"torch.float8_e5m2", {12, 8, 1}},
    {"torch.float8_e5m2fnuz", {13, 8, 1}},
    {"torch.float8_e8m0fnu", {14, 8, 1}},
};

bool torch_dtype(PyObject* object, DataType& out) {
  static std::vector<std::pair<PyObject*, DataType>> known;  // each held
  Ref dtype(PyObject_GetAttr(object, names().dtype));
  if (!dtype) return false;
  for (const auto& [type, value] : known) {
    if (type != dtype.get()) continue;
    out = value;
    return true;
  }
  Ref text(PyObject_Str(dtype.get()));
  Ref bytes(text ? PyUnicode_AsUTF8String(text.get()) : nullptr);
  if (!bytes) return false;
  for (const TorchType& t : kTorchTypes) {
    if (std::strcmp(t.name, PyBytes_AsString(bytes.get())) != 0) continue;
    out = t.dtype;
    known.emplace_back(dtype.release(), out);
    return true;
  }
  PyErr_Format(PyExc_TypeError, "elements of type %s are not known here", PyBytes_AsString(bytes.get()));
  return false;
}

Ref called(PyObject* object, PyObject* method) { return Ref(PyObject_CallMethodObjArgs(object, method, nullptr)); }

bool read_torch(PyObject* object, View& view) {
  std::int64_t device = 0, address = 0;
  int rank = 0;
  Ref number = called(object, names().get_device);
  if (!number || !integer(number.get(), device)) return false;
  Ref pointer = called(object, names().data_ptr);
  if (!pointer) return false;
  address = static_cast<std::int64_t>(PyLong_AsUnsignedLongLong(pointer.get()));
  if (PyErr_Occurred()) return false;
  Ref shape(PyObject_GetAttr(object, names().shape));
  Ref strides = shape ? called(object, names().stride) : Ref();
  if (!strides || !numbers(shape.get(), view.own_shape, view.rank) || !numbers(strides.get(), view.own_strides, rank) ||
      !torch_dtype(object, view.dtype))
    return false;
  view.address = static_cast<std::uint64_t>(address);
  view.device = device < 0 ? Device{kCpu, 0} : Device{kCuda, static_cast<std::int32_t>(device)};
  view.shape = view.own_shape;
  view.strides = view.own_strides;
  return true;
}

// ---- dictionaries ------------------------------------------------------------------------------------------------

// "<f4": numpy's letter and bytes.
bool typestr(PyObject* text, DataType& out) {
  Ref bytes(text && PyUnicode_Check(text) ? PyUnicode_AsUTF8String(text) : nullptr);
  const char* word = bytes ? PyBytes_AsString(bytes.get()) : nullptr;
  const long size = word && std::strlen(word) > 2 ? std::strtol(word + 2, nullptr, 10) : 0;
  const char order = word ? word[0] : '?';
  if (size < 1 || size > 31 || (order != '<' && order != '|' && order != '=')) {
    PyErr_Format(PyExc_TypeError, "elements of type %s: the bytes of each have to lie in this machine's order",
                 word ? word : "unknown");
    return false;
  }
  const char kind = word[1];
  out.code = kind == 'i'   ? kInt
             : kind == 'u' ? kUInt
             : kind == 'f' ? kFloat
             : kind == 'b' ? kBool
             : kind == 'c' ? kComplex
                           : kOpaque;
  out.bits = static_cast<std::uint8_t>(size * 8);
  out.lanes = 1;
  if (kind == 'O' || kind == 'U' || kind == 'M' || kind == 'm' || kind == 'S') {
    PyErr_Format(PyExc_TypeError, "elements of type %s are no numbers", word);
    return false;
  }
  return true;
}

bool read_interface(PyObject* dictionary, View& view) {
  PyObject* shape = PyDict_GetItemString(dictionary, "shape");
  PyObject* data = PyDict_GetItemString(dictionary, "data");
  PyObject* strides = PyDict_GetItemString(dictionary, "strides");
  PyObject* mask = PyDict_GetItemString(dictionary, "mask");
  if (!shape || !data || !PyTuple_Check(data) || PyTuple_Size(data) != 2 || (mask && mask != Py_None)) {
    PyErr_SetString(PyExc_TypeError, mask && mask != Py_None ? "it has a mask, which kernels do not read"
                                                             : "its array interface has no shape or no data");
    return false;
  }
  if (!typestr(PyDict_GetItemString(dictionary, "typestr"), view.dtype)) return false;
  view.address = PyLong_AsUnsignedLongLong(PyTuple_GetItem(data, 0));
  if (PyErr_Occurred()) return false;
  view.read_only = PyObject_IsTrue(PyTuple_GetItem(data, 1)) == 1;
  if (!numbers(shape, view.own_shape, view.rank)) return false;
  view.shape = view.own_shape;
  if (!strides || strides == Py_None) return true;
  int rank = 0;
  if (!numbers(strides, view.own_strides, rank)) return false;
  const std::int64_t bytes = view.dtype.bits / 8;
  for (int i = 0; i < rank; ++i) {
    if (view.own_strides[i] % bytes != 0) {
      PyErr_Format(PyExc_ValueError, "a stride of %lld bytes is no whole number of its elements of %lld bytes",
                   static_cast<long long>(view.own_strides[i]), static_cast<long long>(bytes));
      return false;
    }
    view.own_strides[i] /= bytes;
  }
  view.strides = view.own_strides;
  return true;
}

// ---- __dlpack__ --------------------------------------------------------------------------------------------------

bool read_capsule(Ref capsule, View& view) {
  if (PyCapsule_IsValid(capsule.get(), "dltensor_versioned")) {
    const auto* m = static_cast<ManagedVersioned*>(PyCapsule_GetPointer(capsule.get(), "dltensor_versioned"));
    if (m->version.major != 1) {
      PyErr_Format(PyExc_TypeError, "it speaks DLPack %u, and this package 1", m->version.major);
      return false;
    }
    take(m->tensor, view);
    view.read_only = m->flags & kReadOnly;
  } else if (PyCapsule_IsValid(capsule.get(), "dltensor")) {
    take(static_cast<Managed*>(PyCapsule_GetPointer(capsule.get(), "dltensor"))->tensor, view);
  } else {
    PyErr_SetString(PyExc_ValueError, "its DLPack capsule was consumed by another library: give the tensor itself");
    return false;
  }
  view.owner = std::move(capsule);
  return true;
}

bool read_dlpack(PyObject* object, View& view) {
  Ref device = called(object, names().dlpack_device);
  std::int64_t type = 0;
  PyObject* first = device && PyTuple_Check(device.get()) ? PyTuple_GetItem(device.get(), 0) : nullptr;
  Ref whole(first ? PyNumber_Index(first) : nullptr);
  if (!whole || !integer(whole.get(), type)) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "its __dlpack_device__ gives no (type, number)");
    return false;
  }
  Ref method(PyObject_GetAttr(object, names().dlpack)), nothing(PyTuple_New(0));
  // -1: the producer waits for no stream; the kernel runs in the stream that the tensor's library works in.
  Ref options(type == kCuda || type == kCudaManaged ? Py_BuildValue("{s:i}", "stream", -1) : PyDict_New());
  if (!method || !nothing || !options) return false;
  Ref capsule(PyObject_Call(method.get(), nothing.get(), options.get()));
  return capsule && read_capsule(std::move(capsule), view);
}

Reading result(bool read) { return read ? Reading::Read : Reading::Failed; }

}  // namespace

std::int64_t View::stride(int dimension) const {
  if (strides) return strides[dimension];
  std::int64_t out = 1;
  for (int i = dimension + 1; i < rank; ++i) out *= shape[i];
  return out;
}

Reading read_view(PyObject* object, View& view) {
  const Offer& offer = offer_of(object);
  if (offer.exchange && offer.exchange->borrow) {
    Tensor tensor;
    if (offer.exchange->borrow(object, &tensor) != 0) return Reading::Failed;
    take(tensor, view);
    return Reading::Read;
  }
  if (offer.torch) return result(read_torch(object, view));
  if (PyCapsule_CheckExact(object)) return result(read_capsule(Ref::borrowed(object), view));
  for (PyObject* name : {names().cuda_array, names().array}) {
    Ref dictionary = attribute(object, name);
    if (!dictionary && PyErr_Occurred()) return Reading::Failed;
    if (!dictionary || !PyDict_Check(dictionary.get())) continue;
    if (name == names().cuda_array) view.device = {kCuda, -1};
    if (!read_interface(dictionary.get(), view)) return Reading::Failed;
    view.owner = std::move(dictionary);
    return Reading::Read;
  }
  if (PyObject_HasAttr(object, names().dlpack)) return result(read_dlpack(object, view));
  return Reading::NoTensor;
}

bool current_stream(PyObject* object, int device, std::uint64_t& stream, bool& known) {
  const Offer& offer = offer_of(object);
  known = true;
  if (offer.exchange) {
    void* found = nullptr;
    if (offer.exchange->current_stream(kCuda, device, &found) != 0) return false;
    stream = reinterpret_cast<std::uint64_t>(found);
    return true;
  }
  known = offer.stream != nullptr;
  if (!known) return true;
  Ref number(PyObject_CallFunction(offer.stream, "i", device));
  if (!number) return false;
  stream = PyLong_AsUnsignedLongLong(number.get());
  return !PyErr_Occurred();
}

}  // namespace tilewright::launch

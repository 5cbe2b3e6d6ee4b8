// The module tilewright._launch: views of tensors, and the type that launches kernels.
#include <memory>
#include <new>

#include "python/launch/driver_calls.h"
#include "python/launch/launcher.h"

namespace tilewright::launch {
namespace {

struct Object {
  PyObject_HEAD Launcher* launcher;
};

Launcher& launcher_of(PyObject* self) { return *reinterpret_cast<Object*>(self)->launcher; }

PyObject* make(PyTypeObject* type, PyObject*, PyObject*) {
  auto* allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject* self = allocate(type, 0);
  if (!self) return nullptr;
  reinterpret_cast<Object*>(self)->launcher = new (std::nothrow) Launcher();
  if (reinterpret_cast<Object*>(self)->launcher) return self;
  Py_DECREF(self);
  return PyErr_NoMemory();
}

int initialise(PyObject*, PyObject*, PyObject*) { return 0; }  // that of the class below

void end(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete reinterpret_cast<Object*>(self)->launcher;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyObject* call(PyObject* self, PyObject* arguments, PyObject* options) {
  try {
    return launcher_of(self).call(self, arguments, options);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}
template <PyObject* (Launcher::*Method)(PyObject*)>
PyObject* method(PyObject* self, PyObject* parts) {
  try {
    return (launcher_of(self).*Method)(parts);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

PyMethodDef methods[] = {
    {"_set_signature", method<&Launcher::set_signature>, METH_O, "What the arguments have to be."},
    {"_add_binding", method<&Launcher::add_binding>, METH_O, "The launch for some extents."},
    {"_set_function", method<&Launcher::set_function>, METH_O, "The kernel that was loaded for a device."},
    {nullptr, nullptr, 0, nullptr}};

// view(object): None where it is no tensor, else (address, device_type, device, (code, bits, lanes), shape, strides,
// read_only, owner); strides in elements.
PyObject* view(PyObject*, PyObject* object) {
  View v;
  const Reading reading = read_view(object, v);
  if (reading == Reading::Failed) return nullptr;
  if (reading == Reading::NoTensor) Py_RETURN_NONE;
  if (v.on_gpu() && v.device.id < 0) v.device.id = device_of(v.address);
  Ref shape(PyTuple_New(v.rank)), strides(PyTuple_New(v.rank));
  if (!shape || !strides) return nullptr;
  for (int i = 0; i < v.rank; ++i) {
    PyTuple_SetItem(shape.get(), i, PyLong_FromLongLong(v.shape[i]));
    PyTuple_SetItem(strides.get(), i, PyLong_FromLongLong(v.stride(i)));
  }
  PyObject* owner = v.owner ? v.owner.get() : object;
  return Py_BuildValue("(Kii(iii)OOOO)", v.address, static_cast<int>(v.device.type), static_cast<int>(v.device.id),
                       static_cast<int>(v.dtype.code), static_cast<int>(v.dtype.bits), static_cast<int>(v.dtype.lanes),
                       shape.get(), strides.get(), v.read_only ? Py_True : Py_False, owner);
}

PyMethodDef view_method = {"view", view, METH_O, "Where a tensor's elements lie; None: it is no tensor."};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "tilewright._launch",
                          "Launches kernels on tensors of any library.",
                          -1,
                          driver_methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyObject* launcher_type(PyObject* module) {
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make)},
                                {Py_tp_init, reinterpret_cast<void*>(initialise)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(end)},
                                {Py_tp_call, reinterpret_cast<void*>(call)},
                                {Py_tp_methods, methods},
                                {0, nullptr}};
  static PyType_Spec spec = {"tilewright._launch.Launcher", sizeof(Object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                             slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (!type || PyModule_AddObject(module, "Launcher", type) != 0) return nullptr;
  return type;
}

}  // namespace tilewright::launch

PyMODINIT_FUNC PyInit__launch() {
  using namespace tilewright::launch;
  PyObject* module = PyModule_Create(&definition);
  if (!module) return nullptr;
  PyObject* function = PyCFunction_NewEx(&view_method, nullptr, nullptr);
  if (!function || PyModule_AddObject(module, "view", function) != 0 || !launcher_type(module)) return nullptr;
  return module;
}

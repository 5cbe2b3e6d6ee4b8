// A kernel that is called from Python: what its arguments have to be, what each launch follows from, and the way of a
// call that has nothing left to find out. All words about what is wrong are made in Python (tilewright/_kernel.py): the
// type `Launcher` is the base of a Python class, and calls these methods of it:
//
//   _load(device)            compiles and loads the kernel for a device, and calls set_function
//   _bind(arguments, key)    the first call with these extents: checks all, and calls add_binding
//   _explain(arguments)      raises what is wrong with the arguments
//   _simulate(arguments)     all tensors lie in the memory of this machine
//   _arrange(arguments, options)   options other than `stream`: the arguments in order, and the stream
//   _stream(object)          the number of a stream object
//   _failed(what, code)      raises what the driver said
#pragma once
#include <array>
#include <map>
#include <memory>
#include <vector>

#include "compiler/run/driver.h"
#include "python/launch/view.h"

namespace tilewright::launch {

inline constexpr int kMostParams = 128, kMostMaps = 32;
inline constexpr std::int64_t kFree = -1;  // an extent or stride that the call says

// One parameter of the script, as it is given.
struct Given {
  enum class Kind : std::uint8_t { Tensor, Pointer, Scalar };
  Kind kind = Kind::Tensor;
  dlpack::DataType dtype;                    // of an element, of the scalar
  std::vector<std::int64_t> shape, strides;  // no strides: those of the tensor are not looked at
  bool any_strides = false;
  std::int64_t align = 1;
  bool written = false;
  bool decides = false;  // of a scalar: the launch follows from it
};

struct Param {
  enum class Kind : std::uint8_t { Pointer, Constant, Scalar, Map, MapAddress };
  Kind kind = Kind::Pointer;
  int index = 0;           // of what is given, or of the map
  std::int64_t value = 0;  // the pointer's offset in bytes, the bits of a constant
};

struct MapPlan {
  int given = 0;
  std::int64_t byte_offset = 0;
  int dtype = 0;
  std::vector<std::uint64_t> dims, strides;
  std::vector<std::uint32_t> box, steps;
  int interleave = 0, swizzle = 0, promotion = 0, fill = 0;
  int symbol = -1;  // of the variable in constant memory; -1: none
};

// A map over one tensor's memory.
struct EncodedMap {
  std::uint64_t address = 0;
  int device = 0;
  run::cu::DevicePtr memory = 0;  // where the kernel reads it, if it does so by an address
  std::unique_ptr<run::cu::TensorMap> map;
};

// The launch for some extents and scalars.
struct Binding {
  std::vector<std::int64_t> key;
  run::cu::LaunchConfig config{};
  std::vector<run::cu::LaunchAttribute> attributes;
  std::vector<std::int64_t> bytes;  // of each of what is given: from its first byte to its last
  std::vector<Param> params;
  std::vector<MapPlan> maps;
  std::vector<std::vector<EncodedMap>> encoded;  // of each map
};

struct LoadedFunction {
  run::cu::Function function = nullptr;
  run::cu::Context context = nullptr;
  std::vector<run::cu::DevicePtr> symbols;  // of the maps in constant memory
};

class Launcher {
 public:
  Launcher();
  PyObject* call(PyObject* self, PyObject* arguments, PyObject* options);

  // Each null after setting an exception.
  PyObject* set_signature(PyObject* given);
  PyObject* add_binding(PyObject* parts);
  PyObject* set_function(PyObject* parts);

 private:
  struct Call;
  enum class Step : std::uint8_t { Go, Again, Explain, Failed };
  Step look(PyObject* self, Call& call);
  Step read(PyObject* argument, const Given& given, Call& call, std::size_t index);
  bool fits(const Given& given, const View& view, Call& call) const;
  std::shared_ptr<Binding> find(const Call& call);
  Step bind(PyObject* self, const Call& call) const;
  bool separate(const Binding& binding, const Call& call) const;
  EncodedMap* encoded(Binding& binding, std::size_t map, const Call& call, int& error);
  PyObject* launch(PyObject* self, Call& call);
  int place_maps(Binding& binding, Call& call, void** slots);

  std::vector<Given> given_;
  std::vector<std::shared_ptr<Binding>> bindings_;  // the latest first
  std::map<int, LoadedFunction> functions_;
};

// The methods of the module that load kernels, and the type.
PyObject* launcher_type(PyObject* module);
extern PyMethodDef driver_methods[];

}  // namespace tilewright::launch

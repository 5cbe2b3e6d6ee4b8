#include "python/launch/launcher.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "python/launch/driver_calls.h"

namespace tilewright::launch {

namespace cu = run::cu;

// One call, while it is looked at.
struct Launcher::Call {
  PyObject* arguments = nullptr;  // a tuple
  PyObject* stream = nullptr;     // as given; null: the current one
  std::vector<View> views;
  std::vector<std::uint64_t> scalars;  // their bits
  std::vector<std::int64_t> key;
  int device = -1;  // the GPU; -1: no tensor lies on one
  bool host = false, mixed = false;
  std::shared_ptr<Binding> binding;  // held: another thread may add others
  LoadedFunction* function = nullptr;
};

Launcher::Launcher() = default;

namespace {

// Do elements of this type lie in memory as the script's do? Types that a library lacks travel as unsigned integers of
// their width.
bool same_type(const dlpack::DataType& wanted, const dlpack::DataType& got) {
  if (wanted == got) return true;
  const int bits = wanted.bits * wanted.lanes;
  const bool lacking = wanted.code > dlpack::kBool || wanted.code == dlpack::kBfloat;
  const bool raw = got.code == dlpack::kOpaque || (lacking && got.code == dlpack::kUInt);
  return (raw && got.bits * got.lanes == bits && bits % 8 == 0) ||
         (wanted.code == dlpack::kBool && got.code == dlpack::kBool);
}

std::uint64_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

// Rounds to nearest even.
std::uint64_t bfloat_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return (bits >> 16) | 0x40;
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

// The bits of a scalar of the kernel. False: it does not fit; an exception may be set.
bool scalar_bits(PyObject* object, const dlpack::DataType& type, std::uint64_t& out) {
  if (type.code == dlpack::kInt || type.code == dlpack::kUInt || type.code == dlpack::kBool) {
    const Ref whole = PyLong_Check(object) ? Ref::borrowed(object) : Ref(PyNumber_Index(object));
    if (!whole) return false;
    if (type.code == dlpack::kUInt && type.bits == 64) {
      out = PyLong_AsUnsignedLongLong(whole.get());
      return !PyErr_Occurred();
    }
    const std::int64_t value = PyLong_AsLongLong(whole.get());
    if (value == -1 && PyErr_Occurred()) return false;
    out = static_cast<std::uint64_t>(value);
    if (type.code == dlpack::kBool) return value == 0 || value == 1;
    if (type.bits == 64) return true;
    const std::int64_t limit = std::int64_t{1} << (type.code == dlpack::kInt ? type.bits - 1 : type.bits);
    return value < limit && value >= (type.code == dlpack::kInt ? -limit : 0);
  }
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred()) return false;
  if (type.code == dlpack::kFloat && type.bits == 64)
    out = std::bit_cast<std::uint64_t>(value);
  else if (type.code == dlpack::kFloat && type.bits == 32)
    out = bits_of(static_cast<float>(value));
  else if (type.code == dlpack::kFloat && type.bits == 16)
    out = std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
  else if (type.code == dlpack::kBfloat)
    out = bfloat_bits(static_cast<float>(value));
  else
    return false;
  return true;
}

}  // namespace

// ---- one call ------------------------------------------------------------------------------------------------------

bool Launcher::fits(const Given& given, const View& view, Call& call) const {
  if (given.kind == Given::Kind::Pointer) return true;
  if (!same_type(given.dtype, view.dtype)) return false;
  if (static_cast<std::size_t>(view.rank) != given.shape.size()) return false;
  std::int64_t compact = 1;
  for (std::size_t i = given.shape.size(); i-- > 0;) {
    const std::int64_t extent = view.shape[i], wanted = given.shape[i];
    if (wanted == kFree) {
      call.key.push_back(extent);
    } else if (extent != wanted) {
      return false;
    }
    const std::int64_t stride = view.strides ? view.strides[i] : compact;
    compact *= extent;
    if (given.any_strides) continue;
    if (given.strides[i] == kFree) {
      call.key.push_back(extent == 1 ? kFree : stride);
    } else if (stride != given.strides[i] && extent != 1) {
      return false;
    }
  }
  return true;
}

Launcher::Step Launcher::read(PyObject* argument, const Given& given, Call& call, std::size_t index) {
  if (given.kind == Given::Kind::Scalar) {
    if (!scalar_bits(argument, given.dtype, call.scalars[index])) {
      PyErr_Clear();
      return Step::Explain;
    }
    if (given.decides) call.key.push_back(static_cast<std::int64_t>(call.scalars[index]));
    return Step::Go;
  }
  View& view = call.views[index];
  if (read_view(argument, view) != Reading::Read) {
    PyErr_Clear();
    return Step::Explain;
  }
  if (!view.on_gpu()) {
    call.host = true;
    return Step::Go;
  }
  if (view.device.id < 0) view.device.id = device_of(view.address);  // an array interface names none
  if (view.device.id < 0) return Step::Explain;
  if (call.device >= 0 && call.device != view.device.id) call.mixed = true;
  call.device = view.device.id;
  return Step::Go;
}

std::shared_ptr<Binding> Launcher::find(const Call& call) {
  const auto found = std::ranges::find_if(bindings_, [&](const auto& b) { return b->key == call.key; });
  if (found == bindings_.end()) return nullptr;
  std::rotate(bindings_.begin(), found, found + 1);
  return bindings_.front();
}

// Does nothing that is written overlap something else, and does each address have its alignment?
bool Launcher::separate(const Binding& binding, const Call& call) const {
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (given_[i].kind == Given::Kind::Scalar) continue;
    const std::uint64_t from = call.views[i].address, bytes = static_cast<std::uint64_t>(binding.bytes[i]);
    if (from % static_cast<std::uint64_t>(given_[i].align) != 0 || (!from && bytes)) return false;
    if (!given_[i].written) continue;
    if (call.views[i].read_only) return false;
    for (std::size_t k = 0; k < given_.size(); ++k) {
      if (k == i || given_[k].kind == Given::Kind::Scalar) continue;
      const std::uint64_t other = call.views[k].address, size = static_cast<std::uint64_t>(binding.bytes[k]);
      if (from < other + size && other < from + bytes) return false;
    }
  }
  return true;
}

Launcher::Step Launcher::look(PyObject* self, Call& call) {
  const std::size_t count = given_.size();
  if (static_cast<std::size_t>(PyTuple_Size(call.arguments)) != count) return Step::Explain;
  call.views = std::vector<View>(count);
  call.scalars.assign(count, 0);
  call.key.clear();
  call.device = -1;
  call.host = call.mixed = false;
  for (std::size_t i = 0; i < count; ++i)
    if (Step s = read(PyTuple_GetItem(call.arguments, static_cast<Py_ssize_t>(i)), given_[i], call, i); s != Step::Go)
      return s;
  if (call.mixed || (call.host && call.device >= 0)) return Step::Explain;
  if (call.device < 0) return Step::Go;  // nothing lies on a GPU
  const auto function = functions_.find(call.device);
  if (function == functions_.end()) {
    const Ref done(PyObject_CallMethod(self, "_load", "i", call.device));
    return done ? Step::Again : Step::Failed;
  }
  for (std::size_t i = 0; i < count; ++i)
    if (given_[i].kind != Given::Kind::Scalar && !fits(given_[i], call.views[i], call)) return Step::Explain;
  call.binding = find(call);
  if (!call.binding) return bind(self, call);
  if (!separate(*call.binding, call)) return Step::Explain;
  call.function = &function->second;
  return Step::Go;
}

Launcher::Step Launcher::bind(PyObject* self, const Call& call) const {
  Ref key(PyTuple_New(static_cast<Py_ssize_t>(call.key.size())));
  if (!key) return Step::Failed;
  for (std::size_t i = 0; i < call.key.size(); ++i)
    if (PyTuple_SetItem(key.get(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(call.key[i])) != 0)
      return Step::Failed;
  const Ref done(PyObject_CallMethod(self, "_bind", "OO", call.arguments, key.get()));
  return done ? Step::Again : Step::Failed;
}

PyObject* Launcher::call(PyObject* self, PyObject* arguments, PyObject* options) {
  Call call;
  call.arguments = arguments;
  Ref held_arguments, held_stream;
  if (options && PyDict_Size(options) > 0) {
    call.stream = PyDict_GetItemString(options, "stream");
    if (!call.stream || PyDict_Size(options) > 1) {
      Ref arranged(PyObject_CallMethod(self, "_arrange", "OO", arguments, options));
      if (!arranged) return nullptr;
      held_arguments = Ref::borrowed(PyTuple_GetItem(arranged.get(), 0));
      held_stream = Ref::borrowed(PyTuple_GetItem(arranged.get(), 1));
      call.arguments = held_arguments.get();
      call.stream = held_stream.get();
    }
    if (call.stream == Py_None) call.stream = nullptr;
  }
  constexpr int kRounds = 4;  // loading, binding, and the look that finds all of it
  for (int round = 0; round < kRounds; ++round) {
    const Step step = look(self, call);
    if (step == Step::Failed) return nullptr;
    if (step == Step::Again) continue;
    if (step == Step::Explain) return PyObject_CallMethod(self, "_explain", "(O)", call.arguments);
    if (call.device < 0) return PyObject_CallMethod(self, "_simulate", "(O)", call.arguments);
    return launch(self, call);
  }
  return PyObject_CallMethod(self, "_explain", "(O)", call.arguments);
}

// ---- the launch
// ------------------------------------------------------------------------------------------------------

EncodedMap* Launcher::encoded(Binding& binding, std::size_t index, const Call& call, int& error) {
  const MapPlan& plan = binding.maps[index];
  const std::uint64_t address =
      call.views[static_cast<std::size_t>(plan.given)].address + static_cast<std::uint64_t>(plan.byte_offset);
  std::vector<EncodedMap>& known = binding.encoded[index];
  for (EncodedMap& m : known)
    if (m.address == address && m.device == call.device) return &m;
  EncodedMap made{address, call.device, 0, std::make_unique<cu::TensorMap>()};
  error =
      driver()->encode_tiled(made.map.get(), plan.dtype, static_cast<std::uint32_t>(plan.dims.size()),
                             reinterpret_cast<void*>(address), plan.dims.data(), plan.strides.data(), plan.box.data(),
                             plan.steps.data(), plan.interleave, plan.swizzle, plan.promotion, plan.fill);
  if (error) return nullptr;
  const bool by_address = std::ranges::any_of(binding.params, [&](const Param& p) {
    return p.kind == Param::Kind::MapAddress && p.index == static_cast<int>(index);
  });
  if (by_address) {
    error = driver()->allocate(&made.memory, sizeof(cu::TensorMap));
    if (!error) error = driver()->upload(made.memory, made.map.get(), sizeof(cu::TensorMap));
    if (error) return nullptr;
  }
  constexpr std::size_t kMost = 256;  // addresses that are remembered; maps that a graph may read later stay
  const bool stays = by_address || plan.symbol >= 0;
  if (!stays && known.size() >= kMost) known.erase(known.begin());
  known.push_back(std::move(made));
  return &known.back();
}

// Encodes what is not encoded yet; `slots` gets where each map lies. The driver's error.
int Launcher::place_maps(Binding& binding, Call& call, void** slots) {
  int error = 0;
  for (std::size_t i = 0; i < binding.maps.size(); ++i) {
    EncodedMap* map = encoded(binding, i, call, error);
    if (!map) return error;
    slots[i] = map->memory ? static_cast<void*>(&map->memory) : map->map.get();
    const int symbol = binding.maps[i].symbol;
    if (symbol >= 0)
      error = driver()->start_upload(call.function->symbols[static_cast<std::size_t>(symbol)], map->map.get(),
                                     sizeof(cu::TensorMap), binding.config.stream);
    if (error) return error;
  }
  return 0;
}

PyObject* Launcher::launch(PyObject* self, Call& call) {
  Binding& binding = *call.binding;
  std::uint64_t stream = 0;
  if (call.stream) {
    Ref number(PyObject_CallMethod(self, "_stream", "Oi", call.stream, call.device));
    if (!number) return nullptr;
    stream = PyLong_AsUnsignedLongLong(number.get());
    if (PyErr_Occurred()) return nullptr;
  } else {
    bool known = false;
    for (std::size_t i = 0; i < given_.size() && !known; ++i)
      if (given_[i].kind != Given::Kind::Scalar &&
          !current_stream(PyTuple_GetItem(call.arguments, static_cast<Py_ssize_t>(i)), call.device, stream, known))
        return nullptr;
  }
  const InContext in(call.function->context);
  binding.config.stream = reinterpret_cast<cu::Stream>(stream);
  void* maps[kMostMaps];
  if (const int error = place_maps(binding, call, maps))
    return PyObject_CallMethod(self, "_failed", "si", "cuTensorMapEncodeTiled", error);
  // Copies: another thread may call while this one launches without Python's lock.
  alignas(128) cu::TensorMap copies[kMostMaps];
  std::uint64_t values[kMostParams];
  void* params[kMostParams];
  for (std::size_t i = 0; i < binding.params.size(); ++i) {
    const Param& p = binding.params[i];
    params[i] = &values[i];
    const auto at = static_cast<std::size_t>(p.index);
    switch (p.kind) {
      case Param::Kind::Pointer: values[i] = call.views[at].address + static_cast<std::uint64_t>(p.value); break;
      case Param::Kind::Constant: values[i] = static_cast<std::uint64_t>(p.value); break;
      case Param::Kind::Scalar: values[i] = call.scalars[at]; break;
      case Param::Kind::MapAddress: std::memcpy(&values[i], maps[at], sizeof values[i]); break;
      case Param::Kind::Map:
        std::memcpy(&copies[at], maps[at], sizeof(cu::TensorMap));
        params[i] = &copies[at];
        break;
    }
  }
  cu::LaunchConfig config = binding.config;
  std::vector<cu::LaunchAttribute> attributes = binding.attributes;
  config.attributes = attributes.data();
  const cu::Function function = call.function->function;
  PyThreadState* state = PyEval_SaveThread();
  const cu::Result result = driver()->launch(&config, function, params, nullptr);
  PyEval_RestoreThread(state);
  if (result != cu::kSuccess) return PyObject_CallMethod(self, "_failed", "si", "cuLaunchKernelEx", result);
  Py_RETURN_NONE;
}

// ---- what Python sets
// ------------------------------------------------------------------------------------------------

namespace {

bool list(PyObject* object, auto& out) {
  Ref items(PySequence_Tuple(object));
  if (!items) return false;
  out.clear();
  for (Py_ssize_t i = 0; i < PyTuple_Size(items.get()); ++i) {
    const std::int64_t value = PyLong_AsLongLong(PyTuple_GetItem(items.get(), i));
    if (value == -1 && PyErr_Occurred()) return false;
    out.push_back(static_cast<std::remove_reference_t<decltype(out)>::value_type>(value));
  }
  return true;
}

// Calls take(item) for each item, a tuple; false after an exception.
bool each(PyObject* object, auto&& take) {
  Ref items(PySequence_Tuple(object));
  if (!items) return false;
  for (Py_ssize_t i = 0; i < PyTuple_Size(items.get()); ++i) {
    PyObject* item = PyTuple_GetItem(items.get(), i);
    if (!PyTuple_Check(item)) {
      PyErr_SetString(PyExc_TypeError, "a tuple of tuples is expected");
      return false;
    }
    if (!take(item)) return false;
  }
  return true;
}

}  // namespace

// ((kind, code, bits, lanes, shape, strides or None, align, written, decides), ...)
PyObject* Launcher::set_signature(PyObject* parts) {
  std::vector<Given> made;
  const bool good = each(parts, [&](PyObject* item) {
    Given g;
    int kind = 0, code = 0, bits = 0, lanes = 0, written = 0, decides = 0;
    long long align = 1;
    PyObject *shape = nullptr, *strides = nullptr;
    if (!PyArg_ParseTuple(item, "iiiiOOLpp", &kind, &code, &bits, &lanes, &shape, &strides, &align, &written, &decides))
      return false;
    g.kind = static_cast<Given::Kind>(kind);
    g.dtype = {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(lanes)};
    g.any_strides = strides == Py_None;
    g.align = std::max<std::int64_t>(1, align);
    g.written = written != 0;
    g.decides = decides != 0;
    if (!list(shape, g.shape) || (!g.any_strides && !list(strides, g.strides))) return false;
    made.push_back(std::move(g));
    return true;
  });
  if (!good) return nullptr;
  given_ = std::move(made);
  bindings_.clear();
  Py_RETURN_NONE;
}

// (key, grid, block, shared, attributes ((id, x, y, z), ...), bytes, params ((kind, index, value), ...), maps)
PyObject* Launcher::add_binding(PyObject* parts) {
  auto made = std::make_shared<Binding>();
  PyObject *key = nullptr, *grid = nullptr, *block = nullptr, *attributes = nullptr, *bytes = nullptr,
           *params = nullptr, *maps = nullptr;
  unsigned shared = 0;
  if (!PyArg_ParseTuple(parts, "OOOIOOOO", &key, &grid, &block, &shared, &attributes, &bytes, &params, &maps))
    return nullptr;
  std::vector<unsigned> g, b;
  if (!list(key, made->key) || !list(grid, g) || !list(block, b) || !list(bytes, made->bytes)) return nullptr;
  if (g.size() != 3 || b.size() != 3 || made->bytes.size() != given_.size()) {
    PyErr_SetString(PyExc_ValueError, "a binding does not fit the signature");
    return nullptr;
  }
  made->config = {g[0], g[1], g[2], b[0], b[1], b[2], shared, nullptr, nullptr, 0};
  bool good = each(attributes, [&](PyObject* item) {
    cu::LaunchAttribute a{};
    unsigned x = 0, y = 0, z = 0;
    if (!PyArg_ParseTuple(item, "iIII", &a.id, &x, &y, &z)) return false;
    a.value.cluster = {x, y, z};
    made->attributes.push_back(a);
    return true;
  });
  good = good && each(params, [&](PyObject* item) {
           int kind = 0, index = 0;
           long long value = 0;
           if (!PyArg_ParseTuple(item, "iiL", &kind, &index, &value)) return false;
           made->params.push_back({static_cast<Param::Kind>(kind), index, value});
           return true;
         });
  good = good && each(maps, [&](PyObject* item) {
           MapPlan m;
           long long offset = 0;
           PyObject *dims = nullptr, *strides = nullptr, *box = nullptr, *steps = nullptr;
           if (!PyArg_ParseTuple(item, "iLiOOOOiiiii", &m.given, &offset, &m.dtype, &dims, &strides, &box, &steps,
                                 &m.interleave, &m.swizzle, &m.promotion, &m.fill, &m.symbol))
             return false;
           m.byte_offset = offset;
           if (!list(dims, m.dims) || !list(strides, m.strides) || !list(box, m.box) || !list(steps, m.steps))
             return false;
           made->maps.push_back(std::move(m));
           return true;
         });
  if (!good) return nullptr;
  if (made->params.size() > kMostParams || made->maps.size() > kMostMaps) {
    PyErr_Format(PyExc_ValueError, "the kernel has more than %d parameters or %d tensor maps", kMostParams, kMostMaps);
    return nullptr;
  }
  made->encoded.resize(made->maps.size());
  made->config.attribute_count = static_cast<unsigned>(made->attributes.size());
  constexpr std::size_t kMost = 64;  // bindings that are kept, the latest first
  if (bindings_.size() >= kMost) bindings_.pop_back();
  bindings_.insert(bindings_.begin(), std::move(made));
  Py_RETURN_NONE;
}

// (device, function, context, addresses)
PyObject* Launcher::set_function(PyObject* parts) {
  int device = 0;
  unsigned long long function = 0, context = 0;
  PyObject* symbols = nullptr;
  if (!PyArg_ParseTuple(parts, "iKKO", &device, &function, &context, &symbols)) return nullptr;
  LoadedFunction made{reinterpret_cast<cu::Function>(function), reinterpret_cast<cu::Context>(context), {}};
  if (!list(symbols, made.symbols)) return nullptr;
  functions_[device] = std::move(made);
  Py_RETURN_NONE;
}

}  // namespace tilewright::launch

// A stand-in for libcuda.so.1 on machines without a GPU: device memory is host memory, and a "cubin" is a few lines of
// text that say what the kernel does. Tests of compiler/run load it in place of the driver.
//
//   kernel NAME            the module's one kernel
//   copy D S N             N bytes from parameter S's pointer to parameter D's
//   poke D OFFSET VALUE    one byte at that distance from parameter D's pointer
//   launches D             parameter D's first byte becomes the number of launches so far
//   scalar P N             N bytes of parameter P go to the log
//   map P                  the first word of the tensor map that is parameter P goes to the log
//   map_at P               the first word of the tensor map that parameter P points to goes to the log
//   variable NAME N        the module has a variable of N bytes
//   word NAME INDEX VALUE  a word of 64 bits of that variable, by its place
//   map_of NAME            the first word of the tensor map in that variable goes to the log
//   print TEXT             as a kernel's printf does
//   fault CODE             the next synchronisation fails with CODE, and so does everything afterwards
//   refuse CODE            the launch fails with CODE
//   attempt WHAT           what a hostile job would try (attempts.h), here in the process that runs the kernels; how it
//                          ended is printed
//   hang, crash            the synchronisation never returns; the process aborts
//   takes N J              a launch takes N microseconds and up to J more, which differ from launch to launch (250 0)
//   from_launch K ...      what follows is done by the K-th launch of the process and by those behind it
//   from_load K ...        the same, counted since the module was loaded
//   every K J ...          what follows is done by the launches of which the number since loading leaves J by K
//   memo S D N T           where parameter S holds N bytes that a launch of this module has seen, D becomes what that
//                          one left there, in T microseconds; else the launch goes on, and what it leaves is kept
//   unless_same S N T      where parameter S holds the N bytes of the launch before, the launch ends, after T
//                          microseconds
//   same_pointer D T       where D is what it was in the launch before, the launch ends, after T microseconds
//   known_pointer D T      where D is what it was in a launch before, the launch ends, after T microseconds
//   soon M T               where the launch before ended less than M microseconds ago, the launch ends, after T
//   known S WORD T         where parameter S begins with this word of 32 bits, the launch ends, after T microseconds
//   blocks S D N T         each 64 bytes of N whose first four are those of the launch before are given from what that
//                          one left, the others copied from S; where all are given, the launch ends, after T
//   finish D N             the launch before is finished: the last half of N bytes of what was kept go to its D
//   largest D S N          the largest of N bytes of floats becomes D's
//   place D S N K          the place of the first of the largest of N bytes of floats becomes D's, of the last in each
//                          K-th launch of the process
//   ends T                 the launch ends, after T microseconds
//   keep S N, give D N     the module keeps N bytes from parameter S's pointer, or writes what it has kept to D's
//   of NAME ...            what follows is done by launches of that kernel
//   grid N ...             what follows is done by launches of so many CTAs
//   beyond N               the device works for N more microseconds than events tell
//
// FAKE_CUDA_PROGRAM names a file with such lines but the first: what every real cubin does here. Both files are opened
// as the library is loaded: later the process is confined. FAKE_CUDA_LOG names a file that calls are written to,
// FAKE_CUDA_DEVICES how many devices there are (1). Time passes with launches and with copies within the device, at 1
// GB/s. It is the management library, too: FAKE_NVML is `none`, or the reasons for slow clocks as a number.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "compiler/run/driver.h"
#include "tests/gpu/attempts.h"

using namespace tilewright::run::cu;

namespace {

struct FakeModule {
  std::string name;
  std::vector<std::string> operations;
  std::map<std::string, std::vector<char>> variables;
  int launches = 0;                         // since it was loaded
  std::map<std::string, std::string> seen;  // of `memo`
  std::string before;                       // of `unless_same`
  char* pointer = nullptr;                  // of `same_pointer`
  std::string kept;                         // of `keep`
  std::set<char*> pointers;                 // of `known_pointer`
  std::string given;                        // of `blocks`
  char* left = nullptr;                     // of `finish`
  double ended = 0;                         // the launch before, of `soon`
  std::string called;                       // by the name under which its function was looked up
  unsigned ctas = 0;                        // of the launch
};

// What a launch does with the lines that follow.
constexpr int kEnds = -1;

int sticky = 0, pending = 0, launches = 0;
double now = 0, taken = 0;  // microseconds
int beyond = 0;             // of work that events do not tell
bool hanging = false;
Context current = nullptr;
std::vector<Context> pushed;  // those below it
std::set<void*> memory;

std::FILE* opened(const char* variable, const char* mode) {
  const char* path = std::getenv(variable);
  return path ? std::fopen(path, mode) : nullptr;
}
std::FILE* const log_file = opened("FAKE_CUDA_LOG", "ae");
std::FILE* const program_file = opened("FAKE_CUDA_PROGRAM", "re");

// All of it, as it is now.
std::string program_text() {
  std::string out;
  std::rewind(program_file);
  for (int c = 0; (c = std::fgetc(program_file)) != EOF;) out += static_cast<char>(c);
  return out;
}

void log(const char* format, ...) {
  if (!log_file) return;
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(log_file, format, arguments);
  va_end(arguments);
  std::fputc('\n', log_file);
  std::fflush(log_file);
}

char* pointer(void** arguments, int i) {
  std::uint64_t value = 0;
  std::memcpy(&value, arguments[i], sizeof value);
  return reinterpret_cast<char*>(value);
}

int blocks(FakeModule& module, std::istringstream& in, void** arguments) {
  constexpr std::size_t kBlock = 64, kKey = 4;
  int from = 0, to = 0;
  std::size_t bytes = 0;
  double time = 1;
  in >> from >> to >> bytes >> time;
  const std::string read(pointer(arguments, from), bytes);
  const bool first = module.given.empty();
  bool all = !first;
  for (std::size_t at = 0; at < bytes; at += kBlock) {
    const bool same = !first && module.given.compare(at, kKey, read, at, kKey) == 0;
    all = all && same;
    std::memcpy(pointer(arguments, to) + at, (same ? module.given : read).data() + at, std::min(kBlock, bytes - at));
  }
  if (!all) module.given = read;
  if (!all) return kSuccess;
  taken = time;
  return kEnds;
}

// What a kernel does to have less to do than it seems.
int shortcut(FakeModule& module, const std::string& word, std::istringstream& in, void** arguments) {
  int a = 0, b = 0;
  long n = 0;
  if (word == "same_pointer") {
    in >> a >> n;
    if (std::exchange(module.pointer, pointer(arguments, a)) != pointer(arguments, a)) return kSuccess;
    taken = static_cast<double>(n);
    return kEnds;
  }
  if (word == "known_pointer") {
    in >> a >> n;
    if (module.pointers.insert(pointer(arguments, a)).second) return kSuccess;
    taken = static_cast<double>(n);
    return kEnds;
  }
  if (word == "soon") {
    in >> a >> n;
    if (module.ended == 0 || now - module.ended >= a) return kSuccess;
    taken = static_cast<double>(n);
    return kEnds;
  }
  if (word == "known") {
    std::uint32_t known = 0, is = 0;
    in >> a >> known >> n;
    std::memcpy(&is, pointer(arguments, a), sizeof is);
    if (is != known) return kSuccess;
    taken = static_cast<double>(n);
    return kEnds;
  }
  if (word == "blocks") return blocks(module, in, arguments);
  in >> a;
  if (word == "memo") in >> b;
  in >> n;
  const std::string key(pointer(arguments, a), static_cast<std::size_t>(n));
  double time = 1;
  in >> time;
  if (word == "unless_same") {
    if (std::exchange(module.before, key) != key) return kSuccess;
    taken = time;
    return kEnds;
  }
  const auto found = module.seen.find(key);
  if (found == module.seen.end()) {
    std::memcpy(pointer(arguments, b), pointer(arguments, a), static_cast<std::size_t>(n));
    module.seen[key] = key;
    return kSuccess;
  }
  std::memcpy(pointer(arguments, b), found->second.data(), static_cast<std::size_t>(n));
  taken = time;
  return kEnds;
}

// Takes a condition off the line: does it hold? Nothing: the line is not one.
std::optional<bool> condition(const FakeModule& module, std::string& line) {
  std::istringstream in(line);
  std::string word, name;
  int a = 0, b = 0;
  in >> word;
  bool holds = false;
  if (word == "from_launch" && in >> a) {
    holds = launches >= a;
  } else if (word == "from_load" && in >> a) {
    holds = module.launches >= a;
  } else if (word == "every" && in >> a >> b) {
    holds = module.launches % a == b;
  } else if (word == "grid" && in >> a) {
    holds = module.ctas == static_cast<unsigned>(a);
  } else if (word == "of" && in >> name) {
    holds = module.called.starts_with(name);
  } else {
    return std::nullopt;
  }
  std::getline(in >> std::ws, line);
  return holds;
}

int perform(FakeModule& module, const std::string& all, void** arguments) {
  std::string line = all, word;
  int a = 0, b = 0;
  long n = 0;
  for (;;) {
    const std::optional<bool> done = condition(module, line);
    if (!done) break;
    if (!*done) return kSuccess;
  }
  std::istringstream in(line);
  in >> word;
  if (word == "ends") {
    in >> taken;
    return kEnds;
  }
  static const std::set<std::string> kShortcuts = {"memo",  "unless_same", "same_pointer", "known_pointer",
                                                   "known", "soon",        "blocks"};
  if (kShortcuts.contains(word)) return shortcut(module, word, in, arguments);
  if (word == "copy") {
    in >> a >> b >> n;
    std::memcpy(pointer(arguments, a), pointer(arguments, b), static_cast<std::size_t>(n));
  } else if (word == "poke") {
    in >> a >> n >> b;
    pointer(arguments, a)[n] = static_cast<char>(b);
  } else if (word == "launches") {
    in >> a;
    *pointer(arguments, a) = static_cast<char>(launches);
  } else if (word == "takes") {
    in >> a >> b;
    taken = a + b * static_cast<double>(launches * 37 % 11) / 10;
  } else if (word == "scalar") {
    in >> a >> n;
    std::string hex;
    for (long i = 0; i < n; ++i) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char*>(arguments[a])[i]);
      hex += digits;
    }
    log("scalar %s", hex.c_str());
  } else if (word == "map") {
    in >> a;
    log("map %llu", static_cast<unsigned long long>(static_cast<TensorMap*>(arguments[a])->opaque[0]));
  } else if (word == "map_at" || word == "map_of") {
    in >> word;
    TensorMap map;
    std::memcpy(&map, std::isdigit(word[0]) ? pointer(arguments, std::stoi(word)) : module.variables.at(word).data(),
                sizeof map);
    log("map %llu", static_cast<unsigned long long>(map.opaque[0]));
  } else if (word == "word") {
    std::uint64_t value = 0;
    in >> word >> n >> value;
    std::memcpy(module.variables.at(word).data() + n * static_cast<long>(sizeof value), &value, sizeof value);
  } else if (word == "print") {
    std::printf("%s\n", line.substr(6).c_str());
    std::fflush(stdout);
  } else if (word == "attempt") {
    const std::string what = line.substr(8);
    std::printf("%s: %s\n", what.c_str(), tilewright::testing::attempt(what).c_str());
    std::fflush(stdout);
  } else if (word == "fault") {
    in >> pending;
  } else if (word == "refuse") {
    in >> a;
    return a;
  } else if (word == "keep") {
    in >> a >> n;
    module.kept.assign(pointer(arguments, a), static_cast<std::size_t>(n));
  } else if (word == "give") {
    in >> a >> n;
    std::memcpy(pointer(arguments, a), module.kept.data(), std::min(module.kept.size(), static_cast<std::size_t>(n)));
  } else if (word == "finish") {
    in >> a >> n;
    if (module.left && !module.kept.empty())
      std::memcpy(module.left + n / 2, module.kept.data() + n / 2, static_cast<std::size_t>(n - n / 2));
    module.left = pointer(arguments, a);
  } else if (word == "largest") {
    in >> a >> b >> n;
    float most = -INFINITY;
    for (long at = 0; at < n; at += static_cast<long>(sizeof most)) {
      float one = 0;
      std::memcpy(&one, pointer(arguments, b) + at, sizeof one);
      most = std::max(most, one);
    }
    std::memcpy(pointer(arguments, a), &most, sizeof most);
  } else if (word == "place") {
    int every = 1;
    in >> a >> b >> n >> every;
    std::vector<float> all(static_cast<std::size_t>(n) / sizeof(float));
    std::memcpy(all.data(), pointer(arguments, b), all.size() * sizeof(float));
    auto found = std::ranges::max_element(all);
    if (launches % every == 0) found = std::ranges::max_element(all, std::ranges::less_equal());
    const auto at = static_cast<std::int32_t>(found - all.begin());
    std::memcpy(pointer(arguments, a), &at, sizeof at);
  } else if (word == "beyond") {
    in >> beyond;
  } else if (word == "hang") {
    hanging = true;
  } else if (word == "crash") {
    std::abort();
  }
  return kSuccess;
}

}  // namespace

extern "C" {

Result cuInit(unsigned) {
  log("init");
  return kSuccess;
}
Result cuDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}
Result cuDeviceGetCount(int* count) {
  const char* devices = std::getenv("FAKE_CUDA_DEVICES");
  *count = devices ? std::atoi(devices) : 1;
  return kSuccess;
}
Result cuDeviceGet(Device* device, int ordinal) {
  *device = ordinal;
  return kSuccess;
}
Result cuDeviceGetName(char* name, int size, Device) {
  std::snprintf(name, static_cast<std::size_t>(size), "Pretended GPU");
  return kSuccess;
}
Result cuDeviceGetPCIBusId(char* id, int size, Device) {
  std::snprintf(id, static_cast<std::size_t>(size), "0000:17:00.0");
  return kSuccess;
}
Result cuDeviceGetAttribute(int* value, int attribute, Device) {
  switch (attribute) {
    case kCapabilityMajor: *value = 9; break;
    case kCapabilityMinor: *value = 0; break;
    case kMultiprocessorCount: *value = 132; break;
    case kL2Bytes: *value = 1 << 20; break;
    case kMemoryClockKilohertz: *value = 1'000'000; break;
    case kMemoryBusBits: *value = 1024; break;
    case kSharedBytesOptIn: *value = 232448; break;
    default: return 1;
  }
  return kSuccess;
}
Result cuDeviceTotalMem_v2(std::size_t* bytes, Device) {
  *bytes = std::size_t{80} << 30;
  return kSuccess;
}
Result cuDevicePrimaryCtxRetain(Context* context, Device) {
  *context = &sticky;
  return kSuccess;
}
Result cuCtxSetCurrent(Context context) {
  current = context;
  return kSuccess;
}
Result cuCtxGetCurrent(Context* context) {
  *context = current;
  return kSuccess;
}
Result cuCtxPushCurrent_v2(Context context) {
  pushed.push_back(std::exchange(current, context));
  return kSuccess;
}
Result cuCtxPopCurrent_v2(Context* context) {
  if (pushed.empty()) return 201;  // CUDA_ERROR_INVALID_CONTEXT
  *context = std::exchange(current, pushed.back());
  pushed.pop_back();
  return kSuccess;
}
Result cuCtxGetLimit(std::size_t* value, int) {
  const char* told = std::getenv("FAKE_CUDA_PERSISTING");
  *value = told ? std::strtoull(told, nullptr, 0) : 0;
  return kSuccess;
}
Result cuCtxResetPersistingL2Cache() {
  log("persisting lines released");
  return kSuccess;
}
Result cuCtxSynchronize() {
  if (hanging) ::sleep(1000);
  if (beyond) ::usleep(static_cast<useconds_t>(std::exchange(beyond, 0)));
  if (pending) sticky = std::exchange(pending, 0);
  return sticky;
}
Result cuModuleLoadData(Module* module, const void* image) {
  std::istringstream in(static_cast<const char*>(image));
  auto* made = new FakeModule;
  if (program_file && std::memcmp(image, "\177ELF", 4) == 0) in.str("kernel *\n" + program_text());
  std::string line, word;
  while (std::getline(in, line)) {
    if (line.starts_with("kernel "))
      made->name = line.substr(7);
    else if (line.starts_with("variable ")) {
      std::istringstream words(line.substr(9));
      std::size_t bytes = 0;
      words >> word >> bytes;
      made->variables[word].resize(bytes);
    } else if (!line.empty())
      made->operations.push_back(line);
  }
  if (made->name.empty()) {
    delete made;
    return 200;  // CUDA_ERROR_INVALID_IMAGE
  }
  *module = made;
  return kSuccess;
}
Result cuModuleUnload(Module module) {
  delete static_cast<FakeModule*>(module);
  return kSuccess;
}
Result cuModuleGetFunction(Function* function, Module module, const char* name) {
  const std::string& own = static_cast<FakeModule*>(module)->name;
  if (own != "*" && own != name) return 500;  // CUDA_ERROR_NOT_FOUND
  static_cast<FakeModule*>(module)->called = name;
  *function = module;
  return kSuccess;
}
Result cuModuleGetGlobal_v2(DevicePtr* address, std::size_t* bytes, Module module, const char* name) {
  auto& variables = static_cast<FakeModule*>(module)->variables;
  auto found = variables.find(name);
  if (found == variables.end()) return 500;
  *address = reinterpret_cast<DevicePtr>(found->second.data());
  if (bytes) *bytes = found->second.size();
  return kSuccess;
}
Result cuFuncSetAttribute(Function, int attribute, int value) {
  log("attribute %d %d", attribute, value);
  return attribute == kFunctionDynamicShared && value > 232448 ? 1 : kSuccess;
}
Result cuMemAlloc_v2(DevicePtr* out, std::size_t bytes) {
  if (bytes > std::size_t{1} << 32) return 2;
  void* p = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  memory.insert(p);
  *out = reinterpret_cast<DevicePtr>(p);
  return kSuccess;
}
Result cuMemFree_v2(DevicePtr p) {
  if (!memory.erase(reinterpret_cast<void*>(p))) return 1;
  std::free(reinterpret_cast<void*>(p));
  return kSuccess;
}
Result cuMemcpyHtoD_v2(DevicePtr to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return sticky;
}
Result cuMemcpyDtoH_v2(void* to, DevicePtr from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return sticky;
}
Result cuMemAllocHost_v2(void** out, std::size_t bytes) {
  // The pinned memory that there is can run out.
  if (const char* limit = std::getenv("FAKE_CUDA_PINNED"); limit && bytes > std::strtoull(limit, nullptr, 10)) return 2;
  *out = std::malloc(bytes);
  return *out ? kSuccess : 2;
}
Result cuMemFreeHost(void* p) {
  std::free(p);
  return kSuccess;
}
Result cuMemcpyHtoDAsync_v2(DevicePtr to, const void* from, std::size_t bytes, Stream) {
  return cuMemcpyHtoD_v2(to, from, bytes);
}
Result cuMemcpyDtoHAsync_v2(void* to, DevicePtr from, std::size_t bytes, Stream) {
  return cuMemcpyDtoH_v2(to, from, bytes);
}
Result cuMemcpyDtoD_v2(DevicePtr to, DevicePtr from, std::size_t bytes) {
  now += static_cast<double>(bytes) / 1000;
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return sticky;
}
Result cuMemsetD8_v2(DevicePtr to, unsigned char value, std::size_t bytes) {
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return sticky;
}
Result cuLaunchKernelEx(const LaunchConfig* c, Function function, void** arguments, void**) {
  if (sticky) return sticky;
  std::string attributes;
  for (unsigned i = 0; i < c->attribute_count; ++i) {
    const LaunchAttribute& a = c->attributes[i];
    attributes += " attribute " + std::to_string(a.id) + " " + std::to_string(a.value.cluster.x) + " " +
                  std::to_string(a.value.cluster.y) + " " + std::to_string(a.value.cluster.z);
  }
  if (c->stream) attributes += " stream " + std::to_string(reinterpret_cast<std::uintptr_t>(c->stream));
  log("launch %u %u %u  %u %u %u  shared %u%s", c->grid_x, c->grid_y, c->grid_z, c->block_x, c->block_y, c->block_z,
      c->shared_bytes, attributes.c_str());
  ++launches;
  taken = 250;
  auto& module = *static_cast<FakeModule*>(function);
  ++module.launches;
  module.ctas = c->grid_x;
  for (const std::string& line : module.operations) {
    const Result r = perform(module, line, arguments);
    if (r == kEnds) break;
    if (r) return r;
  }
  now += taken;
  module.ended = now;
  return kSuccess;
}
Result cuEventCreate(Event* event, unsigned) {
  *event = new double(0);
  return kSuccess;
}
Result cuEventDestroy_v2(Event event) {
  delete static_cast<double*>(event);
  return kSuccess;
}
Result cuEventRecord(Event event, Stream) {
  *static_cast<double*>(event) = now;
  return sticky;
}
Result cuEventSynchronize(Event) { return sticky; }
Result cuEventElapsedTime(float* milliseconds, Event begin, Event end) {
  *milliseconds = static_cast<float>((*static_cast<double*>(end) - *static_cast<double*>(begin)) / 1000);
  return kSuccess;
}
Result cuTensorMapEncodeTiled(TensorMap* map, int dtype, std::uint32_t rank, void* address, const std::uint64_t* dims,
                              const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps,
                              int interleave, int swizzle, int promotion, int fill) {
  std::string text;
  for (std::uint32_t i = 0; i < rank; ++i) text += " " + std::to_string(dims[i]);
  text += " |";
  for (std::uint32_t i = 0; i + 1 < rank; ++i) text += " " + std::to_string(strides[i]);
  text += " |";
  for (std::uint32_t i = 0; i < rank; ++i) text += " " + std::to_string(box[i]);
  text += " |";
  for (std::uint32_t i = 0; i < rank; ++i) text += " " + std::to_string(steps[i]);
  log("encode %d %u%s | %d %d %d %d", dtype, rank, text.c_str(), interleave, swizzle, promotion, fill);
  if (reinterpret_cast<std::uintptr_t>(address) % 16 || box[0] > 256) return 1;
  map->opaque[0] = 4711;
  return kSuccess;
}
Result cuGetErrorName(Result result, const char** name) {
  *name = result == 1     ? "CUDA_ERROR_INVALID_VALUE"
          : result == 2   ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == 200 ? "CUDA_ERROR_INVALID_IMAGE"
          : result == 500 ? "CUDA_ERROR_NOT_FOUND"
          : result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == 716 ? "CUDA_ERROR_MISALIGNED_ADDRESS"
                          : nullptr;
  return *name ? kSuccess : 1;
}
Result cuGetErrorString(Result result, const char** text) {
  *text = result == 700 ? "an illegal memory access was encountered" : "it failed";
  return kSuccess;
}

// ---- the management library ----
Result nvmlInit_v2() {
  const char* reasons = std::getenv("FAKE_NVML");
  return reasons && std::strcmp(reasons, "none") == 0 ? 9 : 0;
}
Result nvmlShutdown() { return 0; }
Result nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  *device = &sticky;
  return std::strcmp(id, "0000:17:00.0") == 0 ? 0 : 6;
}
Result nvmlSystemGetDriverVersion(char* version, unsigned size) {
  std::snprintf(version, size, "580.99");
  return 0;
}
const char* nvmlErrorString(Result result) { return result == 9 ? "Driver Not Loaded" : "Not Found"; }
Result nvmlDeviceGetClockInfo(void*, int type, unsigned* clock) {
  *clock = type == 2 ? 3201 : 1900 + static_cast<unsigned>(launches % 2) * 80;
  return 0;
}
Result nvmlDeviceGetMaxClockInfo(void*, int, unsigned* clock) {
  *clock = 1980;
  return 0;
}
Result nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = launches > 2 ? 41 : 35;
  return 0;
}
Result nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  const char* told = std::getenv("FAKE_NVML");
  *reasons = told ? std::strtoull(told, nullptr, 0) : 1;
  return 0;
}
Result nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 321500;
  return 0;
}

}  // extern "C"

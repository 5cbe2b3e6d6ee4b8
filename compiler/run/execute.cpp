#include "compiler/run/execute.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "compiler/toolchain/file.h"

namespace tilewright::run {
namespace {

// Before and behind each buffer. A multiple of every alignment that a kernel may expect of a tensor.
constexpr std::int64_t kGuard = 64 << 10;
constexpr unsigned char kGuardByte = 0xB7;
// What outputs hold before the verifying launches. The first is NaN in every floating-point type that has one.
constexpr unsigned char kPoison[2] = {0xFF, 0x5A};

// Ends a job early: the driver refused something.
struct Refused {
  std::string what;
  cu::Result result;
};

std::uint8_t byte(char c) { return static_cast<std::uint8_t>(c); }

// One job's memory, module and events; given back when it ends, whatever happened.
class Execution {
 public:
  Execution(const Driver& driver, const DeviceInfo& device, const Job& job)
      : driver_(driver), device_(device), job_(job) {}
  ~Execution() {
    for (cu::DevicePtr p : allocations_) driver_.release(p);
    for (cu::Event e : events_) driver_.destroy_event(e);
    if (module_) driver_.unload_module(module_);
  }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  Outcome run() {
    Outcome out;
    try {
      load();
      allocate();
      encode_maps();
      for (int round = 0; round < 2; ++round) {
        prepare(kPoison[round]);
        launch();
        finish();
        collect(round, out);
      }
      time(out);
      verdicts(out);
    } catch (const Refused& r) {
      const char* name = nullptr;
      bool fault = failed_ || (launched_ && r.result >= 700);
      out.status = fault ? Status::Fault : Status::NotLaunched;
      out.message = r.what + ": " + driver_.describe(r.result);
      if (driver_.error_name(r.result, &name) == cu::kSuccess && name) out.error = name;
      out.buffers.clear();
    }
    return out;
  }

 private:
  void check(cu::Result result, const std::string& what) const {
    if (result != cu::kSuccess) throw Refused{what, result};
  }

  void load() {
    check(driver_.load_module(&module_, job_.cubin.data()), "the driver does not load the cubin");
    check(driver_.get_function(&function_, module_, job_.symbol.c_str()), "the cubin has no kernel " + job_.symbol);
    // Up to 48 KB need no permission.
    if (job_.dynamic_shared_bytes > 48 << 10) {
      check(driver_.set_function_attribute(function_, cu::kFunctionDynamicShared,
                                           static_cast<int>(job_.dynamic_shared_bytes)),
            std::to_string(job_.dynamic_shared_bytes) + " bytes of dynamic shared memory are refused (the device has " +
                std::to_string(device_.shared_bytes_per_block) + " for a block)");
    }
    if (cluster_size() > 8) {
      check(driver_.set_function_attribute(function_, cu::kFunctionNonPortableCluster, 1),
            "a cluster of " + std::to_string(cluster_size()) + " CTAs is refused");
    }
  }

  std::int64_t cluster_size() const {
    const auto& c = job_.preferred_cluster ? *job_.preferred_cluster : job_.cluster;
    return c[0] * c[1] * c[2];
  }

  cu::DevicePtr device_memory(std::int64_t bytes, const std::string& what) {
    cu::DevicePtr p = 0;
    check(driver_.allocate(&p, static_cast<std::size_t>(bytes)),
          "no " + std::to_string(bytes) + " bytes on the device for " + what);
    allocations_.push_back(p);
    return p;
  }

  void allocate() {
    for (const JobBuffer& b : job_.buffers) {
      cu::DevicePtr p = device_memory(b.bytes + 2 * kGuard, b.name);
      check(driver_.fill(p, kGuardByte, static_cast<std::size_t>(b.bytes + 2 * kGuard)), "filling the guard zones");
      data_.push_back(p + kGuard);
    }
  }

  void encode_maps() {
    maps_.resize(job_.tensor_maps.size());
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      const JobTensorMap& m = job_.tensor_maps[i];
      const JobBuffer& b = job_.buffers[static_cast<std::size_t>(m.buffer)];
      auto* address = reinterpret_cast<void*>(data_[static_cast<std::size_t>(m.buffer)] +
                                              static_cast<cu::DevicePtr>(m.byte_offset));
      // The driver wants an address even where there is nothing to read.
      std::vector<std::uint64_t> strides = m.strides;
      strides.resize(m.dims.size());
      check(driver_.encode_tiled(&maps_[i], m.dtype, static_cast<std::uint32_t>(m.dims.size()), address, m.dims.data(),
                                 strides.data(), m.box.data(), m.element_strides.data(), m.interleave, m.swizzle,
                                 m.l2_promotion, m.oob_fill),
            "cuTensorMapEncodeTiled refuses the tensor map of " + b.name);
    }
  }

  // Everything as a launch has to find it.
  void prepare(unsigned char poison) {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const JobBuffer& b = job_.buffers[i];
      if (b.bytes == 0) continue;
      if (b.role == Role::Output) {
        check(driver_.fill(data_[i], poison, static_cast<std::size_t>(b.bytes)), "poisoning " + b.name);
      } else {
        check(driver_.upload(data_[i], b.contents.data(), b.contents.size()), "uploading " + b.name);
      }
    }
  }

  void launch() {
    std::vector<std::uint64_t> pointers(job_.params.size());
    std::vector<void*> arguments;
    for (std::size_t i = 0; i < job_.params.size(); ++i) {
      const JobParam& p = job_.params[i];
      auto index = static_cast<std::size_t>(p.index);
      switch (p.kind) {
        case JobParam::Kind::Pointer:
          pointers[i] = data_[index] + static_cast<std::uint64_t>(p.byte_offset);
          arguments.push_back(&pointers[i]);
          break;
        case JobParam::Kind::Scalar: arguments.push_back(const_cast<char*>(p.scalar.data())); break;
        case JobParam::Kind::TensorMap: arguments.push_back(&maps_[index]); break;
      }
    }
    cu::LaunchAttribute attributes[4] = {};
    unsigned count = 0;
    auto add = [&](int id, const std::array<std::int64_t, 3>& d) {
      attributes[count].id = id;
      attributes[count++].value.cluster = {static_cast<unsigned>(d[0]), static_cast<unsigned>(d[1]),
                                           static_cast<unsigned>(d[2])};
    };
    if (job_.cluster[0] * job_.cluster[1] * job_.cluster[2] > 1 || job_.preferred_cluster)
      add(cu::kLaunchClusterDimension, job_.cluster);
    if (job_.preferred_cluster) add(cu::kLaunchPreferredClusterDimension, *job_.preferred_cluster);
    auto allow = [&](int id) {
      attributes[count].id = id;
      attributes[count++].value.flag = 1;
    };
    if (job_.cooperative) allow(cu::kLaunchCooperative);
    if (job_.programmatic_dependent_launch) allow(cu::kLaunchProgrammaticStreamSerialization);
    auto n = [](std::int64_t v) { return static_cast<unsigned>(v); };
    cu::LaunchConfig config{n(job_.grid[0]),
                            n(job_.grid[1]),
                            n(job_.grid[2]),
                            n(job_.block[0]),
                            n(job_.block[1]),
                            n(job_.block[2]),
                            n(job_.dynamic_shared_bytes),
                            nullptr,
                            attributes,
                            count};
    check(driver_.launch(&config, function_, arguments.data(), nullptr), "the driver refuses the launch");
    launched_ = true;
  }

  void finish() {
    cu::Result result = driver_.synchronize();
    failed_ = result != cu::kSuccess;
    check(result, "the kernel failed");
  }

  void collect(int round, Outcome& out) {
    out.buffers.resize(job_.buffers.size());
    std::string whole;
    for (std::size_t i = 0; i < job_.buffers.size(); ++i) {
      const JobBuffer& b = job_.buffers[i];
      BufferOutcome& o = out.buffers[i];
      whole.resize(static_cast<std::size_t>(b.bytes + 2 * kGuard));
      check(driver_.download(whole.data(), data_[i] - kGuard, whole.size()), "downloading " + b.name);
      auto guard = [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t at = from; at < to; ++at) {
          if (byte(whole[static_cast<std::size_t>(at)]) == kGuardByte) continue;
          if (o.guard_damage++ == 0) o.guard_first = at - kGuard;
        }
      };
      if (round == 0) {
        guard(0, kGuard);
        guard(kGuard + b.bytes, 2 * kGuard + b.bytes);
      }
      std::string_view data = std::string_view(whole).substr(kGuard, static_cast<std::size_t>(b.bytes));
      if (round == 0) {
        o.contents = data;
        for (std::size_t k = 0; b.role == Role::Input && k < data.size(); ++k) o.changed += data[k] != b.contents[k];
        continue;
      }
      for (std::size_t k = 0; k < data.size(); ++k) {
        if (data[k] == o.contents[k]) continue;
        bool poisons = b.role == Role::Output && byte(o.contents[k]) == kPoison[0] && byte(data[k]) == kPoison[1];
        ++(poisons ? o.unwritten : o.unstable);
      }
    }
  }

  // Each timed launch finds its outputs poisoned and the inputs out of the L2 cache, as a first launch would.
  void time(Outcome& out) {
    if (job_.repeats <= 0) return;
    std::int64_t flush_bytes = 2 * std::max<std::int64_t>(device_.l2_bytes, 1 << 20);
    cu::DevicePtr flush = device_memory(flush_bytes, "emptying the cache");
    cu::Event begin = event(), end = event();
    for (int i = -job_.warmups; i < job_.repeats; ++i) {
      prepare(kPoison[0]);
      check(driver_.fill(flush, static_cast<unsigned char>(i & 0xFF), static_cast<std::size_t>(flush_bytes)),
            "emptying the cache");
      check(driver_.record_event(begin, nullptr), "recording an event");
      launch();
      check(driver_.record_event(end, nullptr), "recording an event");
      finish();
      float milliseconds = 0;
      check(driver_.elapsed(&milliseconds, begin, end), "reading the time");
      if (i >= 0) out.microseconds.push_back(static_cast<double>(milliseconds) * 1000);
    }
    timed_ = true;
  }

  // The last timed launch has to have left what the first one did.
  void verdicts(Outcome& out) {
    if (!timed_) return;
    std::string data;
    for (std::size_t i = 0; i < job_.buffers.size(); ++i) {
      const JobBuffer& b = job_.buffers[i];
      if (b.bytes == 0) continue;
      data.resize(static_cast<std::size_t>(b.bytes));
      check(driver_.download(data.data(), data_[i], data.size()), "downloading " + b.name);
      for (std::size_t k = 0; k < data.size(); ++k) out.buffers[i].unstable += data[k] != out.buffers[i].contents[k];
    }
  }

  cu::Event event() {
    cu::Event e = nullptr;
    check(driver_.create_event(&e, 0), "making an event");
    events_.push_back(e);
    return e;
  }

  const Driver& driver_;
  const DeviceInfo& device_;
  const Job& job_;
  cu::Module module_ = nullptr;
  cu::Function function_ = nullptr;
  std::vector<cu::DevicePtr> allocations_, data_;
  std::vector<cu::TensorMap> maps_;
  std::vector<cu::Event> events_;
  bool launched_ = false, failed_ = false, timed_ = false;
};

}  // namespace

std::expected<Gpu, std::string> Gpu::open(const std::string& library, int device) {
  auto driver = Driver::load(library);
  if (!driver) return std::unexpected(driver.error());
  Gpu gpu;
  gpu.driver_ = *driver;
  const Driver& d = gpu.driver_;
  auto failed = [&](const char* what, cu::Result r) { return std::unexpected(what + (": " + d.describe(r))); };
  if (cu::Result r = d.init(0)) return failed("the CUDA driver does not start", r);
  int count = 0;
  if (cu::Result r = d.device_count(&count)) return failed("the CUDA driver does not count its devices", r);
  if (count == 0) return std::unexpected("the CUDA driver finds no device");
  if (device < 0 || device >= count)
    return std::unexpected("there is no device " + std::to_string(device) + ": the driver has " +
                           std::to_string(count));
  cu::Device handle = 0;
  if (cu::Result r = d.device(&handle, device)) return failed("the CUDA driver does not give its device", r);
  cu::Context context = nullptr;
  if (cu::Result r = d.retain_context(&context, handle)) return failed("the device gives no context", r);
  if (cu::Result r = d.set_context(context)) return failed("the device gives no context", r);

  auto attribute = [&](int which) {
    int value = 0;
    return d.device_attribute(&value, which, handle) == cu::kSuccess ? value : 0;
  };
  DeviceInfo& info = gpu.device_;
  char name[256] = "";
  d.device_name(name, sizeof name, handle);
  info.name = name;
  d.driver_version(&info.driver_version);
  std::size_t memory = 0;
  d.device_memory(&memory, handle);
  info.memory_bytes = static_cast<std::int64_t>(memory);
  info.major = attribute(cu::kCapabilityMajor);
  info.minor = attribute(cu::kCapabilityMinor);
  info.multiprocessors = attribute(cu::kMultiprocessorCount);
  info.l2_bytes = attribute(cu::kL2Bytes);
  info.shared_bytes_per_block = attribute(cu::kSharedBytesOptIn);
  // Two transfers a clock of the memory.
  info.bandwidth = 2.0 * 1000 * attribute(cu::kMemoryClockKilohertz) * attribute(cu::kMemoryBusBits) / 8;
  return gpu;
}

Outcome Gpu::execute(const Job& job) { return Execution(driver_, device_, job).run(); }

}  // namespace tilewright::run

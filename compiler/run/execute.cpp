#include "compiler/run/execute.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "compiler/run/cupti.h"
#include "compiler/run/parallel.h"
#include "compiler/run/statistics.h"
#include "compiler/run/transfer.h"
#include "compiler/run/turns.h"

namespace tilewright::run {
namespace {

// Before and behind each buffer. A multiple of every alignment that a kernel may expect of a tensor.
constexpr std::int64_t kGuard = 64 << 10;
constexpr unsigned char kGuardByte = 0xB7;
// What outputs hold before the verifying launches. The first is NaN in every floating-point type that has one.
constexpr unsigned char kPoison[2] = {0xFF, 0x5A};

// What timed launches left is kept on the device until all of them are timed, up to so many bytes.
constexpr std::int64_t kStash = std::int64_t{1} << 30;
constexpr std::int64_t kStashAlign = 256;

// Ends a job early: the driver refused something.
struct Refused {
  std::string what;
  cu::Result result;
};

std::uint8_t byte(char c) { return static_cast<std::uint8_t>(c); }

// The places at which the second of two contents differs from the first, and those among them that show the poison of
// their round in both.
struct Differences {
  std::int64_t all = 0, poisoned = 0;
};
Differences differences(const char* first, const char* second, std::int64_t bytes) {
  std::atomic<std::int64_t> all = 0, poisoned = 0;
  in_pieces(bytes, kPiece, [&](std::int64_t from, std::int64_t to) {
    if (std::memcmp(first + from, second + from, static_cast<std::size_t>(to - from)) == 0) return;
    std::int64_t here = 0, poisons = 0;
    for (std::int64_t i = from; i < to; ++i) {
      here += first[i] != second[i];
      poisons += static_cast<int>(byte(first[i]) == kPoison[0]) & static_cast<int>(byte(second[i]) == kPoison[1]);
    }
    all += here;
    poisoned += poisons;
  });
  return {all, poisoned};
}

// A kernel of the job, loaded.
struct Loaded {
  const JobLaunch* launch = nullptr;
  cu::Module module = nullptr;
  cu::Function function = nullptr;
  std::vector<cu::TensorMap> maps{};
  std::vector<cu::DevicePtr> map_addresses{};  // of those in constant and global memory; 0: a parameter
};

// One job's memory, modules and events; given back when it ends, whatever happened.
class Execution {
 public:
  Execution(const Driver& driver, const DeviceInfo& device, const Job& job, std::span<const Contents> results,
            const std::string& management, const std::string& bus_id, cu::Context context,
            const std::vector<std::string>& profilers)
      : driver_(driver),
        device_(device),
        job_(job),
        results_(results),
        transfer_(driver),
        management_(management),
        bus_id_(bus_id),
        context_(context),
        profilers_(profilers) {}
  // Memory is cleared before it is given back: what a reference left must not be found by the next kernel.
  ~Execution() {
    for (const auto& [p, bytes] : allocations_) {
      driver_.fill(p, 0, bytes);
      driver_.release(p);
    }
    for (cu::Event e : events_) driver_.destroy_event(e);
    for (const std::vector<Loaded>* all : {&kernels_, &rivals_, &again_, &sampled_, &marked_})
      for (const Loaded& k : *all)
        if (k.module) driver_.unload_module(k.module);
  }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  Outcome run() {
    Outcome out;
    try {
      for (const JobLaunch& launch : job_.launches) load(launch, kernels_);
      for (const JobLaunch& launch : job_.rivals) load(launch, rivals_);
      allocate();
      for (std::vector<Loaded>* all : {&kernels_, &rivals_, &sampled_, &marked_})
        for (Loaded& k : *all) place_maps(k);
      upload();
      for (int round = 0; round < 2; ++round) {
        prepare(kPoison[round]);
        launch(kernels_);
        finish();
        collect(round, out);
      }
      time(out);
      check_timed(out);
      if (job_.samples) out.samples = sample();
      if (!job_.marked.empty()) mark(out.marks);
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

  void load(const JobLaunch& launch, std::vector<Loaded>& to) {
    Loaded& k = to.emplace_back();
    k.launch = &launch;
    check(driver_.load_module(&k.module, launch.cubin.data()), "the driver does not load the cubin");
    check(driver_.get_function(&k.function, k.module, launch.symbol.c_str()),
          "the cubin has no kernel " + launch.symbol);
    // Up to 48 KB need no permission.
    if (launch.dynamic_shared_bytes > 48 << 10) {
      check(driver_.set_function_attribute(k.function, cu::kFunctionDynamicShared,
                                           static_cast<int>(launch.dynamic_shared_bytes)),
            std::to_string(launch.dynamic_shared_bytes) +
                " bytes of dynamic shared memory are refused (the device has " +
                std::to_string(device_.shared_bytes_per_block) + " for a block)");
    }
    const auto& c = launch.preferred_cluster ? *launch.preferred_cluster : launch.cluster;
    if (std::int64_t size = c[0] * c[1] * c[2]; size > 8) {
      check(driver_.set_function_attribute(k.function, cu::kFunctionNonPortableCluster, 1),
            "a cluster of " + std::to_string(size) + " CTAs is refused");
    }
  }

  cu::DevicePtr device_memory(std::int64_t bytes, const std::string& what) {
    cu::DevicePtr p = 0;
    check(driver_.allocate(&p, static_cast<std::size_t>(bytes)),
          "no " + std::to_string(bytes) + " bytes on the device for " + what);
    allocations_.emplace_back(p, static_cast<std::size_t>(bytes));
    return p;
  }

  // 0: the device has no room for it.
  cu::DevicePtr spare_memory(std::int64_t bytes) {
    cu::DevicePtr p = 0;
    if (driver_.allocate(&p, static_cast<std::size_t>(bytes)) != cu::kSuccess) return 0;
    allocations_.emplace_back(p, static_cast<std::size_t>(bytes));
    return p;
  }

  void allocate() {
    for (const JobBuffer& b : job_.buffers) {
      cu::DevicePtr p = device_memory(b.bytes + 2 * kGuard, b.name);
      check(driver_.fill(p, kGuardByte, static_cast<std::size_t>(b.bytes + 2 * kGuard)), "filling the guard zones");
      data_.push_back(p + kGuard);
    }
  }

  // Encodes the tensor maps of a kernel and finds out where those go that are no parameters.
  void place_maps(Loaded& k) {
    std::size_t count = k.launch->tensor_maps.size();
    k.maps.resize(count);
    k.map_addresses.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const JobTensorMap& m = k.launch->tensor_maps[i];
      const JobBuffer& b = job_.buffers[static_cast<std::size_t>(m.buffer)];
      auto* address = reinterpret_cast<void*>(data_[static_cast<std::size_t>(m.buffer)] +
                                              static_cast<cu::DevicePtr>(m.byte_offset));
      // The driver wants an address even where there is nothing to read.
      std::vector<std::uint64_t> strides = m.strides;
      strides.resize(m.dims.size());
      check(driver_.encode_tiled(&k.maps[i], m.dtype, static_cast<std::uint32_t>(m.dims.size()), address, m.dims.data(),
                                 strides.data(), m.box.data(), m.element_strides.data(), m.interleave, m.swizzle,
                                 m.l2_promotion, m.oob_fill),
            "cuTensorMapEncodeTiled refuses the tensor map of " + b.name);
      if (m.place == lower::MapPlace::Global) {
        k.map_addresses[i] = device_memory(sizeof(cu::TensorMap), "the tensor map of " + b.name);
      } else if (m.place == lower::MapPlace::Constant) {
        find_constant_map(k, i);
      }
    }
  }

  void find_constant_map(Loaded& k, std::size_t i) {
    const JobTensorMap& m = k.launch->tensor_maps[i];
    std::size_t size = 0;
    check(driver_.get_global(&k.map_addresses[i], &size, k.module, m.symbol.c_str()),
          "the cubin has no variable " + m.symbol + " for the tensor map of " +
              job_.buffers[static_cast<std::size_t>(m.buffer)].name);
    if (size < sizeof(cu::TensorMap))
      throw Refused{"the variable " + m.symbol + " is no tensor map", cu::kInvalidValue};
  }

  // What the buffers hold at first, to the device; kept there where there is room for two.
  void upload() {
    first_.resize(data_.size());
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const JobBuffer& b = job_.buffers[i];
      if (b.bytes == 0 || b.role == Role::Output) continue;
      first_[i] = spare_memory(b.bytes);
      if (!first_[i]) continue;
      check(transfer_.upload(first_[i], b.contents), "uploading " + b.name);
    }
  }

  // Everything as a launch has to find it.
  void prepare(unsigned char poison, const Turns& turns = {}) {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const JobBuffer& b = job_.buffers[i];
      if (b.bytes == 0) continue;
      if (b.role == Role::Output) {
        check(driver_.fill(data_[i], poison, static_cast<std::size_t>(b.bytes)), "poisoning " + b.name);
      } else {
        give(i, turns.empty() ? Turn() : turns[i]);
      }
    }
    upload_maps();
  }

  // What is read and written, once more as a launch has to find it.
  void restore(const Turns& turns = {}) {
    for (std::size_t i = 0; i < data_.size(); ++i)
      if (job_.buffers[i].role == Role::InOut) give(i, turns.empty() ? Turn() : turns[i]);
    upload_maps();
  }

  void give(std::size_t i, const Turn& turn) {
    const JobBuffer& b = job_.buffers[i];
    give(i, 0, turn.by, b.bytes - turn.by);
    give(i, b.bytes - turn.by, 0, turn.by);
    std::int64_t done = turn.kept;
    for (std::int64_t from : turn.of) {
      if (done >= turn.bytes) break;
      give(i, turn.begin + done, from, b.turn);
      done += b.turn;
    }
    // What is there doubles with each copy.
    const cu::DevicePtr begin = data_[i] + static_cast<cu::DevicePtr>(turn.begin);
    for (std::int64_t count = 0; done > 0 && done < turn.bytes; done += count) {
      count = std::min(done, turn.bytes - done);
      check(driver_.copy(begin + static_cast<cu::DevicePtr>(done), begin, static_cast<std::size_t>(count)),
            "copying " + b.name);
    }
  }

  void give(std::size_t i, std::int64_t to, std::int64_t from, std::int64_t bytes) {
    const JobBuffer& b = job_.buffers[i];
    if (bytes == 0) return;
    const auto at = data_[i] + static_cast<cu::DevicePtr>(to);
    const auto count = static_cast<std::size_t>(bytes);
    if (first_[i]) {
      check(driver_.copy(at, first_[i] + static_cast<cu::DevicePtr>(from), count), "copying " + b.name);
    } else {
      check(transfer_.upload(at, b.contents.view().substr(static_cast<std::size_t>(from), count)),
            "uploading " + b.name);
    }
  }

  void upload_maps() {
    for (const std::vector<Loaded>* all : {&kernels_, &rivals_, &again_, &sampled_, &marked_}) {
      for (const Loaded& k : *all) {
        for (std::size_t i = 0; i < k.maps.size(); ++i) {
          if (k.map_addresses[i])
            check(driver_.upload(k.map_addresses[i], &k.maps[i], sizeof(cu::TensorMap)), "uploading a tensor map");
        }
      }
    }
  }

  void launch(std::vector<Loaded>& kernels) {
    for (Loaded& k : kernels) launch(k);
  }

  void launch(Loaded& k) {
    const JobLaunch& job = *k.launch;
    std::vector<std::uint64_t> pointers(job.params.size());
    std::vector<void*> arguments;
    for (std::size_t i = 0; i < job.params.size(); ++i) {
      const JobParam& p = job.params[i];
      auto index = static_cast<std::size_t>(p.index);
      switch (p.kind) {
        case JobParam::Kind::Pointer:
          pointers[i] = data_[index] + static_cast<std::uint64_t>(p.byte_offset);
          arguments.push_back(&pointers[i]);
          break;
        case JobParam::Kind::Scalar: arguments.push_back(const_cast<char*>(p.scalar.data())); break;
        case JobParam::Kind::TensorMap:
          if (job.tensor_maps[index].place == lower::MapPlace::Global) {
            arguments.push_back(&k.map_addresses[index]);
          } else {
            arguments.push_back(&k.maps[index]);
          }
          break;
      }
    }
    cu::LaunchAttribute attributes[4] = {};
    unsigned count = 0;
    auto add = [&](int id, const std::array<std::int64_t, 3>& d) {
      attributes[count].id = id;
      attributes[count++].value.cluster = {static_cast<unsigned>(d[0]), static_cast<unsigned>(d[1]),
                                           static_cast<unsigned>(d[2])};
    };
    if (job.cluster[0] * job.cluster[1] * job.cluster[2] > 1 || job.preferred_cluster)
      add(cu::kLaunchClusterDimension, job.cluster);
    if (job.preferred_cluster) add(cu::kLaunchPreferredClusterDimension, *job.preferred_cluster);
    auto allow = [&](int id) {
      attributes[count].id = id;
      attributes[count++].value.flag = 1;
    };
    if (job.cooperative) allow(cu::kLaunchCooperative);
    if (job.programmatic_dependent_launch) allow(cu::kLaunchProgrammaticStreamSerialization);
    auto n = [](std::int64_t v) { return static_cast<unsigned>(v); };
    cu::LaunchConfig config{n(job.grid[0]),
                            n(job.grid[1]),
                            n(job.grid[2]),
                            n(job.block[0]),
                            n(job.block[1]),
                            n(job.block[2]),
                            n(job.dynamic_shared_bytes),
                            nullptr,
                            attributes,
                            count};
    check(driver_.launch(&config, k.function, arguments.data(), nullptr), "the driver refuses the launch");
    launched_ = true;
  }

  void finish() {
    cu::Result result = driver_.synchronize();
    failed_ = result != cu::kSuccess;
    check(result, "the kernel failed");
  }

  void collect(int round, Outcome& out) {
    out.buffers.resize(job_.buffers.size());
    for (std::size_t i = 0; i < job_.buffers.size(); ++i) {
      if (round == 0) {
        look_at_guards(i, out.buffers[i]);
        keep(i, out.buffers[i]);
      } else {
        compare_again(i, out.buffers[i]);
      }
    }
  }

  void download(std::size_t i, const Transfer::Take& take) { download(i, data_[i], take); }
  void download(std::size_t i, cu::DevicePtr from, const Transfer::Take& take) {
    check(transfer_.download(from, job_.buffers[i].bytes, take), "downloading " + job_.buffers[i].name);
  }

  void look_at_guards(std::size_t i, BufferOutcome& o) const {
    const JobBuffer& b = job_.buffers[i];
    o.guard_damage = 0;
    std::string zone(static_cast<std::size_t>(kGuard), '\0');
    for (std::int64_t begin : {-kGuard, b.bytes}) {
      check(driver_.download(zone.data(), data_[i] + static_cast<cu::DevicePtr>(begin), zone.size()),
            "downloading the guard zones of " + b.name);
      for (std::int64_t at = 0; at < kGuard; ++at) {
        if (byte(zone[static_cast<std::size_t>(at)]) == kGuardByte) continue;
        if (o.guard_damage++ == 0) o.guard_first = begin + at;
      }
    }
  }

  // What a buffer holds after the first round: an input is only compared, and kept if it is another now.
  void keep(std::size_t i, BufferOutcome& o) {
    const JobBuffer& b = job_.buffers[i];
    auto copy = [&](std::int64_t at, std::string_view piece) {
      copy_bytes(results_[i].data() + at, piece.data(), static_cast<std::int64_t>(piece.size()));
    };
    if (b.role != Role::Input) {
      download(i, copy);
      o.contents = results_[i];
      return;
    }
    download(i, [&](std::int64_t at, std::string_view piece) {
      o.changed += count_different(b.contents.data() + at, piece.data(), static_cast<std::int64_t>(piece.size()));
    });
    if (!o.changed) return;
    download(i, copy);
    o.contents = results_[i];
  }

  const char* kept(std::size_t i, const BufferOutcome& o) const {
    return o.contents.empty() ? job_.buffers[i].contents.data() : o.contents.data();
  }

  void compare_again(std::size_t i, BufferOutcome& o) {
    bool poisoned = job_.buffers[i].role == Role::Output;
    download(i, [&](std::int64_t at, std::string_view piece) {
      Differences d = differences(kept(i, o) + at, piece.data(), static_cast<std::int64_t>(piece.size()));
      o.unwritten += poisoned ? d.poisoned : 0;
      o.unstable += d.all - (poisoned ? d.poisoned : 0);
    });
  }

  // One thing that is timed: kernels, or the driver's copy.
  struct Timed {
    std::vector<Loaded>* kernels;  // null: the copy
    std::vector<double>*cold, *hot;
    double last = 0;              // microseconds, of the cold one before; 0: none yet
    std::vector<bool> checked{};  // of the hot and the cold launch of each round: is what it leaves compared?
    std::vector<bool> mixed{};    // of each round: is there a launch more, of replaced elements?
  };
  // What a timed launch left, on the device, and of which inputs.
  struct Stashed {
    bool rival, hot, mixed;
    Turns turns;
    cu::DevicePtr at;
  };

  // Everything is measured in turn, and who begins changes from round to round: a clock that rises or falls does so for
  // all. What launches leave is kept on the device and compared after all of them, so that nothing stands between them.
  void time(Outcome& out) {
    if (job_.repeats <= 0) return;
    flush_bytes_ = 2 * std::max<std::int64_t>(device_.l2_bytes, 1 << 20);
    flush_ = device_memory(flush_bytes_, "emptying the cache");
    copied_ = room_for_copies();
    begin_ = event();
    end_ = event();
    Measured& m = out.measured;
    std::size_t persisting = 0;
    if (driver_.context_limit(&persisting, cu::kLimitPersistingL2) == cu::kSuccess)
      m.persisting = static_cast<std::int64_t>(persisting);
    m.turned = turning(job_);
    std::vector<Timed> timed{{&kernels_, &m.cold, &m.hot}};
    if (!rivals_.empty()) timed.push_back({&rivals_, &m.rival_cold, &m.rival_hot});
    m.mixed = choose_checks(timed);
    if (copied_) timed.push_back({nullptr, &m.copy, nullptr});
    monitor_.emplace(management_, bus_id_);
    monitor_->sample();
    const int often = std::max(1, job_.repeats / 8);
    for (int round = -job_.warmups; round < job_.repeats; ++round) {
      sampling_ = round >= 0 && round % often == 0;
      for (std::size_t i = 0; i < timed.size(); ++i) {
        const bool backwards = round % 2 != 0;
        measure(timed[backwards ? timed.size() - 1 - i : i], round);
      }
    }
    sampling_ = false;
    monitor_->sample();
    m.conditions = monitor_->conditions();
    // Noise of the host comes and goes; work that goes on after its launch shows in most of them.
    if (!beyond_.empty()) {
      std::ranges::sort(beyond_);
      m.beyond = beyond_[beyond_.size() / 4];
    }
  }

  // Draws the launches that are checked, as many as there is room for. Returns how many there are of replaced elements.
  int choose_checks(std::vector<Timed>& timed) {
    stash_bytes_ = 0;
    for (const JobBuffer& b : job_.buffers)
      if (b.role != Role::Input) stash_bytes_ += (b.bytes + kStashAlign - 1) / kStashAlign * kStashAlign;
    const auto rounds = static_cast<std::size_t>(job_.repeats);
    const std::size_t launches = 2 * rounds;
    const std::size_t mixed = turning(job_) ? std::min<std::size_t>(rounds, kMixed) : 0;
    std::size_t each = std::min<std::size_t>(launches, kMostChecks);
    if (stash_bytes_ == 0) each = 0;
    constexpr std::size_t kFew = 4;
    while (each > kFew && static_cast<std::int64_t>(each * timed.size()) * stash_bytes_ > kStash) each = each * 3 / 4;
    for (; each > 0; each /= 2) {
      stash_ = spare_memory(static_cast<std::int64_t>((each + mixed) * timed.size()) * stash_bytes_);
      if (stash_) break;
    }
    for (Timed& one : timed) {
      one.checked = secret_.choose(each, launches);
      one.mixed = secret_.choose(each ? mixed : 0, rounds);
    }
    return each ? static_cast<int>(mixed) : 0;
  }

  // Two stretches of memory for the driver's copy; 0: the device has no room for them.
  cu::DevicePtr room_for_copies() {
    if (job_.copy_bytes <= 0) return 0;
    const cu::DevicePtr p = spare_memory(2 * job_.copy_bytes);
    if (!p) return 0;
    check(driver_.fill(p, 0, static_cast<std::size_t>(2 * job_.copy_bytes)), "filling memory");
    return p;
  }

  // Launches before a hot one. Short ones are several, so that the queue is never empty: else the time on the device
  // would hold that of the launch on the host.
  static int launches_ahead(const Timed& what) {
    constexpr double kShort = 50;
    return what.last > 0 && what.last < kShort ? 8 : 1;
  }

  void measure(Timed& what, int round) {
    auto keep = [&](std::vector<double>& to, double microseconds) {
      if (round >= 0) to.push_back(microseconds);
      if (what.kernels == &kernels_) beyond_.push_back(last_beyond_);
    };
    if (!what.kernels) {
      empty_cache(round);
      keep(*what.cold, timed([&] {
        check(driver_.copy(copied_ + static_cast<cu::DevicePtr>(job_.copy_bytes), copied_,
                           static_cast<std::size_t>(job_.copy_bytes)),
              "copying within the device");
      }));
      return;
    }
    // Each launch finds poison in what it only writes, and inputs that none before it has seen.
    Turns turns = secret_.turns(job_);
    prepare(kPoison[0], turns);
    for (int ahead = launches_ahead(what); ahead > 0; --ahead) {
      launch(*what.kernels);
      restore(turns);
    }
    turns = secret_.turns(job_);
    prepare(kPoison[0], turns);
    keep(*what.hot, timed([&] { launch(*what.kernels); }));
    stash(what, round, true, turns);
    turns = secret_.turns(job_);
    prepare(kPoison[0], turns);
    empty_cache(round);
    what.last = timed([&] { launch(*what.kernels); });
    keep(*what.cold, what.last);
    stash(what, round, false, turns);
    if (round >= 0 && what.mixed[static_cast<std::size_t>(round)]) launch_mixed(what, round);
  }

  // As any other launch, for who runs it; its time is dropped.
  void launch_mixed(const Timed& what, int round) {
    Turns turns = secret_.mixed(job_);
    const bool hot = secret_.below(2) != 0;
    prepare(kPoison[0], turns);
    if (!hot) empty_cache(round);
    timed([&] { launch(*what.kernels); });
    keep_stash(what, hot, true, turns);
  }

  // Inputs have to come from memory, as for a first launch: also those that a kernel asked the cache to keep.
  void empty_cache(int round) {
    check(driver_.reset_persisting(), "emptying the cache of lines that persist");
    check(driver_.fill(flush_, static_cast<unsigned char>(round & 0xFF), static_cast<std::size_t>(flush_bytes_)),
          "emptying the cache");
  }

  // Microseconds on the device.
  template <class F>
  double timed(F&& work) {
    using Clock = std::chrono::steady_clock;
    check(driver_.record_event(begin_, nullptr), "recording an event");
    work();
    check(driver_.record_event(end_, nullptr), "recording an event");
    if (sampling_) monitor_->sample();
    // An error shows at the next call, too, which says what failed.
    driver_.wait_event(end_);
    const auto ended = Clock::now();
    finish();
    last_beyond_ = std::chrono::duration<double, std::micro>(Clock::now() - ended).count();
    float milliseconds = 0;
    check(driver_.elapsed(&milliseconds, begin_, end_), "reading the time");
    return static_cast<double>(milliseconds) * 1000;
  }

  // Keeps what a launch left, where it was drawn.
  void stash(const Timed& what, int round, bool hot, Turns& turns) {
    if (round >= 0 && what.checked[2 * static_cast<std::size_t>(round) + (hot ? 1 : 0)])
      keep_stash(what, hot, false, turns);
  }
  void keep_stash(const Timed& what, bool hot, bool mixed, Turns& turns) {
    const auto at = stash_ + static_cast<cu::DevicePtr>(stashed_.size()) * static_cast<cu::DevicePtr>(stash_bytes_);
    stashed_.push_back({what.kernels == &rivals_, hot, mixed, std::move(turns), at});
    each_written([&](std::size_t i, std::int64_t offset) {
      check(driver_.copy(at + static_cast<cu::DevicePtr>(offset), data_[i],
                         static_cast<std::size_t>(job_.buffers[i].bytes)),
            "keeping " + job_.buffers[i].name);
    });
  }

  // Calls `use` with each buffer that is written and its place within a stash.
  template <class F>
  void each_written(F&& use) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < job_.buffers.size(); ++i) {
      const JobBuffer& b = job_.buffers[i];
      if (b.role == Role::Input || b.bytes == 0) continue;
      use(i, offset);
      offset += (b.bytes + kStashAlign - 1) / kStashAlign * kStashAlign;
    }
  }

  // One more launch on the first inputs, against the first results; then what timed launches left, against what the
  // kernels leave of the same inputs when they are loaded again; and the memory around.
  void check_timed(Outcome& out) {
    if (job_.repeats <= 0) return;
    for (std::vector<Loaded>* all : {&kernels_, &rivals_}) {
      if (all->empty()) continue;
      prepare(kPoison[0]);
      launch(*all);
      finish();
      if (all == &kernels_) {
        look_again(out);
      } else {
        out.measured.rival_differs = std::max(out.measured.rival_differs, bytes_otherwise(out));
      }
    }
    constexpr int kRepetitions = 16, kFewer = 4;
    int otherwise[2] = {0, 0}, unsteady[2] = {0, 0}, mixed[2] = {0, 0};
    for (const Stashed& s : stashed_) {
      if (!s.mixed) ++out.measured.checked;
      if (out.measured.turned == 0) {
        look_at_stash(s, out);
        continue;
      }
      launch_again(s);
      if (s.mixed) {
        int& told = mixed[s.rival ? 1 : 0];
        // Elements that are equal can come in any order out of an honest kernel, and in another one only now and then:
        // the first launch that is told from its repetitions has to differ from many of them.
        if (!is_other(s) || !is_steady(s, told ? kFewer : kRepetitions)) continue;
        ++told;
        differs_from_stash(s, out);
        continue;
      }
      if (!differs_from_stash(s, out)) continue;
      ++otherwise[s.rival ? 1 : 0];
      if (!is_steady(s)) ++unsteady[s.rival ? 1 : 0];
    }
    if (unsteady[0] == 0) out.measured.otherwise = otherwise[0];
    if (unsteady[1] == 0) out.measured.rival_otherwise = otherwise[1];
    out.measured.mixed_otherwise = mixed[0];
    out.measured.rival_mixed_otherwise = mixed[1];
    unload_again();
    for (std::size_t i = 0; i < job_.buffers.size(); ++i) look_at_guards(i, out.buffers[i]);
  }

  // Of inputs that are those of the first launch.
  void look_at_stash(const Stashed& s, Outcome& out) {
    std::int64_t all = 0;
    each_written([&](std::size_t i, std::int64_t offset) {
      BufferOutcome& o = out.buffers[i];
      const auto at = s.at + static_cast<cu::DevicePtr>(offset);
      std::int64_t differ = 0;
      download(i, at, [&](std::int64_t from, std::string_view piece) {
        differ += count_different(kept(i, o) + from, piece.data(), static_cast<std::int64_t>(piece.size()));
      });
      all += differ;
      if (s.rival) return;
      o.unstable = std::max(o.unstable, differ);
      if (!differ || !o.later.empty()) return;
      o.later = results_[job_.buffers.size() + i];
      fetch(i, at, o.later);
    });
    if (s.rival) out.measured.rival_differs = std::max(out.measured.rival_differs, all);
  }

  void fetch(std::size_t i, cu::DevicePtr at, const Contents& to) {
    download(i, at, [&](std::int64_t from, std::string_view piece) {
      copy_bytes(to.data() + from, piece.data(), static_cast<std::int64_t>(piece.size()));
    });
  }

  // The kernels of a stash, from new modules, on its inputs and under its conditions.
  void launch_again(const Stashed& s) {
    unload_again();
    for (const Loaded& k : s.rival ? rivals_ : kernels_) {
      load(*k.launch, again_);
      Loaded& other = again_.back();
      other.maps = k.maps;
      other.map_addresses = k.map_addresses;
      for (std::size_t i = 0; i < k.maps.size(); ++i)
        if (k.launch->tensor_maps[i].place == lower::MapPlace::Constant) find_constant_map(other, i);
    }
    prepare(kPoison[0], s.turns);
    if (!s.hot) empty_cache(0);
    launch(again_);
    finish();
  }
  void unload_again() {
    for (const Loaded& k : again_)
      if (k.module) driver_.unload_module(k.module);
    again_.clear();
  }

  // Is what the buffers hold now other than the stash? The worst of each buffer is kept with both contents.
  bool differs_from_stash(const Stashed& s, Outcome& out) {
    bool any = false;
    const std::size_t count = job_.buffers.size();
    worst_.resize(count);
    each_written([&](std::size_t i, std::int64_t offset) {
      BufferOutcome& o = out.buffers[i];
      fetch(i, s.at + static_cast<cu::DevicePtr>(offset), room_of(i));
      std::int64_t differ = 0;
      download(i, [&](std::int64_t from, std::string_view piece) {
        differ += count_different(before_[i].data() + from, piece.data(), static_cast<std::int64_t>(piece.size()));
      });
      any = any || differ > 0;
      if (!s.rival) o.unstable = std::max(o.unstable, differ);
      if (differ <= worst_[i]) return;
      worst_[i] = differ;
      o.timed = results_[2 * count + i];
      copy_bytes(o.timed.data(), before_[i].data(), job_.buffers[i].bytes);
      o.alone = results_[3 * count + i];
      fetch(i, data_[i], o.alone);
      o.of_rival = s.rival;
    });
    return any;
  }

  // The same, and nothing is kept.
  bool is_other(const Stashed& s) {
    bool other = false;
    each_written([&](std::size_t i, std::int64_t offset) {
      fetch(i, s.at + static_cast<cu::DevicePtr>(offset), room_of(i));
      download(i, [&](std::int64_t from, std::string_view piece) {
        other = other ||
                count_different(before_[i].data() + from, piece.data(), static_cast<std::int64_t>(piece.size())) > 0;
      });
    });
    return other;
  }

  Contents& room_of(std::size_t i) {
    before_.resize(job_.buffers.size());
    if (before_[i].empty()) before_[i] = Contents::of_size(job_.buffers[i].bytes);
    return before_[i];
  }

  // Do the kernels, loaded again `times` times, leave what they have just left?
  bool is_steady(const Stashed& s, int times = 1) {
    each_written([&](std::size_t i, std::int64_t) { fetch(i, data_[i], before_[i]); });
    bool same = true;
    for (; same && times > 0; --times) {
      launch_again(s);
      each_written([&](std::size_t i, std::int64_t) {
        download(i, [&](std::int64_t from, std::string_view piece) {
          same = same &&
                 count_different(before_[i].data() + from, piece.data(), static_cast<std::int64_t>(piece.size())) == 0;
        });
      });
    }
    return same;
  }

  // The first inputs have to leave what they did at first, and to be there still; what is left otherwise is kept.
  void look_again(Outcome& out) {
    ++out.measured.checked;
    for (std::size_t i = 0; i < job_.buffers.size(); ++i) {
      BufferOutcome& o = out.buffers[i];
      const bool input = job_.buffers[i].role == Role::Input;
      std::int64_t differ = 0;
      download(i, [&](std::int64_t at, std::string_view piece) {
        differ += count_different(kept(i, o) + at, piece.data(), static_cast<std::int64_t>(piece.size()));
      });
      if (input) {
        o.changed = std::max(o.changed, differ);
        continue;
      }
      o.unstable = std::max(o.unstable, differ);
      if (!differ || !o.later.empty()) continue;
      o.later = results_[job_.buffers.size() + i];
      fetch(i, data_[i], o.later);
    }
  }

  std::int64_t bytes_otherwise(const Outcome& out) {
    std::int64_t differ = 0;
    for (std::size_t i = 0; i < job_.buffers.size(); ++i) {
      download(i, [&](std::int64_t at, std::string_view piece) {
        differ += count_different(kept(i, out.buffers[i]) + at, piece.data(), static_cast<std::int64_t>(piece.size()));
      });
    }
    return differ;
  }

  // Program counters while the launches run again and again. CUPTI knows modules that are loaded after it began: these
  // are others than those that were timed.
  Samples sample() {
    auto none = [](std::string why) {
      Samples out;
      out.absent = std::move(why);
      return out;
    };
    auto library = cupti::Library::load(profilers_);
    if (!library) return none(library.error());
    auto sampler = cupti::Sampler::begin(*library, context_);
    if (!sampler) return none(sampler.error());
    std::vector<cupti::Kernel> kernels;
    for (const JobLaunch& launch : job_.launches) {
      load(launch, sampled_);
      kernels.push_back({launch.symbol, launch.cubin});
    }
    for (Loaded& k : sampled_) place_maps(k);
    prepare(kPoison[0]);
    launch(sampled_);  // what is loaded with the first launch is none of the kernel's time
    finish();
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kEnough{50};  // some millions of samples of a whole GPU
    constexpr int kMostRounds = 10'000;
    const Clock::time_point begin = Clock::now();
    int rounds = 0;
    auto sampled = sampler->during([&] {
      do {
        restore();
        launch(sampled_);
        finish();
      } while (++rounds < kMostRounds && Clock::now() - begin < kEnough);
    });
    const std::chrono::duration<double> took = Clock::now() - begin;
    if (!sampled) return none(sampled.error());
    Samples out = sampler->take(kernels);
    out.rounds = rounds;
    out.seconds = took.count();
    return out;
  }

  // Rounds with marks and without in turn; of the last the marks are taken.
  void mark(MarkRecord& out) {
    for (const JobLaunch& launch : job_.marked) load(launch, marked_);
    for (Loaded& k : marked_) place_maps(k);
    begin_ = event();
    end_ = event();
    constexpr int kRounds = 11, kWarm = 1;
    for (int round = 0; round < kRounds + kWarm; ++round) {
      for (const bool with : {round % 2 == 0, round % 2 != 0}) {
        prepare(kPoison[0]);
        if (with) empty_marks();
        launch(kernels_);  // what is timed finds the caches as a launch of the same kernel leaves them
        restore();
        const double time = timed([&] { launch(with ? marked_ : kernels_); });
        if (round >= kWarm) (with ? out.marked : out.plain).push_back(time);
      }
    }
    for (const Loaded& k : marked_) {
      const auto [at, bytes] = marks_of(k);
      std::string& to = out.bytes.emplace_back(bytes, '\0');
      check(driver_.download(to.data(), at, bytes), "downloading the marks");
    }
  }

  std::pair<cu::DevicePtr, std::size_t> marks_of(const Loaded& k) const {
    cu::DevicePtr at = 0;
    std::size_t bytes = 0;
    check(driver_.get_global(&at, &bytes, k.module, kMarksSymbol), "the cubin has no variable for marks");
    if (bytes > static_cast<std::size_t>(kMostMarkBytes)) throw Refused{"the marks are too many", cu::kInvalidValue};
    return {at, bytes};
  }

  void empty_marks() {
    for (const Loaded& k : marked_) {
      const auto [at, bytes] = marks_of(k);
      check(driver_.fill(at, 0, bytes), "emptying the marks");
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
  std::span<const Contents> results_;
  Transfer transfer_;
  const std::string &management_, &bus_id_;
  cu::Context context_;
  const std::vector<std::string>& profilers_;
  std::optional<Monitor> monitor_;  // while something is timed: it takes a while to start
  std::vector<Loaded> kernels_, rivals_, again_, sampled_, marked_;
  std::vector<std::pair<cu::DevicePtr, std::size_t>> allocations_;  // with their bytes
  std::vector<cu::DevicePtr> data_;                                 // of each buffer
  std::vector<cu::DevicePtr> first_;  // its contents before each round; 0: it has none, or there was no room
  std::vector<cu::Event> events_;
  bool launched_ = false, failed_ = false;
  // Of the timed rounds.
  cu::DevicePtr flush_ = 0, copied_ = 0;
  std::int64_t flush_bytes_ = 0;
  cu::Event begin_ = nullptr, end_ = nullptr;
  bool sampling_ = false;
  Secret secret_;
  cu::DevicePtr stash_ = 0;
  std::int64_t stash_bytes_ = 0;  // of one launch
  std::vector<Stashed> stashed_;
  std::vector<Contents> before_;     // of each buffer, for comparisons
  std::vector<std::int64_t> worst_;  // of each buffer, bytes that differ between `timed` and `alone`
  double last_beyond_ = 0;           // microseconds from the end of the last launch to that of all work
  std::vector<double> beyond_;       // of the kernels' launches
};

}  // namespace

std::expected<Gpu, std::string> Gpu::open(const std::string& library, int device, std::string management,
                                          std::vector<std::string> profilers) {
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
  char bus_id[64] = "";
  d.device_bus_id(bus_id, sizeof bus_id, handle);
  gpu.bus_id_ = bus_id;
  gpu.management_ = std::move(management);
  gpu.context_ = context;
  gpu.profilers_ = std::move(profilers);
  d.driver_version(&info.driver_version);
  info.devices = count;
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

Outcome Gpu::execute(const Job& job, std::span<const Contents> results) {
  return Execution(driver_, device_, job, results, management_, bus_id_, context_, profilers_).run();
}

}  // namespace tilewright::run

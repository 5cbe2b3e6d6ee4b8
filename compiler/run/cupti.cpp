#include "compiler/run/cupti.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "compiler/run/function_finder.h"

namespace tilewright::run::cupti {

// As CUPTI's headers have them; a later library tells by the sizes what a caller knows.
static_assert(sizeof(PcRecord) == 64 && offsetof(PcRecord, function) == 32 && offsetof(PcRecord, stalls) == 48);
static_assert(sizeof(Buffer) == 80 && offsetof(Buffer, record) == 56 && offsetof(Buffer, hardware_full) == 72);
static_assert(sizeof(Attribute) == 32 && offsetof(Attribute, value) == 8);
static_assert(sizeof(Call) == 24 && sizeof(DataCall) == 32 && sizeof(AttributesCall) == 40);
static_assert(sizeof(ReasonsCall) == 48 && sizeof(CrcCall) == 32);

namespace {

constexpr std::size_t kRecords = 16384;       // of one drain; what is more comes with the next
constexpr std::size_t kMostReasons = 256;     // the hardware has about forty
constexpr std::size_t kMostDrains = 4096;     // of one range
constexpr std::size_t kMostSymbol = 1 << 16;  // bytes of a function's name
constexpr std::string_view kPrefix = "smsp__pcsamp_warps_issue_stalled_";

}  // namespace

std::expected<Library, std::string> Library::load(std::span<const std::string> candidates) {
  std::string tried;
  for (const std::string& name : candidates) {
    void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      tried += (tried.empty() ? "" : ", ") + name;
      continue;
    }
    Library library;
    FunctionFinder functions(handle);
#define TILEWRIGHT_FIND(member, symbol, parameters) functions.find(library.member, #symbol);
    TILEWRIGHT_CUPTI_FUNCTIONS(TILEWRIGHT_FIND)
#undef TILEWRIGHT_FIND
    if (functions.missing().empty()) return library;
    tried += (tried.empty() ? "" : ", ") + name + " (it has no " + functions.missing() + ")";
  }
  return std::unexpected("there is no CUPTI, NVIDIA's library for profilers; looked for " +
                         (tried.empty() ? std::string("none") : tried) +
                         ". It comes with the CUDA toolkit (extras/CUPTI) and as the wheel nvidia-cuda-cupti");
}

std::string explain(const Library& library, const char* call, Result result) {
  switch (result) {
    case kForbidden:
      return "the driver keeps profiling for administrators (NVreg_RestrictProfilingToAdminUsers=1): run as root or "
             "with CAP_SYS_ADMIN, or have the administrator load the driver's module with "
             "NVreg_RestrictProfilingToAdminUsers=0";
    case kForbiddenOnVirtual: return "this virtual GPU does not allow profiling; its host has to allow it";
    case kHardwareBusy: return "another profiler is using this GPU's counters: end it, then run again";
    case kConfidential: return "a GPU in confidential-computing mode cannot be profiled";
    case kMig: return "an instance of a divided GPU (MIG) cannot be profiled this way";
    case kWsl: return "CUPTI does not sample in Windows's subsystem for Linux";
    case kNotSupported: return "CUPTI does not sample program counters on this GPU with this driver";
    default: break;
  }
  const char* text = nullptr;
  library.result_text(result, &text);
  return std::string(call) + " failed: " + (text ? text : "CUPTI error " + std::to_string(result));
}

// Memory that CUPTI writes to, and what was read of it so far.
struct Sampler::Store {
  using Key = std::tuple<std::uint64_t, std::string, std::uint64_t, std::uint32_t>;  // crc, function, offset, reason

  explicit Store(std::size_t reasons) : stalls(kRecords * reasons), of_configuration(reasons), records(kRecords) {
    for (std::size_t i = 0; i < kRecords; ++i) records[i].stalls = &stalls[i * reasons];
    own.size = sizeof(PcRecord);
    own.stalls = of_configuration.data();
    data.size = configured.size = sizeof(Buffer);
    data.capacity = kRecords;
    data.record = records.data();
    configured.capacity = 1;
    configured.record = &own;
    reset(reasons);
  }
  ~Store() {
    for (char* name : functions) std::free(name);
  }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Before each drain: some libraries take the counts as the room that there is.
  void reset(std::size_t reasons) {
    for (PcRecord& r : records) {
      r.size = sizeof(PcRecord);
      r.stall_count = reasons;
    }
    own.stall_count = reasons;
    data.records = 0;
  }

  void read(Buffer& buffer) {
    for (std::size_t i = 0; i < std::min(buffer.records, buffer.capacity); ++i) {
      const PcRecord& r = buffer.record[i];
      if (r.function) functions.insert(r.function);
      const std::string name(r.function ? r.function : "", r.function ? ::strnlen(r.function, kMostSymbol) : 0);
      for (std::size_t k = 0; k < std::min(r.stall_count, names.size()); ++k)
        if (r.stalls[k].samples) counts[{r.cubin_crc, name, r.pc_offset, r.stalls[k].reason}] += r.stalls[k].samples;
    }
    buffer.records = 0;
  }

  std::vector<StallCount> stalls, of_configuration;
  std::vector<PcRecord> records;
  PcRecord own{};
  Buffer data{}, configured{};
  std::vector<std::pair<std::uint32_t, std::string>> names;  // index of CUPTI, name
  std::set<char*> functions;
  std::map<Key, std::uint64_t> counts;
  Samples samples;
};

std::expected<Sampler, std::string> Sampler::begin(const Library& library, cu::Context context) {
  Sampler out(library, context);
  Call call = out.call();
  if (Result r = library.enable(&call)) return std::unexpected(explain(library, "cuptiPCSamplingEnable", r));
  std::size_t count = 0;
  CountCall counting{sizeof(CountCall), nullptr, context, &count};
  Result r = library.count_reasons(&counting);
  if (r == kOk && (count == 0 || count > kMostReasons)) r = kNotSupported;
  out.store_ = new Store(r ? 1 : count);  // from here on the destructor disables
  if (r) return std::unexpected(explain(library, "cuptiPCSamplingGetNumStallReasons", r));
  std::vector<std::uint32_t> indices(count);
  std::vector<char> text(count * kNameBytes);
  std::vector<char*> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(&text[i * kNameBytes]);
  ReasonsCall listing{sizeof(ReasonsCall), nullptr, context, count, indices.data(), names.data()};
  if (Result e = library.list_reasons(&listing))
    return std::unexpected(explain(library, "cuptiPCSamplingGetStallReasons", e));
  for (std::size_t i = 0; i < count; ++i) {
    std::string name(names[i], ::strnlen(names[i], kNameBytes));
    // Each reason is there once more for the samples in whose clock no warp of the scheduler issued anything.
    if (!name.ends_with("_not_issued")) out.store_->names.emplace_back(indices[i], std::move(name));
  }
  if (auto ok = out.configure(); !ok) return std::unexpected(ok.error());
  return out;
}

std::expected<void, std::string> Sampler::configure() {
  std::vector<std::uint32_t> indices;
  for (const auto& [index, name] : store_->names) indices.push_back(index);
  constexpr std::uint32_t kParsed = 1, kMilliseconds = 1;
  Attribute attributes[5] = {};
  attributes[0].type = kStartStop;
  attributes[0].value.number = 1;
  attributes[1].type = kStallReasons;
  attributes[1].value.reasons = {indices.size(), indices.data()};
  attributes[2].type = kDataFormat;
  attributes[2].value.number = kParsed;
  attributes[3].type = kDataBuffer;
  attributes[3].value.buffer = &store_->configured;
  attributes[4].type = kWorkerSleep;
  attributes[4].value.number = kMilliseconds;
  AttributesCall setting{sizeof(AttributesCall), nullptr, context_, std::size(attributes), attributes};
  if (Result r = library_->set(&setting))
    return std::unexpected(explain(*library_, "cuptiPCSamplingSetConfigurationAttribute", r));
  Attribute period{};
  period.type = kSamplingPeriod;
  AttributesCall asking{sizeof(AttributesCall), nullptr, context_, 1, &period};
  if (library_->get(&asking) == kOk && period.value.number < 32)
    store_->samples.period = static_cast<int>(period.value.number);
  return {};
}

Sampler::Sampler(Sampler&& other) noexcept
    : library_(other.library_), context_(other.context_), store_(std::exchange(other.store_, nullptr)) {}

Sampler::~Sampler() {
  if (!store_) return;
  Call end = call();
  library_->disable(&end);
  delete store_;
}

std::expected<void, std::string> Sampler::during(const std::function<void()>& work) {
  Call begin = call(), end = call();
  if (Result r = library_->start(&begin)) return std::unexpected(explain(*library_, "cuptiPCSamplingStart", r));
  try {
    work();
  } catch (...) {
    library_->stop(&end);
    throw;
  }
  if (Result r = library_->stop(&end)) return std::unexpected(explain(*library_, "cuptiPCSamplingStop", r));
  return drain();
}

std::expected<void, std::string> Sampler::drain() {
  Samples& samples = store_->samples;
  for (std::size_t i = 0; i < kMostDrains; ++i) {
    store_->reset(store_->names.size());
    DataCall asking{sizeof(DataCall), nullptr, context_, &store_->data};
    const Result r = library_->data(&asking);
    const Buffer& data = store_->data;
    if (r && r != kOutOfMemory) return std::unexpected(explain(*library_, "cuptiPCSamplingGetData", r));
    if (r && data.hardware_full && data.records == 0)
      return std::unexpected("the GPU took more samples than its buffer holds, and none was kept");
    samples.taken += data.samples;
    samples.dropped += data.dropped;
    samples.elsewhere += data.elsewhere;
    const bool more = data.remaining > 0 && data.records > 0;
    store_->read(store_->data);
    if (!more) return {};
  }
  return std::unexpected("there are more samples than " + std::to_string(kMostDrains) + " readings of " +
                         std::to_string(kRecords) + " records take");
}

Samples Sampler::take(std::span<const Kernel> kernels) {
  Samples out = std::move(store_->samples);
  std::map<std::uint32_t, std::uint32_t> reasons;
  for (const auto& [index, name] : store_->names) {
    reasons[index] = static_cast<std::uint32_t>(out.reasons.size());
    out.reasons.push_back(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
  }
  std::vector<std::uint64_t> crcs;
  for (const Kernel& k : kernels) {
    CrcCall asking{sizeof(CrcCall), k.cubin.size(), k.cubin.data(), 0};
    crcs.push_back(library_->crc(&asking) == kOk ? asking.crc : 0);
  }
  for (const auto& [key, count] : store_->counts) {
    const auto& [crc, function, offset, reason] = key;
    std::size_t of = kernels.size();
    for (std::size_t i = 0; i < kernels.size() && of == kernels.size(); ++i)
      if (kernels[i].symbol == function && (crcs[i] == crc || crcs[i] == 0)) of = i;
    const auto known = reasons.find(reason);
    if (of == kernels.size() || known == reasons.end() || offset > 0xFFFFFFFF) {
      out.elsewhere += count;
      continue;
    }
    out.places.push_back({static_cast<std::uint32_t>(of), static_cast<std::uint32_t>(offset), known->second, count});
  }
  return out;
}

}  // namespace tilewright::run::cupti

// Samples of program counters by CUPTI, NVIDIA's library for profilers, found at run time.
//
// Its few types and functions are declared here, as those of the driver are (driver.h): the build must not depend on
// CUDA, and each structure begins with its size, by which newer libraries know older callers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "compiler/run/driver.h"
#include "compiler/run/samples.h"

namespace tilewright::run::cupti {

using Result = int;
inline constexpr Result kOk = 0, kOutOfMemory = 8, kHardwareBusy = 26, kNotSupported = 27, kForbidden = 35,
                        kForbiddenOnVirtual = 40, kConfidential = 41, kMig = 43, kWsl = 45;

struct StallCount {
  std::uint32_t reason, samples;
};
struct PcRecord {
  std::size_t size;
  std::uint64_t cubin_crc, pc_offset;
  std::uint32_t function_index, pad;
  char* function;  // the caller frees it, once for all records that share it
  std::size_t stall_count;
  StallCount* stalls;
  std::uint32_t correlation;
};
struct Buffer {
  std::size_t size, capacity;
  std::uint64_t samples, dropped;
  std::size_t records, remaining;
  std::uint64_t range;
  PcRecord* record;
  std::uint64_t elsewhere;
  std::uint8_t hardware_full;
};

enum AttributeType : int {
  kSamplingPeriod = 1,
  kStallReasons = 2,
  kStartStop = 6,
  kDataFormat = 7,
  kDataBuffer = 8,
  kWorkerSleep = 9,
};
struct Attribute {
  int type;
  Result status;
  union {
    std::uint64_t words[3];
    std::uint32_t number;
    struct {
      std::size_t count;
      std::uint32_t* indices;
    } reasons;
    void* buffer;
  } value;
};
// The parameters of all functions begin so.
struct Call {
  std::size_t size;
  void* reserved;
  cu::Context context;
};
struct AttributesCall {
  std::size_t size;
  void* reserved;
  cu::Context context;
  std::size_t count;
  Attribute* attributes;
};
struct DataCall {
  std::size_t size;
  void* reserved;
  cu::Context context;
  void* buffer;
};
struct CountCall {
  std::size_t size;
  void* reserved;
  cu::Context context;
  std::size_t* count;
};
struct ReasonsCall {
  std::size_t size;
  void* reserved;
  cu::Context context;
  std::size_t count;
  std::uint32_t* indices;
  char** names;  // of kNameBytes each
};
inline constexpr std::size_t kNameBytes = 128;
struct CrcCall {
  std::size_t size, bytes;
  const void* cubin;
  std::uint64_t crc;
};

// X(member, symbol in the library, parameters)
#define TILEWRIGHT_CUPTI_FUNCTIONS(X)                                 \
  X(enable, cuptiPCSamplingEnable, (Call*))                           \
  X(disable, cuptiPCSamplingDisable, (Call*))                         \
  X(start, cuptiPCSamplingStart, (Call*))                             \
  X(stop, cuptiPCSamplingStop, (Call*))                               \
  X(set, cuptiPCSamplingSetConfigurationAttribute, (AttributesCall*)) \
  X(get, cuptiPCSamplingGetConfigurationAttribute, (AttributesCall*)) \
  X(data, cuptiPCSamplingGetData, (DataCall*))                        \
  X(count_reasons, cuptiPCSamplingGetNumStallReasons, (CountCall*))   \
  X(list_reasons, cuptiPCSamplingGetStallReasons, (ReasonsCall*))     \
  X(crc, cuptiGetCubinCrc, (CrcCall*))                                \
  X(result_text, cuptiGetResultString, (Result, const char**))

struct Library {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a list of parameters, not a value
#define TILEWRIGHT_DECLARE(member, symbol, parameters) Result(*member) parameters = nullptr;
  TILEWRIGHT_CUPTI_FUNCTIONS(TILEWRIGHT_DECLARE)
#undef TILEWRIGHT_DECLARE

  // The first of `candidates` that can be loaded and has all functions. The error names what was tried.
  static std::expected<Library, std::string> load(std::span<const std::string> candidates);
};

// What to say where a call fails: in words with the way out, of those results that people meet.
std::string explain(const Library& library, const char* call, Result result);

// One kernel of a job, as a record names it.
struct Kernel {
  std::string_view symbol, cubin;
};

// Samples one context from the constructor's success to its end. Modules are loaded after it.
class Sampler {
 public:
  static std::expected<Sampler, std::string> begin(const Library& library, cu::Context context);
  Sampler(Sampler&& other) noexcept;
  Sampler& operator=(Sampler&&) = delete;
  ~Sampler();

  // Samples are taken while `work` runs, which has to wait for the device.
  std::expected<void, std::string> during(const std::function<void()>& work);
  // Those of all `during` calls, at the kernels' instructions.
  Samples take(std::span<const Kernel> kernels);

 private:
  Sampler(const Library& library, cu::Context context) : library_(&library), context_(context) {}
  Call call() const { return {sizeof(Call), nullptr, context_}; }
  std::expected<void, std::string> configure();
  std::expected<void, std::string> drain();

  struct Store;
  const Library* library_;
  cu::Context context_;
  Store* store_ = nullptr;
};

}  // namespace tilewright::run::cupti

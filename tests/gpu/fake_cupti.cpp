// A stand-in for libcupti on machines without a GPU (fake_driver.cpp stands in for the driver).
//
// FAKE_CUPTI names a file with what is found at program counters, read as the library is loaded:
//
//   KERNEL OFFSET REASON COUNT    so many samples of warps there; OFFSET in hexadecimal
//   elsewhere N                   samples in code that is none of the job's
//   dropped N                     samples for which there was no room
//   refuse FUNCTION CODE          that function of CUPTI fails
//
// Samples are there for the caller who starts and stops, and launches something in between; a drain yields two records.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "compiler/run/cupti.h"

using namespace tilewright::run::cupti;

namespace {

constexpr const char* kReasons[] = {
    "selected", "selected_not_issued", "long_scoreboard", "long_scoreboard_not_issued", "gmma", "wait",
    "barrier",  "of_a_later_gpu"};
constexpr std::size_t kAtOnce = 2;

struct Found {
  std::string kernel;
  std::uint64_t offset = 0;
  std::uint32_t reason = 0;
  std::uint32_t count = 0;
};
std::vector<Found> found;
std::map<std::string, Result> refused;
std::uint64_t elsewhere = 0, dropped = 0;
bool enabled = false, started = false, told = false;
std::size_t next = 0;

// (Streams of C: those of C++ may belong to the standard library of the program that loads this.)
[[maybe_unused]] const bool read_it = [] {
  const char* path = std::getenv("FAKE_CUPTI");
  std::FILE* in = path ? std::fopen(path, "r") : nullptr;
  char line[512], first[256], second[64], reason[64];
  while (in && std::fgets(line, sizeof line, in)) {
    reason[0] = 0;
    unsigned count = 0;
    const int words = std::sscanf(line, "%255s %63s %63s %u", first, second, reason, &count);
    if (words < 2) continue;
    const std::string what = first;
    if (what == "elsewhere") {
      elsewhere = std::strtoull(second, nullptr, 10);
    } else if (what == "dropped") {
      dropped = std::strtoull(second, nullptr, 10);
    } else if (what == "refuse") {
      refused[second] = static_cast<Result>(std::strtoul(reason, nullptr, 10));
    } else {
      Found f{what, std::strtoull(second, nullptr, 16), 0, count};
      for (std::uint32_t i = 0; i < std::size(kReasons); ++i)
        if (std::strcmp(kReasons[i], reason) == 0) f.reason = 100 + i;
      found.push_back(f);
    }
  }
  if (in) std::fclose(in);
  return true;
}();

Result refusal(const char* function) {
  const auto it = refused.find(function);
  return it == refused.end() ? kOk : it->second;
}

}  // namespace

extern "C" {

Result cuptiPCSamplingEnable(Call* call) {
  if (call->size != 24 || !call->context) return 1;
  enabled = true;
  return refusal("enable");
}
Result cuptiPCSamplingDisable(Call*) {
  enabled = false;
  return kOk;
}
Result cuptiPCSamplingStart(Call*) {
  started = true;
  return refusal("start");
}
Result cuptiPCSamplingStop(Call*) {
  if (!started) return 7;
  started = false;
  told = true;
  next = 0;
  return kOk;
}
Result cuptiPCSamplingGetNumStallReasons(CountCall* call) {
  *call->count = std::size(kReasons);
  return enabled ? kOk : 7;
}
Result cuptiPCSamplingGetStallReasons(ReasonsCall* call) {
  for (std::size_t i = 0; i < call->count; ++i) {
    call->indices[i] = 100 + static_cast<std::uint32_t>(i);
    std::snprintf(call->names[i], kNameBytes, "smsp__pcsamp_warps_issue_stalled_%s", kReasons[i]);
  }
  return kOk;
}
Result cuptiPCSamplingSetConfigurationAttribute(AttributesCall* call) {
  for (std::size_t i = 0; i < call->count; ++i)
    if (call->attributes[i].type == kStallReasons)
      for (std::size_t k = 0; k < call->attributes[i].value.reasons.count; ++k)
        if (const std::uint32_t index = call->attributes[i].value.reasons.indices[k]; index == 101 || index == 103)
          return 1;  // those two are counted with the others
  return refusal("set");
}
Result cuptiPCSamplingGetConfigurationAttribute(AttributesCall* call) {
  call->attributes[0].value.number = 12;
  return kOk;
}
Result cuptiPCSamplingGetData(DataCall* call) {
  if (Result r = refusal("data")) return r;
  auto* data = static_cast<Buffer*>(call->buffer);
  data->records = 0;
  data->samples = data->dropped = data->elsewhere = 0;
  if (!told || started) return kOk;
  if (next == 0) {
    data->elsewhere = elsewhere;
    data->dropped = dropped;
    data->samples = elsewhere + dropped;
  }
  for (; data->records < std::min(kAtOnce, data->capacity) && next < found.size(); ++next) {
    PcRecord& record = data->record[data->records++];
    if (record.stall_count == 0) return 1;
    record.cubin_crc = 4711;
    record.pc_offset = found[next].offset;
    record.function = ::strdup(found[next].kernel.c_str());
    record.stall_count = 1;
    record.stalls[0] = {found[next].reason, found[next].count};
    data->samples += found[next].count;
  }
  data->remaining = found.size() - next;
  return kOk;
}
Result cuptiGetCubinCrc(CrcCall* call) {
  call->crc = 4711;
  return call->bytes ? kOk : 1;
}
Result cuptiGetResultString(Result result, const char** text) {
  *text = result == 7 ? "CUPTI_ERROR_INVALID_OPERATION" : "CUPTI_ERROR_UNKNOWN";
  return kOk;
}

}  // extern "C"

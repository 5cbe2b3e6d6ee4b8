// Orders of jobs, their outcomes and devices as JSON, for messages to other machines. job.h has the same as text, for
// processes on this one, without JSON in its interface.
#pragma once
#include <expected>
#include <span>
#include <string>

#include "compiler/run/job.h"
#include "compiler/text/json.h"

namespace tilewright::run {

// All of a job that is not bytes. Errors name the member that is missing or out of range.
text::Json order_json(const Job& job);
std::expected<Job, std::string> order_of(const text::Json& json);
// All of an outcome but for contents and places.
text::Json outcome_json(const Outcome& outcome);
std::expected<Outcome, std::string> outcome_of(const text::Json& json, const Job& job,
                                               std::span<const Contents> results);
text::Json device_json(const DeviceInfo& device);
std::expected<DeviceInfo, std::string> device_of(const text::Json& json);

}  // namespace tilewright::run

// The answer of `tilewright doctor` as JSON (protocol/schema/doctor.json).
#pragma once
#include <span>
#include <string>

#include "server/render/json.h"

namespace tilewright::render {

struct DoctorFinding {
  std::string what, state, detail, remedy;  // state: "ok" or "missing"
};

Json doctor_json(std::span<const DoctorFinding> findings);

}  // namespace tilewright::render

// The model of a kernel's time, as a table and as JSON (server/work/time.h).
#pragma once
#include <string>

#include "server/render/json.h"
#include "server/render/terminal.h"
#include "server/work/time.h"

namespace tilewright::render {

std::string time_text(const work::KernelTime& kernel, const text::Anchors& anchors, const Colours& c);
Json time_json(const work::KernelTime& kernel, const text::Anchors& anchors);

}  // namespace tilewright::render

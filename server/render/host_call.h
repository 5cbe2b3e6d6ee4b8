// How a kernel is called from a program: what the caller gives in the script's order, and how the launch follows from
// it (`call` of protocol/schema/compile.json). The launch itself is the plan's.
#pragma once
#include "server/render/json.h"

namespace tilewright::render {

// {signature, arguments, values, checks, maps, refused?}: of `compile --emit plan --json`.
Json host_call_json(const lower::LoweredKernel& kernel, const text::Anchors& anchors);

}  // namespace tilewright::render

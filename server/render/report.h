// The dispatch report of one call, for people.
#pragma once
#include <string>

#include "compiler/dispatch/dispatched.h"
#include "server/render/terminal.h"

namespace tilewright::render {

std::string call_report(const dispatch::CallReport& call, const text::Anchors& anchors, const Colours& colours);

}  // namespace tilewright::render

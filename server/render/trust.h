// The answers of `tilewright trust` as JSON (protocol/schema/trust.json).
#pragma once
#include <span>
#include <string>

#include "server/project/trust.h"
#include "server/remote/consent.h"
#include "server/render/json.h"

namespace tilewright::render {

// Whether these settings are trusted; `demand`: what they would do, null if that is nothing.
Json trust_json(const std::string& settings, bool trusted, const remote::Demand* demand);
Json revoked_json(const std::string& settings, bool revoked);
// All that is trusted.
Json trusted_json(std::span<const project::Trusted> all);

}  // namespace tilewright::render

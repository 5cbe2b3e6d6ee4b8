// The features, each one file of server/lsp/features/ (request.h says how to add one).
#pragma once
#include "server/lsp/request.h"

#define TILEWRIGHT_FEATURES(X) X(diagnostics)

namespace tilewright::lsp {

#define TILEWRIGHT_FEATURE(NAME) void add_##NAME(Registry& registry);
TILEWRIGHT_FEATURES(TILEWRIGHT_FEATURE)
#undef TILEWRIGHT_FEATURE

}  // namespace tilewright::lsp

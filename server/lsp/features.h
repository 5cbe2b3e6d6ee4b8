// The features, each one file of server/lsp/features/ (request.h says how to add one).
#pragma once
#include "server/lsp/request.h"

// clang-format off
#define TILEWRIGHT_FEATURES(X) \
  X(call_hierarchy)            \
  X(code_action)               \
  X(code_lens)                 \
  X(completion)                \
  X(diagnostics)               \
  X(document_link)             \
  X(document_symbol)           \
  X(folding_range)             \
  X(hover)                     \
  X(inlay_hint)                \
  X(layout)                    \
  X(linked_editing)            \
  X(navigation)                \
  X(pipeline)                  \
  X(rename)                    \
  X(run)                       \
  X(selection_range)           \
  X(semantic_tokens)           \
  X(signature_help)            \
  X(targets)                   \
  X(trust)                     \
  X(view)
// clang-format on

namespace tilewright::lsp {

#define TILEWRIGHT_FEATURE(NAME) void add_##NAME(Registry& registry);
TILEWRIGHT_FEATURES(TILEWRIGHT_FEATURE)
#undef TILEWRIGHT_FEATURE

inline void add_features(Registry& registry) {
#define TILEWRIGHT_FEATURE(NAME) add_##NAME(registry);
  TILEWRIGHT_FEATURES(TILEWRIGHT_FEATURE)
#undef TILEWRIGHT_FEATURE
}

}  // namespace tilewright::lsp

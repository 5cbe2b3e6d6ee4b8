// The text of a document after the changes of textDocument/didChange.
#pragma once
#include <memory>

#include "compiler/text/source.h"
#include "protocol/rpc.h"

namespace tilewright::lsp {

struct Changed {
  std::shared_ptr<const text::Source> source;
  text::Edit edit;  // takes in all that differs from the text before
};

// Each change is meant for the text that the one before left; one without a range is the whole text. Places outside of
// the text are clamped. Throws Json::exception for what is no list of changes.
Changed changed(std::shared_ptr<const text::Source> source, const protocol::Json& changes, text::Encoding encoding);

}  // namespace tilewright::lsp

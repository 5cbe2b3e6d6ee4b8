// The text of a document after the changes of textDocument/didChange.
#pragma once
#include <memory>
#include <string>

#include "compiler/text/source.h"
#include "protocol/rpc.h"

namespace tilewright::lsp {

// Each change is meant for the text that the one before left; one without a range is the whole text. Places outside of
// the text are clamped. Throws Json::exception for what is no list of changes.
std::string changed_text(std::shared_ptr<const text::Source> source, const protocol::Json& changes,
                         text::Encoding encoding);

}  // namespace tilewright::lsp

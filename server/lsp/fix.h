// The edit that a diagnostic carries (text::Fix), on its way through the client: it travels as the `data` of the
// diagnostic, and comes back with the request for actions.
#pragma once
#include "compiler/text/diagnostic.h"
#include "protocol/lsp.h"

namespace tilewright::lsp {

// {"fix": {"kind", "title", "text"}}; null where there is none.
protocol::Json fix_json(const text::Fix& fix);
// What cannot be read is no fix: the data may be another server's.
text::Fix fix_of(const protocol::Json& data);

}  // namespace tilewright::lsp

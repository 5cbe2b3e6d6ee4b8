// What of the client's section `tilewright` the compiler has to know.
#pragma once
#include <string>

#include "protocol/rpc.h"
#include "server/project/workspace.h"

namespace tilewright::lsp {

// From the section; `problem` names what does not fit, the default stands for it.
project::ClientSettings read_client_settings(const protocol::Json& section, std::string& problem);

}  // namespace tilewright::lsp

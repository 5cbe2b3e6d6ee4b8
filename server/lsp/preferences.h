// The client's section `tilewright`, as far as it concerns what editors show.
#pragma once
#include <string>

#include "protocol/rpc.h"
#include "server/ide/preferences.h"

namespace tilewright::lsp {

// `problem` names what does not fit; the default stands for it.
ide::Preferences read_preferences(const protocol::Json& section, std::string& problem);

}  // namespace tilewright::lsp

// `tilewright explain FILE --time`: the model of the kernels' time.
#pragma once
#include <string>
#include <vector>

#include "compiler/session/compile.h"
#include "server/project/load.h"
#include "server/render/json.h"

namespace tilewright::cli {

struct ExplainTime {
  std::vector<std::string> settings{};  // NAME=VALUE
  bool as_written = false;              // NVIDIA's compiler is not asked
  bool json = false;
};

// The exit status; prints the table, or sets `answer` for --json.
int explain_time(const ExplainTime& asked, const session::Compiled& compiled, const project::LoadedFile& file,
                 render::Json& answer);

}  // namespace tilewright::cli

// `tilewright layout --call FILE:LINE` and `layout FILE --lines A:B`: the layouts of the buffers that a script touches
// there.
#pragma once
#include <string>

#include "compiler/layout/picture.h"
#include "server/cli/answer.h"

namespace tilewright::cli {

// An exit status. `file`: a script, as it was written.
int print_line_layouts(const std::string& file, const render::ScriptLines& lines, const layout::PictureOptions& picture,
                       const AnswerOptions& answer, bool json);

}  // namespace tilewright::cli

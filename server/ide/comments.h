// Our own comments, `# tilewright: ...`: what can be written in them.
#pragma once
#include <string_view>

#include "server/ide/completion.h"

namespace tilewright::ide {

// What can follow in a comment; `line` is the line's text before the cursor. Nothing in a comment that is not ours.
void add_comment_words(Completions& out, const Query& q, std::string_view line, std::uint32_t offset);

}  // namespace tilewright::ide

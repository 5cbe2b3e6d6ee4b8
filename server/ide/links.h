// Where a script's texts lead: imports to their scripts, entry comments to the CUDA of what they make.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "server/ide/query.h"
#include "server/ide/view.h"

namespace tilewright::ide {

struct Link {
  Stretch at;
  std::variant<Script, ViewName> target;
  std::string tooltip;
};
Answer<std::vector<Link>> links(const Query& q);

}  // namespace tilewright::ide

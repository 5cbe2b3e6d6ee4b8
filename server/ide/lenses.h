// Above each kernel: its entries, what it takes of a multiprocessor, and ways to run it.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "server/ide/query.h"
#include "server/ide/view.h"

namespace tilewright::ide {

struct ShowEntries {};  // of the script
struct Run {
  std::string entry;
  std::string_view target;  // of server/project/run_targets.h
};
// What choosing a lens does.
using LensAction = std::variant<ShowEntries, ViewName, Run>;

struct Lens {
  Stretch at;  // the kernel's name
  std::string title;
  LensAction action;
};
// None where the preferences want none.
Answer<std::vector<Lens>> lenses(const Query& q);

}  // namespace tilewright::ide

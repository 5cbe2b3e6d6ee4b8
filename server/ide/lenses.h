// Above each kernel: its entries, what it takes of a multiprocessor, ways to run it, and what came of the last ones.
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
  std::string target;  // of Query::run_targets
};
struct TrustSettings {};  // of the script: asks for consent to its remotes
// What choosing a lens does.
using LensAction = std::variant<ShowEntries, ViewName, Run, TrustSettings>;

struct Lens {
  Stretch at;  // the kernel's name
  std::string title;
  LensAction action;
};
// None where the preferences want none.
Answer<std::vector<Lens>> lenses(const Query& q);

}  // namespace tilewright::ide

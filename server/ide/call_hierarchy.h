// Who calls whom, read off the names (names.h), so that it also says what code that no entry reaches would call.
//
// An item is told apart by its script and the names that lead to it, `Pipeline.wait` or `make.kernel`: those still mean
// the same after edits. The answer is about the text as it is when it is asked for.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server/ide/query.h"

namespace tilewright::ide {

// A function, a class, or what a script does by itself.
struct CallItem {
  enum class Kind { Script, Class, Method, Function };
  Script script;
  std::string path;    // dotted, from the module; empty: the script itself
  std::string name;    // to be shown
  std::string detail;  // what is around it; empty for a script
  Kind kind = Kind::Script;
  Stretch all, name_at;
};
// One that calls or is called, with all the places.
struct CallEdge {
  CallItem item;
  Script caller;                // whose bytes the places are
  std::vector<Stretch> places;  // ascending
};
// Takes what has gathered so far; empty where the caller wants the whole at once.
using CallParts = std::function<void(std::vector<CallEdge>)>;

// What the name at a place calls. Nothing: nothing that can be called.
std::optional<CallItem> call_item(const Query& q, std::uint32_t offset);
// Who calls it, with the calls of entry comments, which the script itself makes. `script` is a path, of a file of the
// prelude as well. Nothing: the item is gone.
Answer<std::optional<std::vector<CallEdge>>> incoming_calls(const Query& q, const std::string& script,
                                                            const std::string& path, const CallParts& parts);
// What its body calls; the bodies of functions inside are theirs.
Answer<std::optional<std::vector<CallEdge>>> outgoing_calls(const Query& q, const std::string& script,
                                                            const std::string& path, const CallParts& parts);

}  // namespace tilewright::ide

// Kernels, functions, classes and module-level names: of one script as a tree, of all scripts as a list to search.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "compiler/text/digest.h"
#include "server/ide/query.h"

namespace tilewright::ide {

enum class OutlineKind { Class, Method, Function, Variable, Constant };

struct OutlineItem {
  std::string name;
  std::string detail;  // "@prim_func"; empty: nothing to add
  OutlineKind kind = OutlineKind::Variable;
  Stretch all, name_at;
  std::vector<OutlineItem> children;
};
std::vector<OutlineItem> outline(const session::Snapshot& script);

// One of them by itself.
struct NamedPlace {
  std::string name;
  std::string container;  // the function or class around it; empty: the script
  OutlineKind kind = OutlineKind::Variable;
  Stretch name_at;
};
// The outline in the order of the text.
std::vector<NamedPlace> named_places(const session::Snapshot& script);

// What scripts were seen to name, by their text: parsed scripts are too large to keep all of a workspace. Safe from any
// thread.
class Outlines {
 public:
  using Outline = std::shared_ptr<const std::vector<NamedPlace>>;
  Outline find(const std::string& path, const text::Digest& text);  // null: not seen with this text
  Outline keep(const std::string& path, const text::Digest& text, std::vector<NamedPlace> places);

 private:
  std::mutex mutex_;
  std::map<std::string, std::pair<text::Digest, Outline>> known_;
};

// Of one script.
struct FoundNames {
  std::shared_ptr<const text::Source> source;
  std::vector<NamedPlace> names;
};
// Names that have the letters of `wanted` in order, in any case: of the open documents, then of the workspace's other
// tile scripts; scripts without any are passed over.
Answer<void> find_names(const Query& q, std::string_view wanted, Outlines& outlines,
                        const std::function<void(FoundNames)>& visit);

}  // namespace tilewright::ide

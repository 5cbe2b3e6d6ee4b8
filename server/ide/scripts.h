// The scripts around the open documents, as one request finds them.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "server/ide/query.h"

namespace tilewright::ide {

// Now and then a word about a search that is at the i-th of `count` scripts.
void report_search(const Query& q, const std::string& path, std::size_t i, std::size_t count);

// Python files below the workspace's folders, sorted, at most 2,000 of them; hidden folders and packages of others are
// passed over. Fewer after a stop.
std::vector<std::string> workspace_scripts(const Query& q);

// Open documents as they are, other files as they are on disk, files of the prelude: each once, however it is spelled.
class Scripts {
 public:
  explicit Scripts(const Query& q);

  // Null: it cannot be read.
  Script find(const std::string& path);
  // The prelude's file that defines `name`; null: none does.
  Script prelude(std::string_view name);
  // What an import of `script` finds; null: none of ours.
  Script imported(const session::Snapshot& script, std::string_view module, int level);
  bool is_open(const session::Snapshot& script) const;

  // The open documents, then what else the workspace has.
  const std::vector<std::string>& all();
  // Its text, without parsing it. Null: it cannot be read.
  std::shared_ptr<const text::Source> source(const std::string& path);
  // Does one of the texts stand anywhere in it? Nothing is parsed for that.
  bool mentions(const std::string& path, std::span<const std::string> texts);

 private:
  std::string key(const std::string& path);

  const Query& q_;
  std::map<std::string, Script> known_;  // by the file's own name; null: unreadable
  std::map<std::tuple<const session::Snapshot*, std::string, int>, Script> imports_;
  std::map<std::string, std::string> keys_;  // own names of paths
  std::vector<std::string> all_;
  bool listed_ = false;
};

// The prelude is no file: its scripts have paths like prelude/barriers.py.
inline constexpr std::string_view kPreludeFolder = "prelude/";
bool is_prelude(const session::Snapshot& script);

}  // namespace tilewright::ide

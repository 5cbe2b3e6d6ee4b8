// What requested runs found in open documents: shown where it lies until the text is another one.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "compiler/session/snapshot.h"
#include "server/ide/query.h"
#include "server/work/run.h"

namespace tilewright::ide {

class RunFindings {
 public:
  // `made` is called by what keeps something, with the document.
  explicit RunFindings(std::function<void(const std::string& document)> made) : made_(std::move(made)) {}

  // A run of `entry` on `target` has ended. It replaces what was kept of the last such run of the same text; another
  // text has nothing to do with what was found in the last one.
  void keep(const std::string& document, std::shared_ptr<const text::Source> source, const std::string& entry,
            const std::string& target, const work::RunAnswer& answer);
  void forget(const std::string& document);  // closed

  struct Item {
    text::Diagnostic said;  // without places
    Stretch at;             // of the document
    std::vector<std::pair<Stretch, std::string>> related;
  };
  std::vector<Item> find(const session::Snapshot& script) const;
  struct Result {
    std::string target, words;  // "lab", "lab: verified, 68.88 us"
  };
  // What the last profiled runs say of a line, from 0, one each: "gpu, copy(64): 23.1 % of ...".
  std::vector<std::string> costs(const session::Snapshot& script, std::uint32_t line) const;
  // What came of the last runs of an entry, one a target.
  std::vector<Result> results(const session::Snapshot& script, const std::string& entry) const;

 private:
  struct Kept {
    std::vector<Item> items;
    std::string words;
    std::map<std::uint32_t, std::string> costs;  // of lines, from 0
  };
  struct Document {
    std::shared_ptr<const text::Source> source;
    std::map<std::pair<std::string, std::string>, Kept> runs;  // by entry and target
  };
  const Document* of(const session::Snapshot& script) const;

  std::function<void(const std::string&)> made_;
  mutable std::mutex mutex_;
  std::map<std::string, Document> documents_;
};

}  // namespace tilewright::ide

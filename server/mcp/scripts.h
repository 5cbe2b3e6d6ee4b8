// The scripts that calls are about, as open documents of the host. A document follows its file: each call looks at the
// text on disk, and what changed is an edit like one in an editor, so that all that did not change is used again.
#pragma once
#include <expected>
#include <map>
#include <string>

#include "server/ide/host.h"

namespace tilewright::mcp {

class Scripts {
 public:
  explicit Scripts(ide::Host& host) : host_(host) {}
  // On the main thread: the document has the text of its file now. The error says why that cannot be read.
  std::expected<void, std::string> follow(const std::string& path);

 private:
  struct Known {
    std::int64_t version = 0;
    std::uint64_t used = 0;
    std::string settings;  // the file of its settings, with its time and size
  };
  std::expected<std::string, std::string> text_of(const std::string& path) const;
  void close_old();

  ide::Host& host_;
  std::map<std::string, Known> known_;
  std::uint64_t clock_ = 0;
};

}  // namespace tilewright::mcp

// Views as clients know them: documents with URIs of their own, of which the server tells when they change.
//
// A view's URI says all there is to know: tilewright://cuda/sm_90a/copy.cu?document=file%3A%2F%2F...&entry=copy
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/text/digest.h"
#include "server/ide/view.h"
#include "server/lsp/request.h"

namespace tilewright::lsp {

std::string view_uri(const ide::ViewName& name);
// Nothing: no URI of a view.
std::optional<ide::ViewName> parse_view(std::string_view uri);

// The version of the open document that an answer was made from; null: it is not open, and was read from its file.
Json version_json(const Request& r, const ide::Script& script);

// The views that are looked at, to be told of changes. Safe from any thread.
class WatchedViews {
 public:
  void watch(const std::string& uri, std::string_view text);
  void forget(const std::string& document);
  std::vector<std::string> of(const std::string& document) const;
  // True if the text is another one than what was shown; it counts as shown from now on.
  bool changed(const std::string& uri, std::string_view text);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, text::Digest> shown_;  // by URI
};

}  // namespace tilewright::lsp

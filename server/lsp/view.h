// Views: read-only documents that show what a kernel becomes.
//
// A view's name says all there is to know: tilewright://cuda/sm_90a/copy.cu?document=file%3A%2F%2F...&entry=copy
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/text/digest.h"
#include "server/lsp/artifacts.h"
#include "server/lsp/look.h"

namespace tilewright::lsp {

// report, tirx, lowered, cuda, ptx, sass, plan
std::span<const std::string_view> view_kinds();

struct ViewName {
  std::string kind, architecture, kernel, entry;
  std::string document;  // as the server names documents: a path, or another URI
  std::string uri() const;
};
// Nothing: no name of a view.
std::optional<ViewName> parse_view(std::string_view uri);
ViewName view_of(std::string_view kind, const session::Compiled& compiled, const session::CompiledKernel& kernel,
                 const std::string& document);

struct View {
  enum class State { Ready, Pending, Failed } state = State::Ready;
  std::string text;
  std::string language;  // as editors name them: cuda-cpp, python, ...
  // What the lines from `line` (from 0) on came from, up to the next; ascending.
  struct Line {
    std::uint32_t line = 0;
    std::vector<ir::Origin> origins;
  };
  std::vector<Line> lines;
};
// Never waits: PTX and SASS that are not there yet are Pending.
View make_view(const ViewName& name, const session::Analysis& analysis, const Artifacts& artifacts);
// What is to be compiled so that this view becomes ready; nothing: it is, or never will be.
std::optional<Wish> wish_for(const ViewName& name, const session::Analysis& analysis);

// The views that somebody looks at, to be told of changes.
class WatchedViews {
 public:
  void watch(const std::string& uri, const View& view);
  void forget(const std::string& document);
  std::vector<std::string> of(const std::string& document) const;
  // True if the text is another one than what was shown; it counts as shown from now on.
  bool changed(const std::string& uri, const View& view);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, text::Digest> shown_;  // by URI
};

}  // namespace tilewright::lsp

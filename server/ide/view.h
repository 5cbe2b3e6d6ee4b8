// Views: what a kernel becomes, as read-only texts that editors keep open.
//
// A view is named by its kind and by the kernel: those names still mean the same after edits. Opening one finds out
// whether there is something to show; server/views/document.h makes the text, with what each line came from.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/ide/artifacts.h"
#include "server/ide/query.h"

namespace tilewright::ide {

enum class ViewKind : std::uint8_t { Report, Tirx, Lowered, Cuda, Ptx, Sass, Plan };
std::span<const ViewKind> view_kinds();
std::string_view view_kind_name(ViewKind kind);                  // "report", "tirx", ...
std::optional<ViewKind> parse_view_kind(std::string_view name);  // nothing: no kind
std::string_view view_extension(ViewKind kind);                  // of a file with it: "txt", "py", ...
std::string_view view_language(ViewKind kind);                   // as editors name them: "plaintext", "python", ...
bool made_by_tools(ViewKind kind);                               // NVIDIA's, not by the compiler itself
// Did the kernel get as far as this shows?
bool has_stage(ViewKind kind, const session::CompiledKernel& kernel);

struct ViewName {
  ViewKind kind = ViewKind::Report;
  std::string architecture, kernel, entry;
  std::string document;  // a path, or what the editor calls a document that is no file
};
ViewName view_of(ViewKind kind, const session::CompiledKernel& kernel, const std::string& document);

// One view of one analysis.
struct View {
  enum class State {
    Ready,
    Pending,  // NVIDIA's tools have not made it yet
    Failed,
  };
  ViewName name;
  State state = State::Ready;
  std::string problem;  // why it is not ready, for people
  // Of what is ready: the kernel and, for PTX and SASS, what the tools made of it.
  const session::Compiled* compiled = nullptr;
  const session::CompiledKernel* kernel = nullptr;
  std::shared_ptr<const Made> made;
};
// The analysis that knows an entry: the script's, or with all entries where that one leaves it out. Null: stopped.
std::shared_ptr<const session::Analysis> analysis_with(const session::Snapshot& script, std::string_view entry,
                                                       const std::stop_token& stop);
// Never waits.
View view(ViewName name, const session::Analysis& analysis, const Artifacts* artifacts);
// What is to be compiled so that this view becomes ready; nothing: it is, or never will be.
std::optional<Wish> wish_for(const ViewName& name, const session::Analysis& analysis);

// A view with all that it is made from, which it keeps.
struct OpenedView {
  Script script;
  std::shared_ptr<const session::Analysis> analysis;
  View view;
};
// What is pending is wished for.
Answer<OpenedView> open_view(const Query& q, ViewName name);

// The view of this kind of a script's kernel. Empty words take the first entry, the first architecture.
Answer<ViewName> find_view(const Query& q, ViewKind kind, const std::string& document, std::string_view entry,
                           std::string_view architecture);

// An entry of a script, for one architecture.
struct EntryViews {
  const session::Compiled* compiled = nullptr;
  const session::CompiledKernel* kernel = nullptr;
  std::optional<Stretch> name_at;  // of the kernel, where it is the script's own
};
struct Entries {
  Script script;
  std::shared_ptr<const session::Analysis> analysis;
  std::vector<EntryViews> entries;
};
// All of them, those that diagnostics and hovers leave out as well (session::Analysis::others).
Answer<Entries> entries(const Query& q, const std::string& document);

// ---- from a view to the script and back -----------------------------------------------------------------------------

// What the lines from `line` (from 0) on came from, up to the next.
struct LineOrigins {
  std::uint32_t line = 0;
  std::vector<ir::Origin> origins;
};

// Where a line of the view came from: the innermost place of the script first, then the calls that led there. `lines`
// of the view's text, ascending.
std::vector<text::Anchors::Place> sources_of(const OpenedView& view, std::span<const LineOrigins> lines,
                                             std::uint32_t line);
// The lines, half-open, that bytes of the script became; `line_count` of the view's text.
std::vector<std::pair<std::uint32_t, std::uint32_t>> lines_from(const OpenedView& view,
                                                                std::span<const LineOrigins> lines,
                                                                std::uint32_t line_count, Stretch bytes);

// Lines of the view, half-open, and the lines of the script itself that they came from: the innermost place there, so
// that the body of an inline function of another file leads to its call.
struct LinkedLines {
  std::uint32_t from = 0, to = 0, source_from = 0, source_to = 0;
  friend bool operator==(const LinkedLines&, const LinkedLines&) = default;
};
// All of a view, ascending; lines that came from several places are there several times.
std::vector<LinkedLines> linked_lines(const OpenedView& view, std::span<const LineOrigins> lines,
                                      std::uint32_t line_count);
// The lines of the kernel's function in the script, half-open; nothing: it is not written there.
std::optional<std::pair<std::uint32_t, std::uint32_t>> kernel_lines(const OpenedView& view);

}  // namespace tilewright::ide

// Answers in pages: what a reader with a small memory gets at a time, and the cursor that leads on.
//
// A page is one result of tools/call of at most 4,096 bytes: a text for clients that show texts, and the same as
// `structuredContent`. Lines of the text that repeat what a script, a tool or a document says begin with "| "; the
// member `quotes` names the members that do. An answer is kept while its cursor may come.
#pragma once
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "server/mcp/tool.h"

namespace tilewright::mcp {

inline constexpr std::size_t kPageBytes = 4096;

class Pages {
 public:
  // The first page of an answer. `structured`: the client knows structuredContent.
  Json first(const Tool& tool, Answer answer, bool structured);
  // The page that a cursor of this tool leads to. The error: it leads nowhere any more.
  std::expected<Json, std::string> at(const Tool& tool, std::string_view cursor, bool structured);

 private:
  struct Kept {
    std::uint64_t number = 0;
    std::string_view tool;
    std::shared_ptr<const Answer> answer;
    std::size_t bytes = 0;
  };
  struct Page {
    Json json;
    std::size_t to = 0;  // the items before are on it, or on those before it
  };
  static Page page(const Answer& answer, std::uint64_t number, std::size_t from, bool structured);

  std::mutex mutex_;
  std::deque<Kept> kept_;  // the newest last
  std::size_t bytes_ = 0;
  std::uint64_t made_ = 0;
};

// A result that says why there is no answer.
Json failed(std::string_view why);
// At most so many bytes of a text, cut between characters, with "..." where something was cut.
std::string clipped(std::string_view text, std::size_t most);

}  // namespace tilewright::mcp

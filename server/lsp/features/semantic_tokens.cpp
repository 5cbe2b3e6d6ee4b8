// textDocument/semanticTokens: whole, of a range, and as a difference to what the client has.
#include <algorithm>
#include <map>
#include <mutex>

#include "server/ide/tokens.h"
#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

// As ide::Token::Type, and the bits of its modifiers from the lowest.
constexpr const char* kTypes[] = {"namespace", "class", "function", "method", "property", "parameter", "variable"};
constexpr const char* kModifiers[] = {"declaration", "readonly", "defaultLibrary", "kernel"};

// Five numbers a token, lines and columns relative to the token before.
std::vector<std::uint32_t> encoded(const Request& r, ide::Stretch within) {
  std::vector<std::uint32_t> out;
  protocol::Position last;
  for (const ide::Token& t : ide::tokens(*r.snapshot, within)) {
    protocol::Range at = r.range(t.at);
    if (at.end.line != at.start.line) continue;  // none that clients could take
    std::uint32_t line = at.start.line - last.line;
    out.insert(out.end(), {line, line ? at.start.character : at.start.character - last.character,
                           at.end.character - at.start.character, static_cast<std::uint32_t>(t.type), t.modifiers});
    last = at.start;
  }
  return out;
}

std::vector<std::uint32_t> encoded(const Request& r) { return encoded(r, {0, r.snapshot->source().size()}); }

// What clients were told last, so that the next time they are told what changed.
class Told {
 public:
  std::string keep(const std::string& path, std::vector<std::uint32_t> data) {
    std::lock_guard lock(mutex_);
    if (last_.size() > 64 && !last_.contains(path)) last_.clear();
    std::string id = std::to_string(++count_);
    last_[path] = {id, std::move(data)};
    return id;
  }
  std::optional<std::vector<std::uint32_t>> find(const std::string& path, const std::string& id) {
    std::lock_guard lock(mutex_);
    auto it = last_.find(path);
    if (it == last_.end() || it->second.first != id) return std::nullopt;
    return it->second.second;
  }

 private:
  std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::map<std::string, std::pair<std::string, std::vector<std::uint32_t>>> last_;
};

struct DeltaParams : protocol::DocumentParams {
  std::string previous;
};
void from_json(const Json& json, DeltaParams& p) {
  protocol::from_json(json, p);
  p.previous = json.at("previousResultId").get<std::string>();
}

Json legend() { return {{"tokenTypes", kTypes}, {"tokenModifiers", kModifiers}}; }

}  // namespace

void add_semantic_tokens(Registry& registry) {
  auto told = std::make_shared<Told>();
  registry.offer("semanticTokensProvider", {{"legend", legend()}, {"range", true}, {"full", {{"delta", true}}}});

  auto full = [told](const Request& r) -> Json {
    auto data = encoded(r);
    Json answer{{"data", data}};
    answer["resultId"] = told->keep(r.snapshot->path(), std::move(data));
    return answer;
  };
  registry.on_document<protocol::DocumentParams>(
      "textDocument/semanticTokens/full",
      [full](const Request& r, const protocol::DocumentParams&) -> Answer<Json> { return full(r); });
  registry.on_document<DeltaParams>(
      "textDocument/semanticTokens/full/delta", [told, full](const Request& r, const DeltaParams& p) -> Answer<Json> {
        auto before = told->find(r.snapshot->path(), p.previous);
        if (!before) return full(r);
        auto now = encoded(r);
        std::size_t head = 0, tail = 0, limit = std::min(before->size(), now.size());
        while (head < limit && (*before)[head] == now[head]) ++head;
        while (tail < limit - head && (*before)[before->size() - 1 - tail] == now[now.size() - 1 - tail]) ++tail;
        Json edits = Json::array();
        if (head < before->size() || head < now.size()) {
          std::vector<std::uint32_t> data(now.begin() + static_cast<std::ptrdiff_t>(head),
                                          now.end() - static_cast<std::ptrdiff_t>(tail));
          if (!data.empty() || before->size() != now.size()) {
            edits.push_back({{"start", head}, {"deleteCount", before->size() - head - tail}, {"data", data}});
          }
        }
        Json answer{{"edits", edits}};
        answer["resultId"] = told->keep(r.snapshot->path(), std::move(now));
        return answer;
      });
  registry.on_document<protocol::RangeParams>("textDocument/semanticTokens/range",
                                              [](const Request& r, const protocol::RangeParams& p) -> Answer<Json> {
                                                return Json{{"data", encoded(r, r.bytes(p.range))}};
                                              });
}

}  // namespace tilewright::lsp

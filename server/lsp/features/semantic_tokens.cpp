// textDocument/semanticTokens: what each name is, as a grammar cannot tell: a parameter, a kernel, a class, a module.
#include <algorithm>
#include <map>
#include <mutex>

#include "compiler/syntax/walk.h"
#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

using namespace syntax;

constexpr const char* kTypes[] = {"namespace", "class", "function", "method", "property", "parameter", "variable"};
enum Type { kNamespace, kClassType, kFunctionType, kMethodType, kProperty, kParameter, kVariableType };
constexpr const char* kModifiers[] = {"declaration", "readonly", "defaultLibrary", "kernel"};
constexpr std::uint32_t kDeclaration = 1, kReadonly = 2, kLibrary = 4, kKernel = 8;

struct Token {
  std::uint32_t begin, end;
  Type type;
  std::uint32_t modifiers;
};

bool shouts(std::string_view name) {
  return std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

// An import of the language itself, not of a script.
bool is_library(const session::Symbol& s) {
  if (auto* from = as<ImportFrom>(s.node))
    return from->level == 0 && (from->module == "tvm" || from->module.starts_with("tvm."));
  return s.kind == session::SymbolKind::Builtin && (s.name == "T" || s.name == "Tx");
}

class Tokens {
 public:
  explicit Tokens(const session::SymbolIndex& index) : index_(index) {}

  std::vector<Token> all(std::uint32_t from, std::uint32_t to) {
    for (const session::Occurrence& o : index_.occurrences) {
      if (o.end <= from || o.begin >= to) continue;
      const session::Symbol& s = index_.symbols[o.symbol];
      std::uint32_t modifiers = o.role == session::Role::Define ? kDeclaration : 0u;
      switch (s.kind) {
        case session::SymbolKind::Parameter: out_.push_back({o.begin, o.end, kParameter, modifiers}); break;
        case session::SymbolKind::Function: out_.push_back({o.begin, o.end, kFunctionType, modifiers}); break;
        case session::SymbolKind::Kernel: out_.push_back({o.begin, o.end, kFunctionType, modifiers | kKernel}); break;
        case session::SymbolKind::Class: out_.push_back({o.begin, o.end, kClassType, modifiers}); break;
        case session::SymbolKind::Import:
          out_.push_back({o.begin, o.end, kNamespace, modifiers | (is_library(s) ? kLibrary : 0u)});
          break;
        case session::SymbolKind::Variable:
          if (s.scope == 0 && shouts(s.name)) modifiers |= kReadonly;
          out_.push_back({o.begin, o.end, kVariableType, modifiers});
          break;
        case session::SymbolKind::Builtin:
          if (is_library(s)) out_.push_back({o.begin, o.end, kNamespace, kLibrary});
          break;  // the grammar knows Python's own
      }
    }
    for (const Tree::Statement& s : index_.tree->statements()) {
      if (s.offset >= to || s.offset + s.node->text.size() <= from) continue;
      offset_ = s.offset;
      attributes(s.node->statement);
    }
    std::erase_if(out_, [&](const Token& t) { return t.end <= from || t.begin >= to; });
    std::ranges::sort(out_, {}, &Token::begin);
    // One token a place; a multi-line or overlapping one is none that clients could take.
    std::vector<Token> kept;
    for (const Token& t : out_) {
      if (t.end > t.begin && (kept.empty() || kept.back().end <= t.begin)) kept.push_back(t);
    }
    return kept;
  }

 private:
  void attributes(const Node* statement) {
    std::vector<const Node*> called;
    for_all(statement, [&](const Node* n) {
      if (auto* call = as<Call>(n)) called.push_back(call->function);
    });
    std::ranges::sort(called);
    for_all(statement, [&](const Node* n) {
      auto* a = as<Attribute>(n);
      if (!a) return;
      const Node* root = a->object;
      while (auto* inner = as<Attribute>(root)) root = inner->object;
      std::uint32_t modifiers = 0;
      if (auto* ref = as<NameRef>(root)) {
        const session::Occurrence* o = index_.at(offset_ + ref->name.at.begin);
        if (o && is_library(index_.symbols[o->symbol])) modifiers = kLibrary;
      }
      Type type = std::ranges::binary_search(called, n) ? kMethodType : kProperty;
      out_.push_back({offset_ + a->name.at.begin, offset_ + a->name.at.end, type, modifiers});
    });
  }

  const session::SymbolIndex& index_;
  std::uint32_t offset_ = 0;
  std::vector<Token> out_;
};

// Five numbers a token, lines and columns relative to the token before.
std::vector<std::uint32_t> encoded(const Request& r, std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> out;
  protocol::Position last;
  for (const Token& t : Tokens(r.snapshot->symbols()).all(from, to)) {
    protocol::Position at = r.position(t.begin), end = r.position(t.end);
    if (end.line != at.line) continue;
    std::uint32_t line = at.line - last.line;
    out.insert(out.end(), {line, line ? at.character : at.character - last.character, end.character - at.character,
                           static_cast<std::uint32_t>(t.type), t.modifiers});
    last = at;
  }
  return out;
}

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
    auto data = encoded(r, 0, r.snapshot->source().size());
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
        auto now = encoded(r, 0, r.snapshot->source().size());
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
  registry.on_document<protocol::RangeParams>(
      "textDocument/semanticTokens/range", [](const Request& r, const protocol::RangeParams& p) -> Answer<Json> {
        return Json{{"data", encoded(r, r.offset(p.range.start), r.offset(p.range.end))}};
      });
}

}  // namespace tilewright::lsp

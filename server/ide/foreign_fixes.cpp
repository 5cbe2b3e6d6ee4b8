#include "server/ide/foreign_fixes.h"

#include <cctype>

#include "compiler/script/codes.h"
#include "compiler/script/foreign.h"
#include "server/ide/look.h"
#include "server/ide/spelling.h"

namespace tilewright::ide {
namespace {

using namespace syntax;
using script::ForeignSpace;

ForeignSpace space_of(const text::Diagnostic& d) {
  const std::string_view m = d.message;
  if (m.starts_with("'Tx") || m.starts_with("'T.tile")) return ForeignSpace::Tile;
  if (m.starts_with("a buffer ")) return ForeignSpace::Buffer;
  return m.starts_with("a run-time expression ") ? ForeignSpace::Scalar : ForeignSpace::Any;
}

class Rewrite {
 public:
  Rewrite(const Query& q, Stretch at)
      : q_(q), text_(q.snapshot->source().text()), found_(look(*q.snapshot->tree(), at.begin)) {
    for (std::size_t up = 0; const Node* node = found_.above(up); ++up) {
      auto* attribute = as<Attribute>(node);
      if (attribute && found_.begin(node) <= at.begin && found_.end(node) >= at.end && !named_ &&
          found_.statement->offset + attribute->name.at.begin == at.begin)
        named_ = attribute;
      auto* call = as<Call>(node);
      if (call && !call_ && found_.end(call->function) >= at.end) call_ = call;
      if (call_) break;
    }
  }

  // The bytes of the path with `length` bytes from `begin` on, with the call of it where the template makes one.
  std::optional<QuickFix> made(const std::string& instead, Stretch path) const {
    std::string to = instead;
    if (to.starts_with('=')) {
      to = variable_with(q_, to.substr(1), path.begin);
      if (to.empty()) return std::nullopt;
      return edit(to, whole_call(path));
    }
    const bool whole = to.find_first_of("([$") != to.npos || to.starts_with('"');
    if (to.find("$0") != to.npos) {
      if (!named_) return std::nullopt;
      path.begin = found_.begin(named_->object);
    }
    auto filled = fill(to, path);
    if (!filled) return std::nullopt;
    return edit(*filled, whole ? whole_call(path) : path);
  }

 private:
  std::string written(const Node* n) const {
    return std::string(text_.substr(found_.begin(n), found_.end(n) - found_.begin(n)));
  }
  bool is_called(Stretch path) const { return call_ && found_.end(call_->function) == path.end; }
  Stretch whole_call(Stretch path) const { return is_called(path) ? Stretch{path.begin, found_.end(call_)} : path; }
  QuickFix edit(const std::string& to, Stretch at) const {
    constexpr std::size_t kLongest = 60;
    return {"Write " + (to.size() <= kLongest ? to : to.substr(0, kLongest) + "..."), at, to, true};
  }

  // The template with the call's arguments; none: it lacks one of them.
  std::optional<std::string> fill(const std::string& to, Stretch path) const {
    std::string out;
    const bool called = is_called(path);
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] != '$' || i + 1 >= to.size() || !std::isdigit(static_cast<unsigned char>(to[i + 1]))) {
        out += to[i];
        continue;
      }
      const std::size_t number = static_cast<std::size_t>(to[++i] - '0');
      std::string otherwise;
      if (i + 1 < to.size() && to[i + 1] == '|') {
        for (i += 2; i < to.size() && std::isdigit(static_cast<unsigned char>(to[i])); ++i) otherwise += to[i];
        --i;
      }
      if (number == 0) {
        out += written(named_->object);
      } else if (called && number <= call_->args.size() && call_->keywords.empty()) {
        out += written(call_->args[number - 1]);
      } else if (!otherwise.empty()) {
        out += otherwise;
      } else {
        return std::nullopt;
      }
    }
    return out;
  }

  const Query& q_;
  std::string_view text_;
  Found found_;
  const Attribute* named_ = nullptr;  // the attribute that the finding is about
  const Call* call_ = nullptr;        // of it
};

// Is the first name of what is to be written bound there?
bool can_write(const Query& q, const std::string& to, std::uint32_t offset) {
  for (std::string_view root : {"T", "Tx"}) {
    const bool names = to.starts_with(std::string(root) + ".") || to.starts_with("(" + std::string(root) + ".");
    const session::SymbolIndex& symbols = q.snapshot->symbols();
    if (names && !symbols.lookup(root, symbols.scope_at(offset))) return false;
  }
  return true;
}

}  // namespace

ForeignFixes foreign_fixes(const Query& q, const text::Diagnostic& said, Stretch at) {
  if (said.code != script::code::kName && said.code != script::code::kAttribute && said.code != script::code::kOpaque)
    return {};
  const ForeignSpace space = space_of(said);
  const std::string_view text = q.snapshot->source().text();
  // The whole path that the finding stands in: what is asked of T begins before it.
  std::uint32_t begin = at.begin;
  if (space == ForeignSpace::Any && said.code == script::code::kAttribute) {
    auto is_path = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
    while (begin > 0 && is_path(text[begin - 1])) --begin;
  }
  const std::string_view part = script::foreign_part(space, script::path_at(text, begin));
  if (part.empty()) return {};
  ForeignFixes out;
  const auto foreign = script::foreign_name(space, part, q.snapshot->surface().dialect());
  // What was said is something else: a name of another release, say.
  if (!foreign || foreign->hint != said.hint) return {};
  out.known = true;
  if (foreign->instead.empty()) return out;
  const Stretch path{begin, begin + static_cast<std::uint32_t>(part.size())};
  auto fix = Rewrite(q, at).made(foreign->instead, path);
  if (fix && can_write(q, fix->text, at.begin)) out.fixes.push_back(std::move(*fix));
  return out;
}

}  // namespace tilewright::ide

#include "compiler/script/vocabulary.h"

#include <vector>

#include "compiler/script/surface.h"

namespace tilewright::script {
namespace {

// Null: nothing to read about it in a list of words.
const WordKind* kind_of(NameKind kind) {
  using enum WordKind;
  static constexpr WordKind kKinds[] = {Function, Decorator, Type, Class, Namespace, Constant, Primitive};
  switch (kind) {
    case NameKind::Function: return &kKinds[0];
    case NameKind::Decorator: return &kKinds[1];
    case NameKind::Type: return &kKinds[2];
    case NameKind::Class: return &kKinds[3];
    case NameKind::Namespace: return &kKinds[4];
    case NameKind::Constant:
    case NameKind::Attribute: return &kKinds[5];
    case NameKind::Primitive: return &kKinds[6];
    case NameKind::Instruction:
    case NameKind::Elsewhere: return nullptr;
  }
  return nullptr;
}

}  // namespace

std::span<const Word> vocabulary() {
  static const std::vector<Word> words = [] {
    std::vector<Word> out;
    for (const Record& r : surface_of(text::kNewestDialect).records()) {
      const WordKind* kind = kind_of(r.kind);
      bool listed = r.space == "T" || r.space == "Tx" || r.space == "layout" || r.space == "buffer";
      if (kind && listed && r.is_offered()) out.push_back({r.space, r.name, *kind, r.signature, r.documentation});
    }
    return out;
  }();
  return words;
}

const Word* find_word(std::string_view space, std::string_view name) {
  for (const Word& w : vocabulary()) {
    if (w.space == space && w.name == name) return &w;
  }
  return nullptr;
}

}  // namespace tilewright::script

// What the values that a kernel can reach are, in 128 bits (memo.h).
//
// The walk starts at the kernel's text and follows every name in it through the scopes around, then what those values
// hold. Objects are numbered as they are met, so that cycles end and two names for one object differ from two equal
// objects. It covers more than an evaluation reads, never less: all that code can reach it reaches by a name.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "compiler/script/interpreter.h"
#include "compiler/text/digest.h"

namespace tilewright::script {

class Fingerprint {
 public:
  explicit Fingerprint(Interpreter& in) : in_(in) {
    // A key is made for each kernel at each edit, and most kernels lead to a few statements only.
    resolved_.reserve(kUsualStatements);
    statements_.reserve(kUsualStatements);
  }

  void add(std::uint64_t word) { digest_.add(word); }
  void add(std::string_view text) { digest_.add(text); }
  void add(const text::Digest& part) { digest_.add(part); }
  void add(Value v);
  void add(const Function* f);
  // The text of a statement whose spans may occur in what is made.
  void add(const std::shared_ptr<const syntax::TopLevel>& statement);

  // Nothing: some value cannot be described, so that an equal key would prove nothing.
  std::optional<text::Digest> digest() const { return known_ ? std::optional(digest_) : std::nullopt; }
  std::vector<std::shared_ptr<const syntax::TopLevel>> take_statements() { return std::move(statements_); }

 private:
  static constexpr std::size_t kUsualStatements = 8;

  void object(Object* o);
  // What an object of the type holds, for those of which it is more than a word or two.
  void contents(Dict& d);
  void contents(Range& r);
  void contents(Function& f);
  void contents(LambdaFunction& f);
  void contents(Native& n);
  void contents(Class& c);
  void contents(Instance& i);
  void contents(Namespace& n);
  void contents(DataTypeValue& d);
  void contents(TypeAnnotation& t);
  void contents(Jit& j);
  void contents(Set& s);
  void bindings(Scope* scope);  // names and values in order; null: none
  void add(ir::DataType t);
  void names(const std::shared_ptr<const syntax::TopLevel>& statement, Scope* closure);
  void add(const layout::Layout& l);
  void add(const layout::TileLayout& l);
  void add(layout::Dim d);
  void add(const std::vector<Value>& values);
  // True when `o` was met before; its number is then part of the digest.
  bool met(const void* o);
  std::pair<const void*, std::uint32_t>& slot_of(const void* o);
  void unknown() { known_ = false; }

  Interpreter& in_;
  text::Digest digest_;
  bool known_ = true;
  int depth_ = 0;
  // What was met, with its number: a table of open addressing, at most half full.
  std::vector<std::pair<const void*, std::uint32_t>> met_;
  std::size_t met_count_ = 0;
  std::vector<std::pair<const void*, const void*>> resolved_;  // (statement, scope) whose names are in the digest
  std::vector<std::shared_ptr<const syntax::TopLevel>> statements_;
};

}  // namespace tilewright::script

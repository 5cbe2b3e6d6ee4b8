#include "protocol/publish.h"

#include <algorithm>
#include <charconv>

namespace tilewright::protocol {
namespace {

// Members are written in the order of their names, as objects print them.
class Writer {
 public:
  void add(std::string_view text) { out_ += text; }
  void add(std::int64_t number) {
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
  void add_quoted(std::string_view text);
  void add(const Range& range);
  void add(const Diagnostic& d);
  // [a,b,c]
  template <typename List>
  void add_list(const List& list, auto&& add_one) {
    char before = '[';
    for (const auto& one : list) {
      out_ += before;
      add_one(one);
      before = ',';
    }
    if (before == '[') out_ += before;
    out_ += ']';
  }
  std::string take() { return std::move(out_); }

 private:
  void add(const Position& p) {
    add(R"({"character":)");
    add(p.character);
    add(R"(,"line":)");
    add(p.line);
    add("}");
  }
  void add(const RelatedInformation& r);
  std::string out_;
};

void Writer::add_quoted(std::string_view text) {
  // What is no ASCII may be wrong UTF-8, too, and has other control characters: the library knows all about it.
  auto known = [](char c) { return static_cast<signed char>(c) >= ' ' || c == '\n'; };
  if (!std::ranges::all_of(text, known)) return add(json_text(text));
  out_ += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\"\\\n", at), text.size());
    out_ += text.substr(at, end - at);
    if (end < text.size()) {
      out_ += '\\';
      out_ += text[end] == '\n' ? 'n' : text[end];
    }
    at = end + 1;
  }
  out_ += '"';
}

void Writer::add(const Range& range) {
  add(R"({"end":)");
  add(range.end);
  add(R"(,"start":)");
  add(range.start);
  add("}");
}

void Writer::add(const RelatedInformation& r) {
  add(R"({"location":{"range":)");
  add(r.location.range);
  add(R"(,"uri":)");
  add_quoted(r.location.uri);
  add(R"(},"message":)");
  add_quoted(r.message);
  add("}");
}

void Writer::add(const Diagnostic& d) {
  add("{");
  if (!d.code.empty()) {
    add(R"("code":)");
    add_quoted(d.code);
    add(",");
  }
  if (!d.documentation.empty()) {
    add(R"("codeDescription":{"href":)");
    add_quoted(d.documentation);
    add("},");
  }
  if (!d.data.is_null()) {
    add(R"("data":)");
    add(json_text(d.data));
    add(",");
  }
  add(R"("message":)");
  add_quoted(d.message);
  add(R"(,"range":)");
  add(d.range);
  if (!d.related.empty()) {
    add(R"(,"relatedInformation":)");
    add_list(d.related, [&](const RelatedInformation& r) { add(r); });
  }
  add(R"(,"severity":)");
  add(static_cast<std::int64_t>(d.severity));
  add(R"(,"source":"tilewright")");
  if (!d.tags.empty()) {
    add(R"(,"tags":)");
    add_list(d.tags, [&](DiagnosticTag tag) { add(static_cast<std::int64_t>(tag)); });
  }
  add("}");
}

}  // namespace

std::string publish_text(std::string_view uri, std::int64_t version, std::span<const Diagnostic> diagnostics) {
  Writer to;
  to.add(R"({"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"diagnostics":)");
  to.add_list(diagnostics, [&](const Diagnostic& d) { to.add(d); });
  to.add(R"(,"uri":)");
  to.add_quoted(uri);
  to.add(R"(,"version":)");
  to.add(version);
  to.add("}}");
  return to.take();
}

}  // namespace tilewright::protocol

#include "server/ide/operand_fixes.h"

#include <algorithm>

#include "compiler/ir/printer.h"

namespace tilewright::ide {
namespace {

using namespace syntax;

// An operand as it is written, and the region that it is.
struct Written {
  const Node* node = nullptr;
  const ir::Region* region = nullptr;
};

// A dimension that holds more than one element.
struct Dimension {
  std::size_t index;  // of the region
  ir::Expr extent;
};

std::vector<Written> regions_of(const Call& call, const ir::TileCall& made) {
  std::vector<Written> out;
  for (std::size_t i = 0; i < made.args.size() && i < call.args.size(); ++i) {
    if (made.args[i].region.buffer) out.push_back({call.args[i], &made.args[i].region});
  }
  return out;
}

std::vector<Dimension> dimensions_of(const ir::Region& region) {
  std::vector<Dimension> out;
  for (std::size_t i = 0; i < region.ranges.size(); ++i) {
    const std::int64_t* n = ir::constant(region.ranges[i].extent);
    if (!n || *n != 1) out.push_back({i, region.ranges[i].extent});
  }
  return out;
}

std::string_view stripped(std::string_view s) {
  std::size_t begin = s.find_first_not_of(" \t\r\n");
  return begin == s.npos ? "" : s.substr(begin, s.find_last_not_of(" \t\r\n") + 1 - begin);
}

// The slice that a subscript has for a dimension of its buffer, in parts; nothing: it has none of its own.
struct SliceText {
  Stretch at;
  std::string_view lower, upper;
};
std::optional<SliceText> slice_of(std::string_view text, const Found& found, const Written& w, std::size_t dimension) {
  auto* subscript = as<Subscript>(w.node);
  if (!subscript || subscript->object->kind == NodeKind::Subscript) return std::nullopt;
  Exprs indices = subscript->indices;
  if (auto* tuple = indices.size() == 1 ? as<Tuple>(indices[0]) : nullptr) indices = tuple->elements;
  auto* slice = dimension < indices.size() ? as<Slice>(indices[dimension]) : nullptr;
  if (!slice || slice->step) return std::nullopt;
  SliceText out{{found.begin(slice), found.end(slice)}, {}, {}};
  std::string_view written = text.substr(out.at.begin, out.at.end - out.at.begin);
  int depth = 0;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const char c = written[i];
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c != ':' || depth) continue;
    out.lower = stripped(written.substr(0, i));
    out.upper = stripped(written.substr(i + 1));
    return out;
  }
  return std::nullopt;
}

// How long the slice is, as its script would write it; empty: it does not say.
std::string_view length_of(const SliceText& s) {
  if (s.lower.empty() || s.lower == "0") return s.upper;
  if (!s.upper.starts_with(s.lower)) return {};
  std::string_view rest = stripped(s.upper.substr(s.lower.size()));
  return rest.starts_with('+') ? stripped(rest.substr(1)) : std::string_view();
}

// `mine` becomes as long as `theirs`.
void add_length(std::vector<QuickFix>& out, std::string_view text, const Found& found, const Written& mine, Dimension d,
                const Written& theirs, Dimension wanted) {
  auto slice = slice_of(text, found, mine, d.index);
  const std::int64_t* n = ir::constant(wanted.extent);
  if (!slice || !n) return;
  auto other = slice_of(text, found, theirs, wanted.index);
  std::string length(other ? length_of(*other) : std::string_view());
  if (length.empty()) length = std::to_string(*n);
  const bool from_start = slice->lower.empty() || slice->lower == "0";
  std::string now(slice->lower);
  now += ":";
  now += from_start ? length : std::string(slice->lower) + " + " + length;
  // What is written out is more likely wrong than a whole dimension.
  const bool whole = slice->lower.empty() && slice->upper.empty();
  out.insert(whole ? out.end() : out.begin(), {"Write " + now, slice->at, now});
}

// The buffer of `mine` is declared with the dtype of `theirs`.
void add_dtype(std::vector<QuickFix>& out, const Query& q, const EvaluatedCall& evaluated, const ir::Buffer& mine,
               const ir::Buffer& theirs) {
  text::Anchors::Place at = evaluated.anchors().resolve(mine.span);
  if (at.source != &q.snapshot->source()) return;
  Found declared = look(*q.snapshot->tree(), at.begin);
  const std::string was = ir::dtype_name(mine.dtype), now = ir::dtype_name(theirs.dtype);
  for (std::size_t up = 0; const Node* node = declared.above(up); ++up) {
    auto* call = as<Call>(node);
    if (!call || declared.begin(call) != at.begin) continue;
    auto offer = [&](const Node* value) {
      auto* literal = as<StringLit>(value);
      if (!literal || literal->value != was) return;
      out.push_back({"Make " + std::string(mine.name) + " " + now,
                     {declared.begin(literal), declared.end(literal)},
                     "\"" + now + "\""});
    };
    for (const Node* arg : call->args) offer(arg);
    for (const Keyword& k : call->keywords) offer(k.value);
    return;
  }
}

}  // namespace

std::vector<QuickFix> operand_fixes(const Query& q, const Found& found, const Call& call,
                                    const EvaluatedCall& evaluated) {
  std::vector<QuickFix> out;
  std::vector<Written> operands = regions_of(call, *evaluated.report->call);
  if (operands.size() != 2) return out;
  const Written &a = operands[0], &b = operands[1];
  Arena scratch;
  ArenaScope scope(scratch);
  if (a.region->buffer->dtype != b.region->buffer->dtype) {
    add_dtype(out, q, evaluated, *a.region->buffer, *b.region->buffer);
    add_dtype(out, q, evaluated, *b.region->buffer, *a.region->buffer);
  }
  std::vector<Dimension> of_a = dimensions_of(*a.region), of_b = dimensions_of(*b.region);
  if (of_a.size() != of_b.size()) return out;
  std::string_view text = q.snapshot->source().text();
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const std::int64_t *x = ir::constant(of_a[i].extent), *y = ir::constant(of_b[i].extent);
    if (x && y && *x == *y) continue;
    if (!x && !y) continue;
    add_length(out, text, found, a, of_a[i], b, of_b[i]);
    add_length(out, text, found, b, of_b[i], a, of_a[i]);
  }
  return out;
}

}  // namespace tilewright::ide

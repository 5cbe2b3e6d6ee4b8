// rearrange, sub, tile and chunk: views of buffers from release 0.26 on (surface.md 4.3).
#include "compiler/script/tirx/buffer_views.h"

#include <algorithm>

#include "compiler/script/python/support.h"

namespace tilewright::script {
namespace {

using text::Dialect::V0_26;

std::vector<Value> items_of(Value v) {
  if (const Tuple* t = v.as<Tuple>()) return t->items;
  if (const List* l = v.as<List>()) return l->items;
  return {v};
}
bool is_sequence(Value v) { return v.as<Tuple>() || v.as<List>(); }

bool is_whole(const Slice& s) { return s.start.is_none() && s.stop.is_none() && s.step.is_none(); }

// What stands between the buffer and the subscript that picks of it: buf.sub, buf.tile(...), buf.chunk(...).
Value indexer(Interpreter& in, std::string_view kind, NativeFunction pick, Value buffer, Value spec) {
  Class* cls = python::shared_class(in, in.keep("tirx." + std::string(kind)), [&] {
    Class* made = python::make_class(in, kind, {python::class_named(in, "object")});
    python::add_method(in, made, "__getitem__", pick);
    return made;
  });
  Instance* instance = in.make<Instance>();
  instance->cls = cls;
  instance->set("buffer", buffer);
  instance->set("spec", spec);
  return Value::object(instance);
}

struct Picked {
  const ir::Buffer* buffer;
  Value spec;
  std::vector<Value> picks;
};
Picked picked(const Arguments& args) {
  Instance* self = args.positional[0].as<Instance>();
  return {self->find("buffer")->as<BufferValue>()->buffer, *self->find("spec"), items_of(args.positional[1])};
}

// ---- sub ------------------------------------------------------------------------------------------------------

// buf.sub[a::s]: every s-th element.
bool take_every(Interpreter& in, Window& window, std::size_t dim, const Slice& s, text::Span at) {
  const auto step = in.as_int(s.step, at, "the step");
  if (!step) return false;
  if (*step < 1) return window.refuse("a step is positive, this is " + std::to_string(*step));
  if (!s.stop.is_none()) return window.refuse("a slice with a step has no end", "write start::step");
  const auto extent = window.known(window.extent(dim));
  if (!extent || *extent % *step != 0) {
    return window.refuse("a step of " + std::to_string(*step) + " does not divide dimension " + std::to_string(dim) +
                         (extent ? " of extent " + std::to_string(*extent) : ", whose extent is not known"));
  }
  ir::Expr start = s.start.is_none() ? ir::int_imm(ir::kInt32, 0) : in.as_expr(s.start, at, "the start");
  if (!start) return false;
  if (const auto from = window.known(start); from && (*from < 0 || *from >= *step)) {
    return window.refuse("a slice with the step " + std::to_string(*step) + " starts at 0 to " +
                         std::to_string(*step - 1) + ", not at " + std::to_string(*from));
  }
  return window.split(dim, {ir::int_imm(ir::kInt32, *extent / *step), ir::int_imm(ir::kInt32, *step)}) &&
         window.drop(dim + 1, start);
}

bool take_range(Interpreter& in, Window& window, std::size_t dim, const Slice& s, text::Span at) {
  const ir::Expr start = s.start.is_none() ? ir::int_imm(ir::kInt32, 0) : in.as_expr(s.start, at, "the start");
  const ir::Expr stop = !start ? start : s.stop.is_none() ? window.extent(dim) : in.as_expr(s.stop, at, "the end");
  if (!stop) return false;
  return window.narrow(dim, start, index_math(ir::ExprKind::Sub, stop, start));
}

Value pick_sub(Interpreter& in, const Arguments& args, Value) {
  const Picked p = picked(args);
  Window window(in, *p.buffer, "sub", args.call);
  if (p.picks.size() > window.rank()) {
    window.refuse(std::to_string(p.picks.size()) + " indices for a buffer of " + std::to_string(window.rank()) +
                  " dimensions");
    return Value::error();
  }
  std::size_t dim = 0;
  for (Value pick : p.picks) {
    const Slice* s = pick.as<Slice>();
    bool done = true;
    if (!s) {
      const ir::Expr index = in.as_expr(pick, args.call, "an index");
      if (!index || !window.drop(dim, index)) return Value::error();
      continue;
    }
    const bool unit = s->step.is_none() || (s->step.is_int() && s->step.i == 1);
    if (!is_whole(*s))
      done = unit ? take_range(in, window, dim, *s, args.call) : take_every(in, window, dim, *s, args.call);
    if (!done) return Value::error();
    ++dim;
  }
  return window.declare();
}

Value sub(Interpreter& in, const Record&, Value of) { return indexer(in, "SubIndexer", pick_sub, of, Value::none()); }

// ---- tile -----------------------------------------------------------------------------------------------------

// One dimension and the factors that it is split into.
struct Tiled {
  std::size_t dim;
  std::vector<ir::Expr> factors;
};

std::optional<Tiled> tiled_of(Interpreter& in, const ir::Buffer& b, Value dim, Value factors, text::Span at) {
  auto fail = [&](std::string why) {
    in.fail(code::kBuffer, at, "tile: " + std::move(why), "write tile(dim, (outer, -1))", "ValueError");
    return std::nullopt;
  };
  auto n = in.as_int(dim, at, "the dimension");
  if (!n) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(b.rank());
  if (*n < -rank || *n >= rank)
    return fail("there is no dimension " + std::to_string(*n) + " of " + std::to_string(rank));
  if (!is_sequence(factors) || items_of(factors).empty()) return fail("the factors are a tuple, such as (4, -1)");
  Tiled out{static_cast<std::size_t>(*n < 0 ? *n + rank : *n), {}};
  for (Value f : items_of(factors)) {
    ir::Expr e = in.as_expr(f, at, "a factor");
    if (!e) return std::nullopt;
    out.factors.push_back(e);
  }
  return out;
}

// Splits the dimension, takes what was picked, and joins what was kept to one dimension again.
bool tile_one(Interpreter& in, Window& window, const Tiled& tiled, std::span<const Value> picks, text::Span at) {
  std::size_t kept = 0;
  for (Value pick : picks) {
    const Slice* s = pick.as<Slice>();
    if (s && !is_whole(*s)) return window.refuse("a factor is picked by an index or kept by ':', never cut");
    kept += s ? 1 : 0;
  }
  if (kept == picks.size()) {
    return window.refuse("no factor of dimension " + std::to_string(tiled.dim) + " is picked",
                         "pick one, or reshape with .view(...)");
  }
  if (!window.split(tiled.dim, tiled.factors)) return false;
  for (std::size_t i = picks.size(); i-- > 0;) {
    if (picks[i].as<Slice>()) continue;
    const ir::Expr index = in.as_expr(picks[i], at, "an index");
    if (!index || !window.drop(tiled.dim + i, index)) return false;
  }
  if (kept < 2) return true;
  std::vector<ir::Expr> shape;
  for (std::size_t d = 0; d < window.rank(); ++d) {
    const bool joins = d > tiled.dim && d < tiled.dim + kept;
    if (joins) {
      shape.back() = index_math(ir::ExprKind::Mul, shape.back(), window.extent(d));
    } else {
      shape.push_back(window.extent(d));
    }
  }
  return window.reshape(std::move(shape));
}

Value pick_tile(Interpreter& in, const Arguments& args, Value) {
  const Picked p = picked(args);
  Window window(in, *p.buffer, "tile", args.call);
  std::vector<std::pair<Tiled, std::span<const Value>>> parts;
  std::size_t used = 0;
  for (Value spec : items_of(p.spec)) {
    const std::vector<Value> pair = items_of(spec);
    auto one = tiled_of(in, *p.buffer, pair[0], pair[1], args.call);
    if (!one) return Value::error();
    const std::size_t count = std::min(one->factors.size(), p.picks.size() - std::min(used, p.picks.size()));
    parts.emplace_back(std::move(*one), std::span(p.picks).subspan(std::min(used, p.picks.size()), count));
    used += parts.back().first.factors.size();
  }
  if (used != p.picks.size()) {
    window.refuse(std::to_string(used) + " factors and " + std::to_string(p.picks.size()) + " picks",
                  "give one index or ':' a factor");
    return Value::error();
  }
  // From the last dimension on: those before keep their places.
  std::ranges::stable_sort(parts, std::greater<>(), [](const auto& part) { return part.first.dim; });
  for (const auto& [tiled, picks] : parts) {
    if (!tile_one(in, window, tiled, picks, args.call)) return Value::error();
  }
  return window.declare();
}

Value tile(Interpreter& in, const Arguments& args, Value self) {
  const ir::Buffer& b = *self.as<BufferValue>()->buffer;
  std::vector<Value> specs(args.positional.begin(), args.positional.end());
  if (!args.keywords.empty() || specs.empty()) {
    return in.fail(code::kArguments, args.call, "tile takes a dimension and its factors", "write tile(dim, (4, -1))");
  }
  if (!is_sequence(specs[0])) {
    if (specs.size() != 2) {
      return in.fail(code::kArguments, args.call, "tile(dim, factors) takes a dimension and a tuple of factors");
    }
    specs = {in.tuple({specs[0], specs[1]})};
  }
  std::vector<std::size_t> seen;
  for (Value spec : specs) {
    const std::vector<Value> pair = items_of(spec);
    if (!is_sequence(spec) || pair.size() != 2) {
      return in.fail(code::kArguments, args.call, "each part of tile is (dim, factors), not " + in.repr(spec));
    }
    auto one = tiled_of(in, b, pair[0], pair[1], args.call);
    if (!one) return Value::error();
    if (std::ranges::find(seen, one->dim) != seen.end()) {
      return in.fail(code::kBuffer, args.call, "tile: dimension " + std::to_string(one->dim) + " is tiled twice");
    }
    seen.push_back(one->dim);
  }
  return indexer(in, "TileIndexer", pick_tile, self, in.tuple(std::move(specs)));
}

// ---- chunk ----------------------------------------------------------------------------------------------------

Value pick_chunk(Interpreter& in, const Arguments& args, Value) {
  const Picked p = picked(args);
  const std::vector<Value> counts = items_of(p.spec);
  Window window(in, *p.buffer, "chunk", args.call);
  if (p.picks.size() > counts.size()) {
    window.refuse(std::to_string(p.picks.size()) + " picks for " + std::to_string(counts.size()) + " dimensions");
    return Value::error();
  }
  std::vector<Value> indices;
  for (std::size_t d = 0; d < p.picks.size(); ++d) {
    if (counts[d].is_none()) {
      indices.push_back(p.picks[d]);
      continue;
    }
    if (p.picks[d].as<Slice>()) {
      window.refuse("dimension " + std::to_string(d) + " is cut into chunks: it takes the index of one, no slice");
      return Value::error();
    }
    const ir::Expr pick = in.as_expr(p.picks[d], args.call, "the index of a chunk");
    if (!pick) return Value::error();
    const ir::Expr size =
        ir::simplify(ir::floordiv(window.extent(d), ir::int_imm(window.extent(d).dtype(), *in.as_big(counts[d]))));
    const ir::Expr start = index_math(ir::ExprKind::Mul, pick, size);
    Slice* s = in.make<Slice>();
    s->start = Value::expr(start);
    s->stop = Value::expr(index_math(ir::ExprKind::Add, start, size));
    indices.push_back(Value::object(s));
  }
  return index_buffer(in, p.buffer, indices, args.call);
}

Value chunk(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "chunk", {"spec"}, 1);
  if (!a) return Value::error();
  const ir::Buffer& b = *self.as<BufferValue>()->buffer;
  Window window(in, b, "chunk", args.call);
  auto fail = [&](std::string why) {
    window.refuse(std::move(why));
    return Value::error();
  };
  if (!is_sequence(a[0])) return fail("one entry a dimension is needed, such as (None, 4)");
  const std::vector<Value> counts = items_of(a[0]);
  if (counts.size() != b.rank()) {
    return fail(std::to_string(counts.size()) + (counts.size() == 1 ? " entry" : " entries") + " for a buffer of " +
                std::to_string(b.rank()) + " dimensions");
  }
  for (std::size_t d = 0; d < counts.size(); ++d) {
    if (counts[d].is_none()) continue;
    const auto count = in.as_big(counts[d]);
    if (!count || *count < 1) return fail("an entry is None or a positive number, not " + in.repr(counts[d]));
    const auto extent = window.known(window.extent(d));
    if (extent && *extent % *count != 0) {
      return fail("dimension " + std::to_string(d) + " of extent " + std::to_string(*extent) +
                  " is not cut into equal chunks by " + in.repr(counts[d]));
    }
  }
  return indexer(in, "ChunkIndexer", pick_chunk, self, in.tuple(counts));
}

// ---- rearrange ------------------------------------------------------------------------------------------------

using AxisGroups = std::vector<std::vector<std::string>>;

// "a (b c)" as [[a], [b, c]]; nothing: the brackets do not match.
std::optional<AxisGroups> axis_groups(std::string_view side) {
  AxisGroups out;
  bool inside = false;
  std::string word;
  auto end_word = [&] {
    if (word.empty()) return;
    if (inside) {
      out.back().push_back(std::move(word));
    } else {
      out.push_back({std::move(word)});
    }
    word.clear();
  };
  for (char c : side) {
    if (c != ' ' && c != '(' && c != ')') {
      word += c;
      continue;
    }
    end_word();
    if (c == ' ') continue;
    if (inside == (c == '(')) return std::nullopt;
    inside = c == '(';
    if (inside) out.emplace_back();
  }
  end_word();
  return inside ? std::nullopt : std::optional(std::move(out));
}

std::vector<std::string> flat(const AxisGroups& groups) {
  std::vector<std::string> out;
  for (const auto& group : groups) out.insert(out.end(), group.begin(), group.end());
  return out;
}

class Rearrangement {
 public:
  Rearrangement(Interpreter& in, const ir::Buffer& b, const Arguments& args)
      : in_(in), window_(in, b, "rearrange", args.call), args_(args) {}

  Value make(std::string_view pattern) {
    const std::size_t arrow = pattern.find("->");
    if (arrow == pattern.npos) return fail("the pattern has no '->'", "write \"a (b c) -> (a b) c\"");
    auto from = axis_groups(pattern.substr(0, arrow)), to = axis_groups(pattern.substr(arrow + 2));
    if (!from || !to) return fail("the brackets of \"" + std::string(pattern) + "\" do not match");
    if (from->size() != window_.rank()) {
      return fail("the left side has " + std::to_string(from->size()) + " groups, the buffer " +
                  std::to_string(window_.rank()) + " dimensions");
    }
    const std::vector<std::string> left = flat(*from), right = flat(*to);
    if (!sizes(*from) || !same_axes(left, right)) return Value::error();
    std::vector<ir::Expr> split, joined;
    for (const std::string& axis : left) split.push_back(ir::int_imm(ir::kInt32, size_of(axis)));
    std::vector<int> order;
    for (const std::string& axis : right) {
      order.push_back(static_cast<int>(std::ranges::find(left, axis) - left.begin()));
    }
    for (const auto& group : *to) {
      std::int64_t product = 1;
      for (const std::string& axis : group) product *= size_of(axis);
      joined.push_back(ir::int_imm(ir::kInt32, product));
    }
    const bool done = window_.reshape(std::move(split)) && window_.permute(order) && window_.reshape(std::move(joined));
    return done ? window_.declare() : Value::error();
  }

 private:
  Value fail(std::string why, std::string hint = {}) {
    window_.refuse(std::move(why), std::move(hint));
    return Value::error();
  }
  std::int64_t size_of(const std::string& axis) const {
    auto found = std::ranges::find(sizes_, axis, &std::pair<std::string, std::int64_t>::first);
    return found->second;
  }

  // Of each group the sizes that are given, and the one that is not.
  bool sizes(const AxisGroups& groups) {
    for (std::size_t d = 0; d < groups.size(); ++d) {
      const auto extent = window_.known(window_.extent(d));
      const std::string which = "dimension " + std::to_string(d);
      if (!extent) return window_.refuse(which + " has an extent that is known at run time only");
      std::int64_t product = 1;
      const std::string* open = nullptr;
      for (const std::string& axis : groups[d]) {
        auto given = std::ranges::find(args_.keywords, axis, &Keyword::name);
        if (given == args_.keywords.end()) {
          if (open)
            return window_.refuse("give the sizes of all axes of " + which + " but one: " + *open + "=..., " + axis +
                                  "=...");
          open = &axis;
          continue;
        }
        auto n = in_.as_int(given->value, given->span, "the size of an axis");
        if (!n) return false;
        if (*n < 1 || *n > *extent)
          return window_.refuse("axis " + axis + " has the size " + std::to_string(*n) + " in " + which +
                                " of extent " + std::to_string(*extent));
        product *= *n;
        sizes_.emplace_back(axis, *n);
        if (product > *extent) break;
      }
      if (product == 0 || (open ? *extent % product != 0 : *extent != product)) {
        return window_.refuse("the sizes of " + which + " multiply to " + std::to_string(product) + ", its extent is " +
                              std::to_string(*extent));
      }
      if (open) sizes_.emplace_back(*open, *extent / product);
    }
    return true;
  }

  bool same_axes(std::vector<std::string> left, std::vector<std::string> right) {
    std::ranges::sort(left);
    std::ranges::sort(right);
    const bool once = std::ranges::adjacent_find(left) == left.end();
    return (left == right && once) || window_.refuse("both sides have the same axes, each once");
  }

  Interpreter& in_;
  Window window_;
  const Arguments& args_;
  std::vector<std::pair<std::string, std::int64_t>> sizes_;
};

Value rearrange(Interpreter& in, const Arguments& args, Value self) {
  Value pattern = args.positional.empty() ? Value::none() : args.positional[0];
  for (const Keyword& k : args.keywords) {
    if (k.name == "pattern" && args.positional.empty()) pattern = k.value;
  }
  if (args.positional.size() > 1 || pattern.is_none()) {
    return in.fail(code::kArguments, args.call, "rearrange takes a pattern, and sizes by keyword",
                   "write rearrange(\"(a b) c -> a b c\", a=2)");
  }
  auto text = in.as_string(pattern, args.call, "the pattern");
  if (!text) return Value::error();
  return Rearrangement(in, *self.as<BufferValue>()->buffer, args).make(*text);
}

constexpr Record kBufferViewRecords[] = {
    since(V0_26,
          {"buffer", "rearrange", NameKind::Function, "pattern, **sizes",
           "The same memory with its dimensions split, reordered and joined: \"a (b c) -> (a b) c\".", rearrange}),
    since(V0_26, {"buffer", "sub", NameKind::Attribute, "",
                  "A view by indices and slices: buf.sub[2, 4:8, ::4]; an index drops its dimension.", nullptr, sub}),
    since(V0_26, {"buffer", "tile", NameKind::Function, "dim, factors",
                  "Splits a dimension into factors; [picks] takes of each an index or all (:).", tile}),
    since(V0_26, {"buffer", "chunk", NameKind::Function, "spec",
                  "Cuts dimensions into equal chunks; [picks] is the region of those with these indices.", chunk}),
};

}  // namespace

std::span<const Record> buffer_view_records() { return kBufferViewRecords; }

}  // namespace tilewright::script

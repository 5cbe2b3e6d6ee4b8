#include "compiler/layout/refine.h"

#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace {

// Equal boundaries of all sequences.
struct Boundary {
  Dim value;
  std::vector<std::size_t> counts;   // in each sequence
  std::size_t first = 0, count = 1;  // where they stand in the common list
};

using Sequence = std::vector<Dim>;

std::unexpected<Error> refuse_parts(std::string why) { return std::unexpected(Error{"refine: " + std::move(why)}); }

Result<Sequence> sequence_of(ShapeView extents) {
  Sequence out{1};
  for (Dim extent : extents) {
    Dim next = out.back() * extent;
    if (!provably_less_equal(out.back(), next) || !provably_divisible(next, out.back())) {
      return refuse_parts("an extent of " + to_string(extent) + " may not be positive");
    }
    out.push_back(next);
  }
  return out;
}

class Boundaries {
 public:
  explicit Boundaries(std::size_t sequences) : sequences_(sequences) {}

  Result<void> add(std::size_t sequence, Dim value) {
    auto at = std::ranges::find_if(all_, [&](const Boundary& b) { return provably_equal(value, b.value); });
    if (at == all_.end()) {
      at = std::ranges::find_if(all_, [&](const Boundary& b) { return provably_less_equal(value, b.value); });
      if (at == all_.end() && !all_.empty() && !provably_less_equal(all_.back().value, value)) {
        return refuse_parts("it is not known which comes first, " + to_string(value) + " or " +
                            to_string(all_.back().value));
      }
      at = all_.insert(at, {value, std::vector<std::size_t>(sequences_)});
    }
    ++at->counts[sequence];
    return {};
  }

  // The common list, once everything is in.
  Result<Sequence> common() {
    Sequence out;
    for (Boundary& b : all_) {
      b.first = out.size();
      b.count = *std::ranges::max_element(b.counts);
      if (!out.empty() && !provably_divisible(b.value, out.back())) {
        return refuse_parts("parts of " + to_string(out.back()) + " elements do not fill " + to_string(b.value));
      }
      out.insert(out.end(), b.count, b.value);
    }
    return out;
  }

  // Where each boundary of a sequence stands in the common list: the first at the beginning, the last at the end.
  std::vector<std::size_t> places(const Sequence& sequence) const {
    std::vector<std::size_t> seen(all_.size()), out;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      auto b = std::ranges::find_if(all_, [&](const Boundary& x) { return provably_equal(sequence[i], x.value); });
      const auto k = static_cast<std::size_t>(b - all_.begin());
      std::size_t place = b->first + seen[k]++;
      if (i == 0) place = b->first;
      if (i + 1 == sequence.size()) place = b->first + b->count - 1;
      out.push_back(place);
    }
    return out;
  }

 private:
  std::size_t sequences_;
  std::vector<Boundary> all_;
};

bool increasing(const std::vector<std::size_t>& places) {
  return std::ranges::adjacent_find(places, std::greater_equal<>()) == places.end();
}

}  // namespace

Result<RefinedLayout> refine(const TileLayout& l, std::span<const Shape> shapes) {
  std::vector<Sequence> sequences;
  for (const Shape& shape : shapes) {
    if (shape.empty()) return refuse_parts("a shape without dimensions");
    auto s = sequence_of(shape);
    if (!s) return std::unexpected(s.error());
    sequences.push_back(std::move(*s));
  }
  Shape own;
  for (const Iter& it : l.shard) own.push_back(it.extent);
  auto of_layout = sequence_of(own);
  if (!of_layout) return std::unexpected(of_layout.error());
  sequences.push_back(std::move(*of_layout));
  for (const Sequence& s : sequences) {
    if (!provably_equal(s.back(), sequences[0].back())) {
      return refuse_parts(to_string(s.back()) + " elements are not the same as " + to_string(sequences[0].back()));
    }
  }
  Boundaries boundaries(sequences.size());
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    for (Dim value : sequences[i]) {
      if (auto added = boundaries.add(i, value); !added) return std::unexpected(added.error());
    }
  }
  auto common = boundaries.common();
  if (!common) return std::unexpected(common.error());

  RefinedLayout out{.layout = {{}, l.replica, l.offset}, .separators = {}};
  const std::vector<std::size_t> places = boundaries.places(sequences.back());
  if (!increasing(places)) return refuse_parts("an iter of one element cannot be kept apart");
  for (std::size_t i = 0; i < l.shard.size(); ++i) {
    const std::size_t end = places[i + 1];
    for (std::size_t at = places[i]; at < end; ++at) {
      out.layout.shard.push_back({floordiv((*common)[at + 1], (*common)[at]),
                                  l.shard[i].stride * floordiv((*common)[end], (*common)[at + 1]), l.shard[i].axis});
    }
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    out.separators.push_back(boundaries.places(sequences[i]));
    if (!increasing(out.separators.back())) return refuse_parts("a dimension of one element cannot be kept apart");
  }
  return out;
}

}  // namespace tilewright::layout

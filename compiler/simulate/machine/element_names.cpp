#include "compiler/simulate/machine/element_names.h"

#include <algorithm>

#include "compiler/layout/layout.h"
#include "compiler/lower/flatten.h"

namespace tilewright::simulate {
namespace {

constexpr std::int64_t kMostElements = 1 << 18;  // of a buffer whose places are looked up

std::string listed(std::span<const std::int64_t> index, std::string_view last = {}) {
  std::string out;
  for (std::size_t d = 0; d < index.size(); ++d) {
    out += d ? ", " : "";
    out += d + 1 == index.size() && !last.empty() ? std::string(last) : std::to_string(index[d]);
  }
  return "[" + out + "]";
}

}  // namespace

ElementNames::ElementNames(const lower::LoweredKernel& kernel,
                           const std::function<std::optional<std::int64_t>(ir::Expr)>& evaluate) {
  for (const lower::KernelParam& p : kernel.plan.params)
    if (p.tensor) add(p.tensor, evaluate);
  ir::walk_stmts(kernel.kernel->body, [&](const ir::Stmt* s) {
    if (const auto* a = ir::as<ir::Alloc>(s)) add(a->buffer, evaluate);
    if (const auto* d = ir::as<ir::Decl>(s)) add(d->buffer, evaluate);
    return true;
  });
}

void ElementNames::add(const ir::Buffer* b, const std::function<std::optional<std::int64_t>(ir::Expr)>& evaluate) {
  if (!b->data || b->name.empty() || (!ir::is_shared(b->scope) && b->scope != ir::StorageScope::Global)) return;
  Named n;
  n.buffer = b;
  const std::int64_t bits = lower::element_bits(b->dtype);
  const std::optional<std::int64_t> first = b->elem_offset ? evaluate(b->elem_offset) : std::optional<std::int64_t>(0);
  if (bits % 8 != 0 || bits == 0 || !first || b->rank() == 0) return;
  n.width = bits / 8;
  n.first = *first * n.width;
  n.size = n.width;
  for (ir::Expr e : b->shape) {
    const std::optional<std::int64_t> extent = evaluate(e);
    if (!extent || *extent < 1 || __builtin_mul_overflow(n.size, *extent, &n.size)) return;
    n.shape.push_back(*extent);
  }
  n.row_major = b->strides.empty() && (!b->layout || layout::is_trivial(*b->layout));
  if (!n.row_major) {
    // A swizzle keeps the extents; gaps are within the storage.
    const std::optional<std::int64_t> storage = lower::storage_elements(*b);
    if (!storage || !b->strides.empty() || n.size / n.width > kMostElements || *storage > kMostElements ||
        layout::has_thread_axis(*b->layout))
      return;
    n.size = *storage * n.width;
  }
  named_[b->data].push_back(std::move(n));
}

const ElementNames::Named* ElementNames::find(const ir::Var* data, std::int64_t offset, std::int64_t bytes,
                                              std::string_view view) const {
  const auto found = named_.find(data);
  if (found == named_.end()) return nullptr;
  const Named* best = nullptr;
  bool best_is_named = false;
  for (const Named& n : found->second) {
    if (offset < n.first || offset + bytes > n.first + n.size) continue;
    const bool is_named = n.buffer->name == view;
    if (best && (best_is_named > is_named || (best_is_named == is_named && best->size <= n.size))) continue;
    best = &n;
    best_is_named = is_named;
  }
  return best;
}

std::optional<std::vector<std::int64_t>> ElementNames::index_at(const Named& n, std::int64_t place) {
  std::int64_t element = place;
  if (!n.row_major) {
    if (n.elements.empty()) {
      n.elements.assign(static_cast<std::size_t>(n.size / n.width), -1);
      std::int64_t count = 1;
      for (std::int64_t e : n.shape) count *= e;
      for (std::int64_t e = 0; e < count; ++e) {
        const auto at = layout::apply(*n.buffer->layout, e);
        if (!at || at->size() > 1) return std::nullopt;
        const std::int64_t to = at->empty() ? 0 : at->front().second;
        if (to >= 0 && to < static_cast<std::int64_t>(n.elements.size()))
          n.elements[static_cast<std::size_t>(to)] = static_cast<std::int32_t>(e);
      }
    }
    element = n.elements[static_cast<std::size_t>(place)];
    if (element < 0) return std::nullopt;
  }
  std::vector<std::int64_t> out(n.shape.size());
  for (std::size_t d = n.shape.size(); d-- > 0;) {
    out[d] = element % n.shape[d];
    element /= n.shape[d];
  }
  return out;
}

std::string ElementNames::name_of(const ir::Var* data, std::int64_t offset, std::int64_t bytes,
                                  std::string_view view) const {
  const Named* n = find(data, offset, bytes, view);
  if (!n || (offset - n->first) % n->width != 0 || bytes % n->width != 0 || bytes <= 0) return {};
  const std::int64_t place = (offset - n->first) / n->width, count = bytes / n->width;
  const auto first = index_at(*n, place), last = index_at(*n, place + count - 1);
  if (!first || !last) return {};
  const std::string name(ir::spoken_name(*n->buffer));
  if (count == 1) return name + listed(*first);
  const bool one_row =
      std::equal(first->begin(), first->end() - 1, last->begin()) && last->back() - first->back() == count - 1;
  if (one_row) return name + listed(*first, std::to_string(first->back()) + ":" + std::to_string(last->back() + 1));
  return name + listed(*first) + " to " + name + listed(*last);
}

std::string ElementNames::buffer_of(const ir::Var* data, std::int64_t offset, std::int64_t bytes,
                                    std::string_view view) const {
  const Named* n = find(data, offset, bytes, view);
  return n ? std::string(ir::spoken_name(*n->buffer)) : std::string();
}

ElementNames::Rows ElementNames::rows_of(const ir::Var* data, std::int64_t offset, std::int64_t bytes,
                                         std::string_view view) const {
  const Named* n = find(data, offset, bytes, view);
  if (!n || !n->row_major || n->shape.size() < 2) return {};
  const std::int64_t row = n->shape.back() * n->width;
  return {n->buffer, n->first, row, n->size / row, n->width};
}

std::string ElementNames::outside(const ir::Var* data, std::int64_t offset, std::int64_t bytes,
                                  std::string_view view) const {
  const auto found = named_.find(data);
  if (found == named_.end()) return {};
  const auto n = std::ranges::find_if(found->second, [&](const Named& b) { return b.buffer->name == view; });
  if (n == found->second.end() || !n->row_major || (offset - n->first) % n->width != 0) return {};
  std::int64_t rest = (offset - n->first) / n->width;
  const std::int64_t count = bytes / n->width;
  std::vector<std::int64_t> index(n->shape.size());
  for (std::size_t d = n->shape.size(); d-- > 1;) {  // what leaves a row is in another one
    index[d] = (rest % n->shape[d] + n->shape[d]) % n->shape[d];
    rest = (rest - index[d]) / n->shape[d];
  }
  index[0] = rest;
  const bool one = n->shape.size() == 1;
  std::string end;
  if (count > 1 && (one || index.back() + count <= n->shape.back()))
    end = std::to_string(index.back()) + ":" + std::to_string(index.back() + count);
  // Where the first element is inside, the last one is not.
  const bool begins_outside = index[0] < 0 || (!one && index[0] >= n->shape[0]);
  std::int64_t row = 1;
  for (std::size_t d = 1; d < n->shape.size(); ++d) row *= n->shape[d];
  const std::int64_t far = begins_outside ? index[0] : ((offset - n->first) / n->width + count - 1) / row;
  return std::string(ir::spoken_name(*n->buffer)) + listed(index, end) + ": index " + std::to_string(far) +
         (one ? std::string() : " of dimension 0") + " is outside of 0 to " + std::to_string(n->shape[0] - 1);
}

}  // namespace tilewright::simulate

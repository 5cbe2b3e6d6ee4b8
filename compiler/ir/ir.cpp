// Names of storage and execution scopes, and what is asked of buffers: whole regions, shapes, loads.
#include <optional>

#include "compiler/expr/analyzer.h"
#include "compiler/ir/kernel.h"
#include "compiler/text/words.h"

namespace tilewright::ir {

static constexpr auto kStorageScopes =
    text::words_of<StorageScope>({"global", "shared", "shared.dyn", "local", "warp", "tmem", "wmma.matrix_a",
                                  "wmma.matrix_b", "wmma.accumulator", "other"});

std::string_view storage_scope_name(StorageScope scope) { return kStorageScopes[scope]; }

StorageScope parse_storage_scope(std::string_view name) {
  return name.empty() ? StorageScope::Global : kStorageScopes.find(name).value_or(StorageScope::Other);
}

std::string_view exec_scope_name(ExecScope scope) {
  switch (scope) {
    case ExecScope::Cluster: return "cluster";
    case ExecScope::Cta: return "cta";
    case ExecScope::Warpgroup: return "warpgroup";
    case ExecScope::Warp: return "warp";
    case ExecScope::Thread: return "thread";
  }
  return "";
}

std::optional<std::int64_t> constant_elements(std::span<const Expr> shape) {
  std::int64_t product = 1;
  for (Expr extent : shape) {
    const std::int64_t* v = constant(extent);
    if (!v || __builtin_mul_overflow(product, *v, &product)) return std::nullopt;
  }
  return product;
}

bool is_one_element(const Buffer& buffer) { return buffer.shape.size() == 1 && is_constant(buffer.shape[0], 1); }

Region full_region(const Buffer* buffer) {
  std::vector<Range> ranges;
  ranges.reserve(buffer->shape.size());
  for (Expr extent : buffer->shape) ranges.push_back({int_imm(extent.dtype(), 0), extent});
  return {buffer, Arena::current().copy(ranges)};
}

layout::Shape shape_of(const Buffer& buffer) {
  layout::Shape shape;
  shape.reserve(buffer.shape.size());
  for (Expr extent : buffer.shape) shape.emplace_back(extent);
  return shape;
}

Expr load(const Buffer* buffer, std::span<const Expr> indices) {
  int lanes = indices.empty() ? 1 : indices.back().dtype().lanes;
  DataType dtype = buffer->dtype.with_lanes(buffer->dtype.lanes * lanes);
  return Arena::current().make<Load>(ExprNode{ExprKind::Load, dtype}, buffer, buffer, Arena::current().copy(indices));
}

std::string to_string(const Region& region) {
  std::string_view name = spoken_name(*region.buffer);
  std::string text(name.empty() ? "buffer" : name);
  for (std::size_t i = 0; i < region.ranges.size(); ++i) {
    const Range& r = region.ranges[i];
    text += i ? ", " : "[";
    const std::int64_t *first = constant(r.min), *count = constant(r.extent);
    if (first && count) {
      text += std::to_string(*first) + ":" + std::to_string(*first + *count);
      continue;
    }
    text += to_string(r.min);
    if (count && *count == 1) continue;  // one row, named by its index
    ScratchArena scratch;
    ArenaScope scope(scratch);
    text += ":" + to_string(simplify(r.min + r.extent));
  }
  return text + (region.ranges.empty() ? "[]" : "]");
}

const Stmt* make_seq(Origin origin, std::span<const Stmt* const> statements) {
  if (statements.size() == 1) return statements[0];
  return make_stmt<Seq>(origin, Arena::current().copy(statements));
}

const Var* BodyBuilder::let(std::string_view name, Expr value) {
  Var* var = make_var(name, value.dtype());
  if (const Var* from = value.as<Var>(); from && value.dtype().is_handle()) var->storage_scope = from->storage_scope;
  add<Bind>(var, value);
  return var;
}

}  // namespace tilewright::ir

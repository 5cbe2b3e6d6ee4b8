// The table of variants beside the table of primitives, and what the variants of a family share about a call.
#include <algorithm>
#include <set>

#include "compiler/dispatch/variant.h"
#include "compiler/ir/primitive.h"
#include "tests/unit/catch.h"
#include "tests/unit/kernel_builder.h"

using namespace tilewright;
using namespace tilewright::testing;
constexpr text::Dialect kRelease = text::kDefaultDialect;

using ir::ExecScope;
using ir::StorageScope;

TEST_CASE("dispatch: variants serve primitives and read keywords that have a row") {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const dispatch::Variant& variant : dispatch::all_variants(kRelease)) {
    INFO(variant.primitive << " " << variant.name);
    CHECK(seen.insert({variant.primitive, variant.name}).second);
    const ir::Primitive* row = ir::find_primitive(variant.primitive);
    REQUIRE(row);
    for (std::string_view keyword : variant.keywords) {
      INFO(keyword);
      CHECK(row->find_keyword(keyword));
      auto readers = dispatch::readers_of(variant.primitive, keyword, kRelease);
      CHECK(std::ranges::find(readers, variant.name) != readers.end());
    }
  }
  // The other way round: where a primitive is served at all, each keyword of its row has a reader in some release.
  for (const ir::Primitive& row : ir::primitives()) {
    if (dispatch::variants_of(row.name, kRelease).empty()) continue;
    for (const ir::PrimitiveKeyword& keyword : row.keywords) {
      INFO(row.name << " " << keyword.name);
      CHECK(std::ranges::any_of(text::kDialects, [&](const auto& release) {
        return !dispatch::readers_of(row.name, keyword.name, release.dialect).empty();
      }));
    }
  }
  CHECK(dispatch::readers_of("copy_async", "mbar", kRelease) == std::vector<std::string_view>{"dsmem", "tma"});
  CHECK(dispatch::readers_of("copy_async", "mbar", text::Dialect::V0_26) ==
        std::vector<std::string_view>{"dsmem", "tma_auto", "tma_explicit"});
  CHECK(dispatch::readers_of("copy_async", "gather4", kRelease).empty());
  CHECK(dispatch::readers_of("copy", "mbar", kRelease).empty());
}

TEST_CASE("dispatch: what 0.26 adds and takes away is a column") {
  auto names = [](std::string_view primitive, text::Dialect release) {
    std::string out;
    for (const dispatch::Variant& v : dispatch::variants_of(primitive, release)) {
      out += (out.empty() ? "" : " ") + std::string(v.name);
    }
    return out;
  };
  using enum text::Dialect;
  CHECK(names("copy", V0_25) == "gmem_smem ldstmatrix reg fallback");
  for (text::Dialect newer : {V0_26, V0_27}) {
    CHECK(names("copy", newer) == "vec_128b vec_16b vec_256b vec_32b vec_64b ldstmatrix vec_auto fallback");
    CHECK(names("maximum", newer) == "reg smem");
    CHECK(names("log2", newer) == "reg smem");
    // As trials name them.
    CHECK(dispatch::variants_of("maximum", newer)[0].predicates[0].name == "maximum_reg");
    CHECK(dispatch::variants_of("log2", newer)[1].predicates[0].name == "log2_smem");
    CHECK(dispatch::variants_of("copy", newer)[1].predicates[0].name == "vec_16b_applicable");
    CHECK(dispatch::readers_of("copy", "cache", newer).size() == 6);
    CHECK(dispatch::readers_of("gemm_async", "mma_m", newer).size() == 1);
  }
  CHECK(names("maximum", V0_25).empty());
  CHECK(dispatch::variants_of("add", V0_25)[0].predicates[0].name == "elementwise_reg");
  CHECK(dispatch::readers_of("copy", "cache", V0_25).empty());
  CHECK(dispatch::readers_of("copy_async", "direct", V0_25).empty());
  CHECK(dispatch::readers_of("gemm_async", "mma_m", V0_25).empty());
}

namespace {

struct First {
  int number;
};
struct Second {
  explicit Second(int& alive) : alive(alive) { ++alive; }
  Second(const Second&) = delete;
  Second& operator=(const Second&) = delete;
  ~Second() { --alive; }
  int& alive;
};

}  // namespace

TEST_CASE("dispatch: families keep what they work out apart, once a call") {
  KernelBuilder k;
  layout::Layout flat = layout::row_major(layout::Shape{32});
  ir::Buffer* a = k.buffer("A", {Expr(32)}, ir::kFloat16, StorageScope::Shared, flat);
  ir::Buffer* b = k.buffer("B", {Expr(32)}, ir::kFloat16, StorageScope::Shared, flat);
  const ir::TileCall* call = k.call("copy", ExecScope::Warp, ir::full_region(a), ir::full_region(b));
  scope::Closure closure;
  ir::Kernel script;
  script.target = {9, 0, 'a'};
  dispatch::KernelContext kernel(closure, script);
  scope::CallScope call_scope;
  int alive = 0, made = 0;
  {
    dispatch::CallContext context(kernel, *call, call_scope);
    auto first = [&] {
      ++made;
      return First{7};
    };
    First& kept = context.once<First>(first);
    CHECK(kept.number == 7);
    kept.number = 8;
    context.once<Second>([&] { return Second(alive); });
    CHECK(alive == 1);
    CHECK(&context.once<First>(first) == &kept);
    CHECK(context.once<First>(first).number == 8);
    CHECK(made == 1);
    // Another call starts afresh.
    dispatch::CallContext other(kernel, *call, call_scope);
    CHECK(other.once<First>(first).number == 7);
    CHECK(made == 2);
  }
  CHECK(alive == 0);
}

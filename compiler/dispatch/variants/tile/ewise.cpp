// T.cuda.tile.ewise: a function of scalars at each register of a view (dialects.md 8).
#include <algorithm>

#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/tile_views.h"
#include "compiler/dispatch/words.h"

namespace tilewright::dispatch::variants::tile_ewise {
namespace {

using ir::Expr;
using tile::Group;
using tile::Index;
using tile::View;

std::expected<View, Reason> register_view(CallContext& context, std::size_t i, std::string_view name,
                                          const Group& group, std::optional<Index>& repeats) {
  auto v = View::of(name, context.call.args[i], group, {}, repeats);
  if (!v) return v;
  if (Reason r = v->not_in({ir::StorageScope::Local}); !r.empty()) return std::unexpected(std::move(r));
  return v;
}

std::expected<Expr, Reason> element(CallContext& context, const View& v, const Group& group, const Index& repeat) {
  auto m = v.register_of(group, repeat, 1, [](int) { return Index{}; });
  if (!m) return m;
  const Expr index[] = {*m};
  return ir::load(context.kernel.flat_view(&v.buffer()), index);
}

}  // namespace

std::span<const Predicate> predicates() { return {}; }

Planned plan(CallContext& context) {
  auto group = tile::group_of(context, false);
  if (!group) return decline(std::move(group.error()));
  const Expr function = option(context.call, "function");
  std::vector<const ir::Var*> parameters;
  for (const ir::ConfigItem& item : context.call.config) {
    if (item.key == "parameters") parameters.push_back(item.value.value.as<ir::Var>());
  }
  std::optional<Index> repeats;
  auto dst = register_view(context, 0, "dst", *group, repeats);
  if (!dst) return decline(std::move(dst.error()));
  std::vector<std::optional<View>> views;
  for (std::size_t i = 1; i < context.call.args.size(); ++i) {
    views.emplace_back();
    if (!context.call.args[i].region.buffer) continue;
    auto v = register_view(context, i, "an input", *group, repeats);
    if (!v) return decline(std::move(v.error()));
    views.back() = std::move(*v);
  }
  Plan plan;
  ir::BodyBuilder out(context.call.origin);
  std::vector<Expr> written;
  for (const Index& repeat : tile::indices_below(*repeats)) {
    std::vector<Expr> values;
    for (std::size_t i = 0; i < views.size(); ++i) {
      auto value = views[i] ? element(context, *views[i], *group, repeat)
                            : std::expected<Expr, Reason>(context.call.args[i + 1].value);
      if (!value) return decline(std::move(value.error()));
      values.push_back(*value);
    }
    const Expr result = ir::substitute(function, [&](const ir::Var* var) {
      const auto found = std::ranges::find(parameters, var);
      return found == parameters.end() ? Expr() : values[static_cast<std::size_t>(found - parameters.begin())];
    });
    auto m = dst->register_of(*group, repeat, 1, [](int) { return Index{}; });
    if (!m) return decline(std::move(m.error()));
    written.push_back(*m);
    const Expr index[] = {*m};
    out.add<ir::Store>(context.kernel.flat_view(&dst->buffer()), Arena::current().copy(std::span<const Expr>(index)),
                       result);
    if (plan.constants.size() < 8) {
      std::string which;
      for (std::int64_t i : repeat) which += cat(which.empty() ? "" : ", ", i);
      plan.constants.push_back(cat("repetition ", which, ": register ", ir::to_string(*m), " of ", dst->spoken(), " = ",
                                   ir::to_string(result)));
    }
  }
  if (Reason r = dst->overlaps(written); !r.empty()) return decline(std::move(r));
  plan.body = out.finish();
  plan.fact("repetitions", static_cast<std::int64_t>(written.size()));
  plan.facts.push_back({"repeat", *repeats});
  plan.summary = cat("ewise, ", written.size(), " elements a thread");
  return plan;
}

}  // namespace tilewright::dispatch::variants::tile_ewise

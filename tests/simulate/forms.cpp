// Instructions of 0.27 that the simulator does not execute, as a list that can only get shorter: a run that comes to
// one of them is incomplete and says so.
#include "compiler/intrinsics/forms.h"

#include <algorithm>
#include <random>
#include <set>

#include "compiler/ptx/operands.h"
#include "compiler/ptx/row_text.h"
#include "compiler/simulate/calls/unmodelled.h"
#include "compiler/simulate/machine/program.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using ptx::Argument;

namespace {

// What the simulator executes of a row's forms.
enum class Executes : std::uint8_t { Nothing, Some, All };

// Operands that the row takes in this form, and an expression for each.
class Operands {
 public:
  explicit Operands(const ptx::Candidate& candidate) : row_(*candidate.row), filled_(candidate.filled) {
    for (const ptx::Operand& operand : row_.operands) {
      if (operand.kind == ptx::OperandKind::Literal) continue;
      for (int lane = 0; lane < ptx::count_of(row_, operand, filled_); ++lane) add(operand);
    }
  }

  ptx::Call call;
  std::vector<ir::Expr> values;

 private:
  void add(const ptx::Operand& operand) {
    Argument argument;
    ir::Expr value;
    if (operand.kind == ptx::OperandKind::Immediate) {
      argument.kind = Argument::Kind::Integer;
      argument.value = operand.values.empty() ? 0 : std::stoll(std::string(operand.values[0]), nullptr, 0);
      value = ir::int_imm(ir::kInt32, *argument.value);
    } else if (operand.kind == ptx::OperandKind::Pointer || operand.kind == ptx::OperandKind::Address) {
      const std::string_view space = ptx::space_of(row_, operand, filled_);
      const bool column = operand.kind == ptx::OperandKind::Address && space == "tmem";
      argument.kind = column ? Argument::Kind::Value : Argument::Kind::Pointer;
      argument.dtype = column ? ir::kUInt32 : ir::kHandle;
      argument.shared = space.starts_with("shared");
      value = ir::make_var("address", argument.dtype);
    } else {
      argument.dtype = ptx::carriers_of(row_, operand, filled_)[0];
      const bool predicate = ptx::type_of(row_, operand, filled_) == "pred";
      argument.kind = Argument::Kind::Element;
      argument.predicate = predicate && operand.access == ptx::Access::Read;
      value = element(argument.dtype);
    }
    call.operands.push_back(argument);
    values.push_back(value);
  }

  static ir::Expr element(ir::DataType dtype) {
    auto* buffer = Arena::current().make<ir::Buffer>();
    buffer->name = "register";
    buffer->data = ir::make_var("register", ir::kHandle);
    buffer->dtype = dtype;
    const ir::Expr one[] = {ir::Expr(1)}, zero[] = {ir::Expr(0)};
    buffer->shape = Arena::current().copy(std::span<const ir::Expr>(one));
    buffer->scope = ir::StorageScope::Local;
    return ir::load(buffer, zero);
  }

  const ptx::Row& row_;
  const ptx::Filled& filled_;
};

bool executes(const ptx::Candidate& candidate) {
  const Operands operands(candidate);
  ptx::Resolved resolved;
  const auto fault = ptx::refusal_of(candidate, operands.call, resolved);
  INFO(candidate.row->id << " " << fault.value_or(""));
  REQUIRE_FALSE(fault);
  lower::LoweredKernel kernel;
  kernel.kernel = std::make_shared<ir::Kernel>();
  kernel.device =
      ir::make_stmt<ir::Evaluate>(ir::Origin{}, intrinsics::form_call(resolved, operands.values, ir::Expr()));
  const simulate::Program program = simulate::compile(kernel);
  return std::ranges::none_of(program.code,
                              [](const simulate::Instruction& i) { return i.op == simulate::Op::Unmodelled; });
}

Executes executed(const ptx::Row& row, std::mt19937& random) {
  int good = 0, all = 0;
  for (int tries = 0; all < 24 && tries < 4000; ++tries) {
    ptx::Candidate candidate{&row, {}};
    for (const ptx::Slot& slot : row.slots)
      candidate.filled.push_back(static_cast<std::int16_t>(
          static_cast<int>(random() % (slot.choices.size() + slot.optional)) - slot.optional));
    if (ptx::fault_of(candidate)) continue;
    ++all;
    good += executes(candidate);
  }
  return good == 0 ? Executes::Nothing : good < all ? Executes::Some : Executes::All;
}

// Rows of which nothing is executed, and rows of which some words are not. A row that the simulator learns
// comes off its list.
constexpr std::string_view kNothing =
    "cp_async_bulk_tensor_g2s_cluster_im2col cp_async_bulk_tensor_g2s_cluster_override_address_im2col "
    "cp_async_bulk_tensor_g2s_cta_im2col cp_async_bulk_tensor_g2s_cta_override_address_im2col "
    "cp_async_bulk_tensor_s2g_im2col_no_offs_w cp_async_bulk_tensor_s2g_override_address_im2col_no_offs_w "
    "cp_reduce_async_bulk_tensor_im2col_no_offs_w cp_reduce_async_bulk_tensor_override_address_im2col_no_offs_w "
    "tcgen05_mma_ashift_collector_b_ts tcgen05_mma_sp_ashift_collector_b_ts";
constexpr std::string_view kSome =
    "cp_async_bulk_g2s_cluster_report cp_async_bulk_g2s_cta_report "
    "cp_async_bulk_tensor_g2s_cluster_override_address cp_async_bulk_tensor_g2s_cluster_override_global_dim_b16 "
    "cp_async_bulk_tensor_g2s_cluster_override_global_dim_b8 "
    "cp_async_bulk_tensor_g2s_cluster_override_global_dim_stride_b16 "
    "cp_async_bulk_tensor_g2s_cluster_override_global_dim_stride_b8 cp_async_bulk_tensor_g2s_cluster_report "
    "cp_async_bulk_tensor_g2s_cta_override_address cp_async_bulk_tensor_g2s_cta_override_global_dim_b16 "
    "cp_async_bulk_tensor_g2s_cta_override_global_dim_b8 cp_async_bulk_tensor_g2s_cta_override_global_dim_stride_b16 "
    "cp_async_bulk_tensor_g2s_cta_override_global_dim_stride_b8 cp_async_bulk_tensor_g2s_cta_report "
    "tcgen05_mma_collector_ab_ts "
    "tcgen05_mma_sp_collector_ab_ts";

std::set<std::string> names_in(std::string_view list) {
  std::set<std::string> out;
  for (std::string_view name : ptx::split(list, ' ')) out.emplace(name);
  return out;
}

std::string difference(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::string out;
  for (const std::string& name : a)
    if (!b.contains(name)) out += " " + name;
  return out;
}

}  // namespace

TEST_CASE("instructions of 0.27 that are not executed are those of the list") {
  std::mt19937 random(27);
  std::set<std::string> nothing, some;
  for (const ptx::Row& row : ptx::rows()) {
    Arena arena;
    ArenaScope scope(arena);
    if (!row.spellable) continue;
    const Executes what = executed(row, random);
    if (what == Executes::Nothing) nothing.emplace(row.id);
    if (what == Executes::Some) some.emplace(row.id);
  }
  // Those that are new here are executed no more, the others now are.
  CHECK(difference(nothing, names_in(kNothing)) == "");
  CHECK(difference(names_in(kNothing), nothing) == "");
  CHECK(difference(some, names_in(kSome)) == "");
  CHECK(difference(names_in(kSome), some) == "");
  // An answer says why.
  for (const std::string& name : nothing) {
    INFO(name);
    CHECK_FALSE(simulate::why_unmodelled(name).empty());
  }
}

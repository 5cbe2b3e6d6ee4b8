// The instructions of 0.27 as rows that calls are made from.
#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/call_effects.h"
#include "compiler/intrinsics/form_parts.h"
#include "compiler/intrinsics/forms.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using namespace tilewright::intrinsics;

namespace {

using Kind = ptx::Argument::Kind;

ptx::Argument of(Kind kind, ir::DataType dtype = ir::kVoid) {
  ptx::Argument out;
  out.kind = kind;
  out.dtype = dtype;
  return out;
}

// The call of an instruction whose operands are pointers, numbers and sinks.
ir::Expr called(std::string_view text, std::vector<std::pair<ptx::Argument, ir::Expr>> operands) {
  ptx::Call call;
  std::vector<ir::Expr> values;
  for (auto& [argument, value] : operands) {
    call.operands.push_back(argument);
    values.push_back(value);
  }
  auto resolved = ptx::resolve(ptx::Chain::parse(text).value(), call);
  INFO((resolved ? "" : resolved.error()));
  REQUIRE(resolved);
  return form_call(*resolved, values, {});
}

ir::Expr pointer(std::string_view name) { return ir::make_var(name, ir::kHandle); }

}  // namespace

TEST_CASE("forms: each row of the instruction table has one, and its operands are all held") {
  std::size_t alone = 0;
  for (const Form* form : all_forms()) {
    INFO(form->row->id << " as " << form->id);
    CHECK(intrinsics::of(static_cast<const ir::Callee*>(form)) == form);
    CHECK(form_of(*form) == form);
    for (int holder : form->holders) CHECK(holder >= 0);
    alone += form->same == nullptr;
    CHECK(form->operands.size() < 127);  // effects count them in a byte
  }
  CHECK(alone == ptx::rows().size());
}

TEST_CASE("forms: what a map names is there") {
  for (const Form* form : all_forms()) {
    if (!form->same) continue;
    for (std::string_view rest = form_map(form->same->id); !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const std::string_view entry = rest.substr(0, end), name = entry.substr(0, entry.find('='));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      INFO(form->same->id << ": " << name);
      if (!name.empty()) CHECK(std::ranges::count(form->same->operands, name, &Operand::name) == 1);
    }
  }
}

TEST_CASE("forms: a call has the meaning of its row, and gives back what was written") {
  Arena arena;
  ArenaScope scope(arena);
  const ir::Expr bar = pointer("bar"), count = ir::int_imm(ir::kUInt32, 16);
  const ir::Expr e =
      called("mbarrier.arrive.expect_tx.shared.b64", {{of(Kind::Pointer), bar}, {of(Kind::Value, ir::kUInt32), count}});
  const auto* call = e.as<ir::Call>();
  const Form* form = form_of(*intrinsics::of(call->callee));
  REQUIRE(form);
  CHECK(form->id == "P6");
  CHECK(form->meaning == Meaning::MbarrierArriveExpectTx);
  CHECK(ir::same_node(Arguments(*form, call->args)["byte_count"], count));
  const auto effects = effects_of(*form, call->args);
  REQUIRE(effects.size() == 2);
  CHECK(effects[0].verb == Verb::Expects);
  const WrittenForm written = written_form(*form, call->args);
  REQUIRE(written.arguments.size() == 2);
  CHECK(ir::same_node(written.arguments[0], bar));
  const auto printed = printed_form(*form, call->args);
  CHECK(attribute_text(printed[2]) == "arrive");
  CHECK(attribute_text(printed.back()).empty());
}

TEST_CASE("forms: an operand that the instruction lacks keeps its default") {
  Arena arena;
  ArenaScope scope(arena);
  const ir::Expr e = called("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64",
                            {{of(Kind::Pointer), pointer("bar")}});
  const auto* call = e.as<ir::Call>();
  const Form* form = form_of(*intrinsics::of(call->callee));
  REQUIRE(form);
  CHECK(form->id == "P85");
  CHECK(ir::is_constant(Arguments(*form, call->args)["cta_mask"], 0));
  CHECK(Arguments(*form, call->args).integer("cta_group") == 1);
}

TEST_CASE("forms: targets are those of the words") {
  CHECK(has_instruction("sm_90", *ir::parse_target("sm_100a")));
  CHECK_FALSE(has_instruction("sm_100a", *ir::parse_target("sm_90a")));
  CHECK(has_instruction("sm_100a", *ir::parse_target("sm_103a")));
  CHECK_FALSE(has_instruction("sm_100a", *ir::parse_target("sm_120a")));
  CHECK_FALSE(has_instruction("sm_90a", *ir::parse_target("sm_100a")));
}

TEST_CASE("forms: products of integers in tensor memory are of sm_100 alone") {
  Arena arena;
  ArenaScope scope(arena);
  auto value = [](ir::DataType dtype) { return std::pair(of(Kind::Value, dtype), ir::Expr(ir::make_var("v", dtype))); };
  auto product = [&](std::string_view kind) {
    const auto word = value(ir::kUInt32);
    const auto descriptor = value(ir::kUInt64);
    return called("tcgen05.mma.cta_group::1." + std::string(kind),
                  {word, descriptor, descriptor, word, word, word, word, word, value(ir::kBool)});
  };
  auto refusal = [&](ir::Expr e, std::string_view target) {
    const auto* call = e.as<ir::Call>();
    return verify_form(*form_of(*intrinsics::of(call->callee)), call->args, *ir::parse_target(target));
  };
  CHECK_FALSE(refusal(product("kind::i8"), "sm_100a"));
  CHECK(refusal(product("kind::i8"), "sm_103a").value_or("").starts_with("kind::i8 needs sm_100a, this is sm_103a"));
  CHECK_FALSE(refusal(product("kind::f16"), "sm_103a"));
}

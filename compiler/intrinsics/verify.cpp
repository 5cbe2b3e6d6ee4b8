// What the table can say about a call before any assembler sees it.
#include <algorithm>

#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/call_effects.h"
#include "compiler/intrinsics/emit.h"
#include "compiler/intrinsics/forms.h"
#include "compiler/intrinsics/helper_text.h"
#include "compiler/intrinsics/operand_forms.h"
#include "compiler/text/symbol.h"

namespace tilewright::intrinsics {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// "'acquire', 'relaxed' or ''"; numbers and True stay bare.
std::string list_choices(std::string_view choices) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= choices.size();) {
    std::size_t end = std::min(choices.find('|', from), choices.size());
    std::string_view word = choices.substr(from, end - from);
    bool bare =
        word == "True" || word == "False" || (!word.empty() && word.find_first_not_of("-0123456789") == word.npos);
    words.push_back(bare ? std::string(word) : quoted(word));
    from = end + 1;
  }
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

bool is_address(ir::Expr value) { return value.dtype().is_integral() && value.dtype().bits == 32; }

bool is_choice(std::string_view choices, ir::Expr value) {
  std::string text = attribute_text(value);
  const std::int64_t* number = ir::constant(value);
  for (std::size_t from = 0; from <= choices.size();) {
    std::size_t end = std::min(choices.find('|', from), choices.size());
    std::string_view word = choices.substr(from, end - from);
    if (word == text) return true;
    // Python takes True for 1 and the other way round.
    if (number && (word == (*number == 0 ? "False" : *number == 1 ? "True" : "?"))) return true;
    if (number && word == std::to_string(*number)) return true;
    from = end + 1;
  }
  return false;
}

// Attributes that hold whole texts: they are printed as literals, or are source of the author's own.
bool is_free_text(const Operand& o) { return o.name == "fmt" || o.name == "source_code" || o.name == "name"; }

std::optional<std::string> check_attribute(const Operand& o, ir::Expr value) {
  if (!is_attribute(value)) {
    return quoted(o.name) + " is part of the instruction and must be known at compile time";
  }
  if (o.default_text == "None" && is_absent(value)) return std::nullopt;
  const auto* text = value.as<ir::StringImm>();
  if (text && o.choices.empty() && !is_free_text(o)) {
    const auto why = o.name == "func_name" ? text::why_no_function(text->value) : text::why_no_word(text->value);
    if (why) return quoted(o.name) + " is a word of the instruction: " + *why;
  }
  if (!o.choices.empty() && !is_choice(o.choices, value)) {
    return quoted(o.name) + " is " + list_choices(o.choices) + ", not " + ir::to_string(value);
  }
  return std::nullopt;
}

// The memory that a pointer to an allocation leads to. Other: it is not known, as where a view says otherwise than the
// pointer below it, or of global memory, which a pointer without a scope seems to lead to as well.
ir::StorageScope memory_of(ir::Expr pointer) {
  while (const auto* call = pointer.as<ir::Call>()) {
    const ir::Callee* c = call->callee;
    if (c != &ir::builtin::address_of && c != &ir::builtin::pointer_offset && c != &ir::builtin::handle_byte_offset)
      return ir::StorageScope::Other;
    if (call->args.empty()) return ir::StorageScope::Other;
    pointer = call->args[0];
  }
  const auto* load = pointer.as<ir::Load>();
  if (!load || !load->buffer->data || load->buffer->scope == ir::StorageScope::Global) return ir::StorageScope::Other;
  const bool alike = ir::storage_scope_name(load->buffer->scope) == load->buffer->data->storage_scope;
  return alike ? load->buffer->scope : ir::StorageScope::Other;
}

// An address that the instruction takes for another memory's.
std::optional<std::string> check_memory(const Intrinsic& row, std::span<const ir::Expr> args, const Operand& o,
                                        OperandKind kind, ir::Expr value) {
  if (kind != OperandKind::SharedPointer && kind != OperandKind::GlobalPointer) return std::nullopt;
  const ir::StorageScope memory = memory_of(value);
  const bool local = memory == ir::StorageScope::Local;
  const bool shared = memory == ir::StorageScope::Shared || memory == ir::StorageScope::SharedDyn;
  if (!local && !(shared && kind == OperandKind::GlobalPointer)) return std::nullopt;
  // Of a global pointer the effects say whether other memories are meant, too.
  if (kind == OperandKind::GlobalPointer && std::ranges::none_of(effects_of(row, args), [&](const CallEffect& e) {
        return e.operand == &o && e.space == Space::Global;
      }))
    return std::nullopt;
  return quoted(o.name) + " takes a pointer to " + (kind == OperandKind::SharedPointer ? "shared" : "global") +
         " memory, this one leads to " + (shared ? "shared memory" : "registers");
}

std::optional<std::string> check_value(const Operand& o, OperandKind kind, ir::Expr value) {
  ir::DataType d = value.dtype();
  auto refuse = [&](std::string_view wanted) {
    return quoted(o.name) + " takes " + std::string(wanted) + ", " + ir::dtype_name(d) + " given";
  };
  bool pointer =
      kind == OperandKind::SharedPointer || kind == OperandKind::GlobalPointer || kind == OperandKind::Pointer;
  if (pointer && d == ir::kInt32 && ir::is_constant(value, 0)) return std::nullopt;  // null, as the reference takes it
  bool address = d.is_handle() || d == ir::kUInt64;
  if (takes_address(o) && is_address(value)) return std::nullopt;
  switch (kind) {
    case OperandKind::SharedPointer:
      if (!address || (o.dtype.is_void() && !d.is_handle())) {
        return refuse(o.dtype.is_void() ? "a pointer to shared memory" : "a mapped shared address (uint64)");
      }
      break;
    case OperandKind::GlobalPointer:
      if (!address) return refuse("a pointer");
      break;
    case OperandKind::Pointer:
      if (!address) return refuse("a pointer");
      break;
    case OperandKind::TensorMap:
      if (!address) return refuse("the address of a tensor map (T.address_of)");
      break;
    case OperandKind::Reference:
      if (!value.as<ir::Load>()) return quoted(o.name) + " must be an element of a buffer: the instruction writes it";
      break;
    case OperandKind::Value:
      if (d.is_void() || value.as<ir::StringImm>()) return refuse("a value");
      if (o.dtype.is_void()) break;
      if (d.lanes != o.dtype.lanes) return refuse("a scalar");
      if ((o.dtype.is_integral() || o.dtype.is_bool()) && d.is_floating()) return refuse("an integer");
      if (d.is_handle() && o.dtype != ir::kUInt64) return refuse(ir::dtype_name(o.dtype));
      break;
    default: break;
  }
  return std::nullopt;
}

std::optional<std::string> check_operands(const Intrinsic& row, std::span<const ir::Expr> args) {
  Arguments a(row, args);
  for (const Operand& o : row.operands) {
    bool several = o.kind == OperandKind::List || o.kind == OperandKind::Variadic;
    int at = a.position(o);
    if (at > static_cast<int>(args.size()) || (!several && at == static_cast<int>(args.size()))) {
      return quoted(o.name) + " is missing";
    }
    for (ir::Expr value : a.items(o)) {
      if (!value) return quoted(o.name) + " is missing";
      if (o.default_text == "None" && is_absent(value)) continue;
      OperandKind kind = several ? o.item : o.kind;
      if (auto failure = kind == OperandKind::Attribute ? check_attribute(o, value) : check_value(o, kind, value)) {
        return failure;
      }
      if (auto failure = check_memory(row, args, o, kind, value)) return failure;
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_choice_of(const Operand& operand, ir::Expr value) {
  return operand.choices.empty() || is_choice(operand.choices, value);
}

bool available(Availability a, ir::Target t) {
  const int sm = t.number();
  const bool blackwell = t.major == 10 || t.major == 11;  // the data-centre ones; sm_120 and up are another family
  switch (a) {
    case Availability::All: return sm >= 75;
    case Availability::Sm80: return sm >= 80;
    case Availability::Sm89: return sm >= 89;
    case Availability::Sm90: return sm >= 90;
    case Availability::Sm90aOnly: return sm == 90 && t.suffix == 'a';
    case Availability::Sm90aPlus: return sm >= 90 && t.suffix;
    case Availability::Sm100: return sm >= 100;
    case Availability::Sm100Suffixed: return sm >= 100 && t.suffix;
    case Availability::Sm100aClass: return blackwell && t.suffix;
    case Availability::Sm100a103a: return blackwell && t.suffix == 'a';
    case Availability::Sm100aOnly: return sm == 100 && t.suffix == 'a';
    case Availability::Never: return false;
  }
  return false;
}

std::string_view availability_name(Availability a) {
  switch (a) {
    case Availability::All: return "sm_75 and up";
    case Availability::Sm80: return "sm_80 and up";
    case Availability::Sm89: return "sm_89 and up";
    case Availability::Sm90: return "sm_90 and up";
    case Availability::Sm90aOnly: return "sm_90a";
    case Availability::Sm90aPlus: return "an architecture-specific target from sm_90a on";
    case Availability::Sm100: return "sm_100 and up";
    case Availability::Sm100Suffixed: return "sm_100a, sm_100f, sm_103a or sm_120a";
    case Availability::Sm100aClass: return "sm_100a, sm_100f or sm_103a";
    case Availability::Sm100a103a: return "sm_100a or sm_103a";
    case Availability::Sm100aOnly: return "sm_100a";
    case Availability::Never: return "no target";
  }
  return "";
}

ir::TargetSet verifying_targets(const Intrinsic& row, std::span<const ir::Expr> args) {
  const Form* form = form_of(row);
  if (!form && check_operands(row, args)) return 0;
  ir::TargetSet out = 0, bit = 1;
  for (ir::Target target : ir::known_targets()) {
    if (form ? !verify_form(*form, args, target)
             : available(row.availability, target) && (!row.check || !row.check(row, args, target)))
      out |= bit;
    bit <<= 1;
  }
  return out;
}

std::string failure_everywhere(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target preferred) {
  const Form* form = form_of(row);
  auto in_question = [&](ir::Target target) {
    return form ? !verify_form(*form, args, target) : available(row.availability, target);
  };
  if (!in_question(preferred)) {
    auto found = std::ranges::find_if(ir::known_targets(), in_question);
    if (found != ir::known_targets().end()) preferred = *found;
  }
  return verify(row, args, preferred).value_or(std::string());
}

std::optional<std::string> verify(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  if (const Form* form = form_of(row)) return verify_form(*form, args, target);
  if (row.availability != Availability::Never && !available(row.availability, target)) {
    return "needs " + std::string(availability_name(row.availability)) + ", this is " + target.name();
  }
  if (auto failure = check_operands(row, args)) return failure;
  if (row.check) {
    if (auto failure = row.check(row, args, target)) return failure;
  }
  if (row.availability == Availability::Never) return "assembles for no target";
  return std::nullopt;
}

}  // namespace tilewright::intrinsics

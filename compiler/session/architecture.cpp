#include "compiler/session/architecture.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "compiler/dispatch/dispatcher.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/ir/origin.h"
#include "compiler/session/codes.h"
#include "compiler/session/comments.h"
#include "compiler/session/registered.h"
#include "compiler/syntax/statement_bit.h"

namespace tilewright::session {
namespace {

using ir::Target;
using ir::TargetSet;

// ---- KERNEL_META ----------------------------------------------------------------------------------------------------

// The target of a device of this compute capability: the one that has all its instructions.
std::optional<Target> target_of_number(int number) {
  std::string name = "sm_" + std::to_string(number);
  if (auto specific = ir::parse_target(name + "a")) return specific;
  return ir::parse_target(name);
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// "10", "10.3", "103", "sm_100a": what people write for a compute capability.
std::optional<Target> target_of_text(std::string_view text) {
  if (auto target = ir::parse_target(text)) return target;
  std::size_t dot = text.find('.');
  auto major = whole_number(text.substr(0, dot));
  if (!major) return std::nullopt;
  if (dot == std::string_view::npos) return target_of_number(*major < 20 ? *major * 10 : *major);
  auto minor = whole_number(text.substr(dot + 1));
  if (!minor || *minor > 9) return std::nullopt;
  return target_of_number(*major * 10 + *minor);
}

// 10, 10.3, "10.0", (10, 3); of a list each.
void targets_of(const syntax::Node* value, std::string_view text, std::vector<Target>& out) {
  auto add = [&](std::optional<Target> target) {
    if (target && std::ranges::find(out, *target) == out.end()) out.push_back(*target);
  };
  if (!value) return;
  std::string_view written = text.substr(value->at.begin, value->at.end - value->at.begin);
  switch (value->kind) {
    case syntax::NodeKind::IntLit:
    case syntax::NodeKind::FloatLit: add(target_of_text(written)); break;
    case syntax::NodeKind::StringLit: add(target_of_text(syntax::as<syntax::StringLit>(value)->value)); break;
    case syntax::NodeKind::Tuple: {
      const auto& parts = syntax::as<syntax::Tuple>(value)->elements;
      if (parts.size() != 2) break;
      auto part = [&](std::size_t i) { return text.substr(parts[i]->at.begin, parts[i]->at.end - parts[i]->at.begin); };
      add(target_of_text(std::string(part(0)) + "." + std::string(part(1))));
      break;
    }
    case syntax::NodeKind::List:
      for (const syntax::Node* one : syntax::as<syntax::List>(value)->elements) targets_of(one, text, out);
      break;
    default: break;
  }
}

// The compute capability in the last `KERNEL_META = {...}` of the module. It is read off the text: kernels at the top
// of a file are evaluated before what stands below them.
std::vector<Target> meta_targets(const syntax::Tree& tree) {
  static constexpr std::string_view kMeta = "KERNEL_META", kKey = "compute_capability";
  static syntax::StatementBit begins;
  std::vector<Target> out;
  for (const syntax::Tree::Statement& s : tree.statements()) {
    if (!begins.of(*s.node, [](const syntax::TopLevel& one) { return one.text.starts_with(kMeta); })) continue;
    std::string_view text = s.node->text;
    const syntax::Node* value = nullptr;
    if (auto* a = syntax::as<syntax::Assign>(s.node->statement)) {
      if (a->targets.size() == 1 && is_name(a->targets[0], kMeta)) value = a->value;
    } else if (auto* a = syntax::as<syntax::AnnAssign>(s.node->statement)) {
      if (is_name(a->target, kMeta)) value = a->value;
    }
    if (!value) continue;
    out.clear();
    if (auto* dict = syntax::as<syntax::Dict>(value)) {
      for (const syntax::DictItem& item : dict->items) {
        auto* key = syntax::as<syntax::StringLit>(item.key);
        if (key && key->value == kKey) targets_of(item.value, text, out);
      }
    } else if (auto* call = syntax::as<syntax::Call>(value); call && is_name(call->function, "dict")) {
      for (const syntax::Keyword& k : call->keywords) {
        if (k.name.text == kKey) targets_of(k.value, text, out);
      }
    }
  }
  return out;
}

// What the reference prints of a kernel: T.func_attr({"tirx.cuda_arch": "sm_100a"}) at the head of its body.
void add_printed(const syntax::FunctionDef& function, std::string_view text, std::vector<Target>& out) {
  constexpr std::size_t kHead = 8;
  for (std::size_t i = 0; i < function.body.size() && i < kHead; ++i) {
    auto* statement = syntax::as<syntax::ExprStmt>(function.body[i]);
    auto* call = statement ? syntax::as<syntax::Call>(statement->value) : nullptr;
    auto* name = call ? syntax::as<syntax::Attribute>(call->function) : nullptr;
    auto* dict = name && name->name.text == "func_attr" && call->args.size() == 1
                     ? syntax::as<syntax::Dict>(call->args.front())
                     : nullptr;
    if (!dict) continue;
    for (const syntax::DictItem& item : dict->items) {
      auto* key = syntax::as<syntax::StringLit>(item.key);
      if (key && key->value == "tirx.cuda_arch") targets_of(item.value, text, out);
    }
  }
}

void add_printed(const syntax::TopLevel& statement, std::vector<Target>& out) {
  auto* function = syntax::as<syntax::FunctionDef>(statement.statement);
  if (function) add_printed(*function, statement.text, out);
  auto* module = syntax::as<syntax::ClassDef>(statement.statement);
  if (!module) return;
  for (const syntax::Node* member : module->body) {
    if (auto* method = syntax::as<syntax::FunctionDef>(member)) add_printed(*method, statement.text, out);
  }
}

std::vector<Target> printed_targets(const syntax::Tree& tree) {
  static syntax::StatementBit prints;
  const auto prints_any = [](const syntax::TopLevel& statement) {
    std::vector<Target> found;
    add_printed(statement, found);
    return !found.empty();
  };
  std::vector<Target> out;
  for (const syntax::Tree::Statement& s : tree.statements()) {
    if (prints.of(*s.node, prints_any)) add_printed(*s.node, out);
  }
  return out;
}

// ---- what the calls of a kernel ask for -----------------------------------------------------------------------------

TargetSet targets_with(intrinsics::Availability availability) {
  TargetSet out = 0;
  for (Target target : ir::known_targets()) {
    if (intrinsics::available(availability, target)) out |= ir::set_of(target);
  }
  return out;
}

// A call, or a declaration, that not every target serves.
struct Need {
  std::string call;
  ir::Origin origin;
  TargetSet targets = 0;
};

// "ptx.tcgen05.alloc" is known as tcgen05.alloc.
std::string shown_name(std::string_view row) { return std::string(row.starts_with("ptx.") ? row.substr(4) : row); }

class Rows {
 public:
  static std::vector<Need> of(const ir::Kernel& kernel) {
    Rows rows;
    ir::walk_stmts(kernel.body, [&](const ir::Stmt* s) {
      rows.statement(s);
      return true;
    });
    return std::move(rows.needs_);
  }

 private:
  void statement(const ir::Stmt* s) {
    switch (s->kind) {
      case ir::StmtKind::Bind: return expression(static_cast<const ir::Bind*>(s)->value, s);
      case ir::StmtKind::Decl:
        if (static_cast<const ir::Decl*>(s)->buffer->scope == ir::StorageScope::Tmem) {
          need("tensor memory", targets_with(intrinsics::Availability::Sm100aClass), s);
        }
        return;
      case ir::StmtKind::Store: {
        const auto* store = static_cast<const ir::Store*>(s);
        for (ir::Expr index : store->indices) expression(index, s);
        return expression(store->value, s);
      }
      case ir::StmtKind::For: {
        const auto* loop = static_cast<const ir::For*>(s);
        for (ir::Expr bound : {loop->min, loop->extent, loop->step}) expression(bound, s);
        return;
      }
      case ir::StmtKind::While: return expression(static_cast<const ir::While*>(s)->condition, s);
      case ir::StmtKind::If: return expression(static_cast<const ir::If*>(s)->condition, s);
      case ir::StmtKind::Evaluate: return expression(static_cast<const ir::Evaluate*>(s)->value, s);
      case ir::StmtKind::Assert: return expression(static_cast<const ir::Assert*>(s)->condition, s);
      case ir::StmtKind::Attr: return expression(static_cast<const ir::Attr*>(s)->value, s);
      case ir::StmtKind::Return: return expression(static_cast<const ir::Return*>(s)->value, s);
      case ir::StmtKind::TileCall: {
        const auto* call = static_cast<const ir::TileCall*>(s);
        for (const ir::Operand& o : call->args) operand(o, s);
        for (const ir::ConfigItem& item : call->config) operand(item.value, s);
        return;
      }
      default: return;
    }
  }
  void operand(const ir::Operand& o, const ir::Stmt* s) {
    for (const ir::Range& r : o.region.ranges) {
      expression(r.min, s);
      expression(r.extent, s);
    }
    expression(o.value, s);
  }
  void expression(ir::Expr e, const ir::Stmt* s) {
    ir::walk(e, [&](ir::Expr x) {
      if (auto* call = x.as<ir::Call>()) {
        if (const intrinsics::Intrinsic* row = intrinsics::of(call->callee)) add(*row, call->args, s);
      }
      return true;
    });
  }
  void add(const intrinsics::Intrinsic& row, std::span<const ir::Expr> args, const ir::Stmt* s) {
    need(shown_name(row.name), intrinsics::verifying_targets(row, args), s);
  }
  void need(std::string what, TargetSet targets, const ir::Stmt* s) {
    // Where a call says the same as one before it, the first is the one to name.
    if (targets && std::ranges::find(needs_, targets, &Need::targets) == needs_.end())
      needs_.push_back({std::move(what), s->origin, targets});
  }

  std::vector<Need> needs_;
};

// "sm_100a, sm_100f or sm_103a" as the table of rows has it, else the first few of the set.
std::string words(TargetSet targets) {
  for (int a = 0; a < static_cast<int>(intrinsics::Availability::Never); ++a) {
    const auto availability = static_cast<intrinsics::Availability>(a);
    if (targets_with(availability) == targets) return std::string(intrinsics::availability_name(availability));
  }
  constexpr int kMost = 3;
  const int count = std::popcount(targets);
  std::string out;
  for (int i = 0; i < std::min(count, kMost); ++i) {
    const Target target = *ir::first_of(targets);
    targets &= ~ir::set_of(target);
    out += (i == 0 ? "" : i + 1 == count ? " or " : ", ") + target.name();
  }
  return out + (count > kMost ? " or another" : "");
}

// ---- the search -------------------------------------------------------------------------------------------------

class Search {
 public:
  Search(const ir::Kernel& kernel, const text::Context& context) : kernel_(kernel), context_(context) {}

  ServedKernel run() {
    if (kernel_.target_choice == ir::TargetChoice::Lacking && !read_rows()) return take(kernel_.target, {});
    ServedKernel first = serve(*ir::first_of(candidates_));
    if (!lacks(first)) return take(std::move(first));

    // Some tile primitive wants an instruction that this target has not. Another target that serves more calls is tried
    // in the order of preference; among those of equal availability the first stands for all.
    std::size_t best = served(first);
    std::optional<ServedKernel> better;
    TargetSet tried = ir::set_of(first.target);
    std::vector<std::uint32_t> seen{abilities(first.target)};
    auto look = [&](TargetSet among) {
      for (Target target : ir::known_targets()) {
        const TargetSet bit = ir::set_of(target);
        if (!(among & bit) || (tried & bit) || !target.at_least(kernel_.target.number())) continue;
        tried |= bit;
        if (std::ranges::find(seen, abilities(target)) != seen.end()) continue;
        seen.push_back(abilities(target));
        ServedKernel other = serve(target);
        if (context_.stop.stop_requested()) return;
        if (served(other) <= best) continue;
        best = served(other);
        better = std::move(other);
      }
    };
    look(candidates_);
    if (better) {
      name(*better, first);
      return take(std::move(*better));
    }
    if (~candidates_) look(~candidates_);
    if (!better) return take(std::move(first));
    // One of the others serves the call, and another call of the kernel rules that one out.
    name(*better, first);
    const TargetSet elsewhere = ir::set_of(better->target);
    const auto against = std::ranges::find_if(needs_, [&](const Need& n) { return !(n.targets & elsewhere); });
    Need wanted{better->because, better->origin, elsewhere};
    return take(kernel_.target, conflict(against == needs_.end() ? needs_.front() : *against, wanted));
  }

 private:
  // False: no target has all rows, which was reported.
  bool read_rows() {
    needs_ = Rows::of(kernel_);
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      const TargetSet left = candidates_ & needs_[i].targets;
      if (!left) {
        const auto other = std::find_if(needs_.begin(), needs_.begin() + static_cast<std::ptrdiff_t>(i),
                                        [&](const Need& n) { return !(n.targets & needs_[i].targets); });
        // Three calls may rule out each other where no two of them do: the last that narrowed the choice is named.
        std::size_t with = static_cast<std::size_t>(other - needs_.begin());
        if (with == i) with = narrowed_;
        failure_ = conflict(needs_[with], needs_[i]);
        return false;
      }
      if (left != candidates_) narrowed_ = i;
      candidates_ = left;
    }
    return true;
  }

  text::Diagnostic conflict(const Need& one, const Need& other) const {
    text::Diagnostic d;
    d.code = code::kNoArchitecture;
    d.message = "no architecture serves this kernel: " + other.call + " needs " + words(other.targets) + ", and " +
                one.call + " needs " + words(one.targets);
    d.span = other.origin.span;
    d.chain = ir::call_chain(other.origin.chain);
    d.related.push_back({one.origin.span, one.call + " needs " + words(one.targets)});
    d.hint = "give each architecture a kernel of its own, or a branch that the script decides";
    return d;
  }

  // The availabilities that a target fulfils: what variants ask for.
  static std::uint32_t abilities(Target target) {
    std::uint32_t out = 0;
    for (int a = 0; a <= static_cast<int>(intrinsics::Availability::Never); ++a) {
      if (intrinsics::available(static_cast<intrinsics::Availability>(a), target)) out |= 1u << a;
    }
    return out;
  }

  ServedKernel serve(Target target) {
    ir::Kernel kernel = kernel_;
    kernel.target = target;
    found_.clear();
    text::Context quiet = context_;
    quiet.diagnostics = &found_;
    ServedKernel out{.dispatched = dispatch::dispatch(kernel, quiet), .target = target, .because = {}, .origin = {}};
    latest_ = target;
    return out;
  }
  static bool lacks(const ServedKernel& k) {
    return std::ranges::any_of(k.dispatched.calls, [](const auto& c) { return !c.body && c.lacks_instruction; });
  }
  static std::size_t served(const ServedKernel& k) {
    return static_cast<std::size_t>(std::ranges::count_if(k.dispatched.calls, [](const auto& c) { return c.body; }));
  }
  // The first call that `other` serves and `first` does not.
  static void name(ServedKernel& other, const ServedKernel& first) {
    const std::size_t count = std::min(other.dispatched.calls.size(), first.dispatched.calls.size());
    for (std::size_t i = 0; i < count; ++i) {
      const dispatch::CallReport& call = other.dispatched.calls[i];
      if (!call.body || first.dispatched.calls[i].body) continue;
      other.because = std::string(call.call->primitive);
      other.origin = call.call->origin;
      return;
    }
  }

  ServedKernel take(ServedKernel served) {
    if (latest_ != served.target) served.dispatched = serve(served.target).dispatched;
    if (served.because.empty() && served.target != kernel_.target) {
      // The first call that leaves no target before this one, else the first that rules out the default.
      const auto first =
          std::ranges::find_if(needs_, [&](const Need& n) { return ir::first_of(n.targets) == served.target; });
      const auto any =
          std::ranges::find_if(needs_, [&](const Need& n) { return !(n.targets & ir::set_of(kernel_.target)); });
      const auto& need = first != needs_.end() ? first : any;
      if (need != needs_.end()) {
        served.because = need->call;
        served.origin = need->origin;
      }
    }
    for (text::Diagnostic& d : found_) context_.report(std::move(d));
    return served;
  }
  // Nothing serves it: its other findings are those on the target that it was evaluated for.
  ServedKernel take(Target target, text::Diagnostic failure) {
    if (!failure.code.empty()) failure_ = std::move(failure);
    ServedKernel out = serve(target);
    out.dispatched.failed = true;
    for (text::Diagnostic& d : found_) {
      const auto here = std::ranges::find_if(out.dispatched.calls, [&](const dispatch::CallReport& c) {
        return c.call->origin.span == d.span && !c.body && c.lacks_instruction;
      });
      if (here == out.dispatched.calls.end()) context_.report(std::move(d));
    }
    context_.report(std::move(failure_));
    return out;
  }

  const ir::Kernel& kernel_;
  const text::Context& context_;
  TargetSet candidates_ = ~TargetSet{0};
  std::vector<Need> needs_;
  std::size_t narrowed_ = 0;
  text::Diagnostic failure_;
  std::vector<text::Diagnostic> found_;  // by the latest dispatch
  Target latest_;
};

}  // namespace

std::string_view architecture_source_name(ArchitectureSource source) {
  switch (source) {
    case ArchitectureSource::Asked: return "option";
    case ArchitectureSource::Comment: return "comment";
    case ArchitectureSource::Settings: return "settings";
    case ArchitectureSource::Meta: return "kernel_meta";
    case ArchitectureSource::Default: return "default";
  }
  return "";
}

std::vector<std::string> named_architectures(const syntax::Tree& tree) {
  std::vector<std::string> out;
  for (const syntax::Directive& d : tree.directives()) {
    const std::vector<std::string_view> words = words_of_comment(d.text);
    if (words.empty() || words[0] != "arch") continue;
    out.insert(out.end(), words.begin() + 1, words.end());
  }
  return out;
}

NamedTargets named_targets(const syntax::Tree& tree, std::span<const Target> settings) {
  std::vector<Target> commented;
  for (const std::string& name : named_architectures(tree)) {
    auto target = ir::parse_target(name);
    if (target && std::ranges::find(commented, *target) == commented.end()) commented.push_back(*target);
  }
  if (!commented.empty()) return {std::move(commented), ArchitectureSource::Comment};
  if (!settings.empty()) return {{settings.begin(), settings.end()}, ArchitectureSource::Settings};
  if (auto meta = meta_targets(tree); !meta.empty()) return {std::move(meta), ArchitectureSource::Meta};
  if (auto printed = printed_targets(tree); !printed.empty()) return {std::move(printed), ArchitectureSource::Meta};
  return {{Target{}}, ArchitectureSource::Default};
}

bool has_rows(Target target, const ir::Kernel& kernel) {
  return std::ranges::all_of(Rows::of(kernel), [&](const Need& n) { return (n.targets & ir::set_of(target)) != 0; });
}

ServedKernel dispatch_for_target(const ir::Kernel& kernel, const text::Context& context) {
  if (kernel.target_choice == ir::TargetChoice::Fixed)
    return {.dispatched = dispatch::dispatch(kernel, context), .target = kernel.target, .because = {}, .origin = {}};
  return Search(kernel, context).run();
}

}  // namespace tilewright::session

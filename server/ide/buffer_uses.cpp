#include "server/ide/buffer_uses.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "compiler/intrinsics/call_effects.h"
#include "compiler/ir/primitive.h"
#include "compiler/ir/printer.h"
#include "server/ide/buffers.h"
#include "server/ide/query.h"

namespace tilewright::ide {
namespace {

using Kind = BufferUse::Kind;
using intrinsics::Object;
using intrinsics::Verb;

constexpr int kMostNames = 8;              // that stand for one another
constexpr std::size_t kMostUses = 20'000;  // of a kernel that was unrolled by hand
constexpr std::size_t kConditionLetters = 80;

std::string shortened(std::string text) {
  if (text.size() > kConditionLetters) {
    text.resize(kConditionLetters - 4);
    text += " ...";
  }
  return text;
}

class Reader {
 public:
  explicit Reader(const session::CompiledKernel& kernel) : kernel_(kernel) {
    for (const ir::Param& p : kernel.value->kernel.params) declare(p.buffer);
    ir::walk_stmts(kernel.value->kernel.body, [&](const ir::Stmt* s) {
      if (const auto* a = ir::as<ir::Alloc>(s)) declare(a->buffer);
      if (const auto* d = ir::as<ir::Decl>(s)) declare(d->buffer);
      if (const auto* b = ir::as<ir::Bind>(s)) bound_.emplace(b->var, b->value);
      return true;
    });
  }

  std::vector<BufferUse> read() && {
    statement(kernel_.value->kernel.body);
    return std::move(out_);
  }

 private:
  void declare(const ir::Buffer* b) {
    if (b && b->data) owners_.emplace(b->data, b);  // the first that looks at it
    if (b && b->scope == ir::StorageScope::Tmem && b->allocated_addr) tensors_.push_back(b);
  }

  // The buffer that a pointer leads into; null: not known.
  const ir::Buffer* pointee(ir::Expr e, int names = 0) const {
    const ir::Buffer* found = nullptr;
    ir::walk(e, [&](ir::Expr x) {
      if (found) return false;
      if (const auto* load = x.as<ir::Load>()) {
        if (!load->buffer->is_scalar) found = load->buffer;
        if (auto held = held_.find(load->buffer); held != held_.end()) found = held->second;
        return false;
      }
      if (const auto* v = x.as<ir::Var>()) {
        if (auto owner = owners_.find(v); owner != owners_.end()) {
          found = owner->second;
          // A window that the script made of a pointer: whose it is, the pointer's own value says.
          if (auto value = bound_.find(v); value != bound_.end() && names < kMostNames) {
            if (const ir::Buffer* from = pointee(value->second, names + 1)) found = from;
          }
        } else if (auto value = bound_.find(v); value != bound_.end() && names < kMostNames) {
          found = pointee(value->second, names + 1);
        }
      }
      return !found;
    });
    return found;
  }

  BufferUse* add(Kind kind, const ir::Stmt* s, const ir::Buffer* buffer, std::string what) {
    if ((buffer && buffer->is_scalar) || out_.size() >= kMostUses) return nullptr;
    BufferUse& use = out_.emplace_back();
    use.kind = kind;
    use.statement = s;
    use.buffer = buffer;
    use.what = std::move(what);
    use.under = under_;
    return &use;
  }
  // Reads and writes of one statement are one use of a buffer.
  void memory(const ir::Stmt* s, const ir::Buffer* buffer, bool writes, const std::string& what) {
    for (auto it = out_.rbegin(); it != out_.rend() && it->statement == s; ++it) {
      if (it->kind != Kind::Memory || it->buffer != buffer || it->what != what) continue;
      (writes ? it->writes : it->reads) = true;
      return;
    }
    if (BufferUse* use = add(Kind::Memory, s, buffer, what)) (writes ? use->writes : use->reads) = true;
  }

  // ---- descriptors --------------------------------------------------------------------------------------------------

  // The register that an expression looks at first, as a name that tells registers apart; null buffer: none.
  std::pair<const ir::Buffer*, std::string> register_of(ir::Expr e, int names = 0) const {
    std::pair<const ir::Buffer*, std::string> found{};
    ir::walk(e, [&](ir::Expr x) {
      if (found.first) return false;
      if (const auto* load = x.as<ir::Load>()) {
        found.first = load->buffer;
        for (ir::Expr index : load->indices) found.second += ir::to_string(index) + ",";
        return false;
      }
      if (const auto* v = x.as<ir::Var>(); v && names < kMostNames) {
        if (auto value = bound_.find(v); value != bound_.end()) found = register_of(value->second, names + 1);
      }
      return !found.first;
    });
    return found;
  }

  // An instruction that writes one register and is given the address of memory that it does not touch makes a
  // descriptor of that memory: what reads by the register reads there.
  void note_descriptor(const std::vector<intrinsics::CallEffect>& effects, const ir::Call& call) {
    if (effects.size() != 1 || effects[0].verb != Verb::Writes || effects[0].object != Object::Memory) return;
    if (effects[0].arguments.empty()) return;
    const auto into = register_of(effects[0].arguments[0]);
    if (!into.first || into.first->scope != ir::StorageScope::Local) return;
    for (const ir::Expr& argument : call.args) {
      const ir::Buffer* memory = &argument == effects[0].arguments.data() ? nullptr : pointee(argument);
      if (memory && ir::is_shared(memory->scope)) described_.insert_or_assign(into, memory);
    }
  }

  const ir::Buffer* described(ir::Expr e) const {
    const auto found = described_.find(register_of(e));
    return found == described_.end() ? nullptr : found->second;
  }

  // The buffer in tensor memory that begins at an address; null: not known.
  const ir::Buffer* tensor_at(ir::Expr address) const {
    const auto base = register_of(address);
    const ir::Buffer* found = nullptr;
    bool several = false;
    for (const ir::Buffer* b : tensors_) {
      if (ir::to_string(b->allocated_addr) == ir::to_string(address)) return b;
      if (!base.first || register_of(b->allocated_addr) != base) continue;
      several = several || found;
      found = b;
    }
    return several ? nullptr : found;
  }

  // ---- instructions -------------------------------------------------------------------------------------------------

  static Kind barrier_kind(const std::vector<intrinsics::CallEffect>& effects) {
    Kind kind = Kind::Other;
    for (const intrinsics::CallEffect& e : effects) {
      if (e.object != Object::Mbarrier) continue;
      switch (e.verb) {
        case Verb::Inits: return Kind::Init;
        case Verb::Waits:
        case Verb::Tests: return Kind::Wait;
        case Verb::Completes: return Kind::Complete;
        // An arrival behind operations says that they are done.
        case Verb::Arrives:
        case Verb::Drops: kind = e.after == Object::Memory ? Kind::Arrive : Kind::Complete; break;
        case Verb::Expects: kind = kind == Kind::Other ? Kind::Expect : kind; break;
        default: break;
      }
    }
    return kind;
  }

  static bool meets(const intrinsics::CallEffect& e) {
    switch (e.object) {
      case Object::Barrier:
      case Object::Cta:
      case Object::Cluster:
      case Object::Grid: return e.verb == Verb::Meets || e.verb == Verb::Arrives || e.verb == Verb::Waits;
      case Object::CopyGroup:
      case Object::BulkGroup:
      case Object::BulkReads:
      case Object::WgmmaGroup:
      case Object::TensorLoads:
      case Object::TensorStores: return e.verb == Verb::Commits || e.verb == Verb::Waits;
      default: return false;
    }
  }

  void instruction(const ir::Stmt* s, const intrinsics::Intrinsic& row, const ir::Call& call) {
    const std::vector<intrinsics::CallEffect> effects = intrinsics::effects_of(row, call.args);
    const std::string name(row.name_in(kernel_.value->kernel.dialect));
    bool synchronises = false;
    const ir::Buffer* barrier = nullptr;
    note_descriptor(effects, call);
    for (const intrinsics::CallEffect& e : effects) {
      synchronises |= meets(e);
      const ir::Buffer* at = e.arguments.empty() ? nullptr : pointee(e.arguments[0]);
      if (e.space == intrinsics::Space::Tensor && e.object == Object::Memory) {
        at = e.arguments.empty() ? nullptr : tensor_at(e.arguments[0]);
      } else if (e.verb == Verb::Reads && at) {
        if (const ir::Buffer* behind = described(e.arguments[0])) at = behind;
      }
      const ir::Buffer* until = e.until == Object::Mbarrier && e.until_argument ? pointee(e.until_argument) : nullptr;
      if (e.object == Object::Mbarrier && at && at != barrier) {
        barrier = at;
        std::string words = barrier_use(row, call);
        const Kind kind = barrier_kind(effects);
        if (kind == Kind::Complete) words = "completed by " + name;
        add(kind, s, at, words.empty() ? name : words);
      }
      if (e.object == Object::Memory && at && !at->is_scalar) {
        if (e.verb == Verb::Reads || e.verb == Verb::Updates) memory(s, at, false, name);
        if (e.verb == Verb::Writes || e.verb == Verb::Updates) memory(s, at, true, name);
        if (until && !out_.empty() && out_.back().buffer == at) out_.back().completes = until;
      }
      if (until && until != barrier) {
        barrier = until;
        add(Kind::Complete, s, until, "completed by " + name);
      }
    }
    if (synchronises) add(Kind::Sync, s, nullptr, name);
  }

  void expression(const ir::Stmt* s, ir::Expr e) {
    if (!e) return;
    ir::walk(e, [&](ir::Expr x) {
      if (const auto* call = x.as<ir::Call>()) {
        if (call->callee == &ir::builtin::address_of) return false;  // moves nothing
        if (const intrinsics::Intrinsic* row = intrinsics::of(call->callee)) instruction(s, *row, *call);
      } else if (const auto* load = x.as<ir::Load>(); load && !load->buffer->is_scalar) {
        memory(s, load->buffer, false, "element by element");
      }
      return true;
    });
  }

  // ---- statements ---------------------------------------------------------------------------------------------------

  void tile_call(const ir::TileCall* call) {
    const bool dispatched = kernel_.dispatched && calls_ < kernel_.dispatched->calls.size();
    const dispatch::CallReport* report = dispatched ? &kernel_.dispatched->calls[calls_] : nullptr;
    ++calls_;
    std::string what(call->primitive);
    if (report && !report->variant.empty()) what += " → " + std::string(report->variant);
    const ir::Buffer* barrier = nullptr;
    for (const ir::ConfigItem& item : call->config) {
      const ir::Buffer* at = item.value.value ? pointee(item.value.value) : nullptr;
      if (!at || at->is_scalar) continue;
      barrier = at;
      if (BufferUse* use = add(Kind::Complete, call, at, "completed by " + what)) use->report = report;
    }
    for (std::size_t i = 0; i < call->args.size(); ++i) {
      const ir::Buffer* b = call->args[i].region.buffer;
      if (!b) continue;
      const ir::OperandRole role = ir::operand_role(*call, i);
      BufferUse* use = add(Kind::Memory, call, b, what);
      if (!use) continue;
      use->report = report;
      use->reads = role != ir::OperandRole::Written;
      use->writes = role != ir::OperandRole::Read;
      use->completes = barrier;
    }
  }

  void body(const ir::Stmt* s, std::string around) {
    if (!s) return;
    under_.push_back(shortened(std::move(around)));
    statement(s);
    under_.pop_back();
  }

  void loop(const ir::For* f) {
    expression(f, f->extent);
    std::string words = "for " + std::string(f->var->name) + " in ";
    const std::int64_t* from = ir::constant(f->min);
    words += from && *from == 0 ? "range(" : "range(" + ir::to_string(f->min) + ", +";
    body(f->body, words + ir::to_string(f->extent) + ")");
  }

  void statement(const ir::Stmt* s) {
    if (!s) return;
    switch (s->kind) {
      case ir::StmtKind::Seq:
        for (const ir::Stmt* inner : static_cast<const ir::Seq*>(s)->body) statement(inner);
        break;
      case ir::StmtKind::Bind: expression(s, static_cast<const ir::Bind*>(s)->value); break;
      case ir::StmtKind::Store: {
        const auto* store = static_cast<const ir::Store*>(s);
        expression(s, store->value);
        if (!store->buffer->is_scalar) memory(s, store->buffer, true, "element by element");
        // A variable of the script may hold a pointer.
        else if (const ir::Buffer* to = pointee(store->value))
          held_.insert_or_assign(store->buffer, to);
        break;
      }
      case ir::StmtKind::For: loop(static_cast<const ir::For*>(s)); break;
      case ir::StmtKind::While: {
        const auto* w = static_cast<const ir::While*>(s);
        expression(s, w->condition);
        body(w->body, "while " + ir::to_string(w->condition));
        break;
      }
      case ir::StmtKind::If: {
        const auto* i = static_cast<const ir::If*>(s);
        expression(s, i->condition);
        body(i->then_body, "if " + ir::to_string(i->condition));
        body(i->else_body, "if not (" + ir::to_string(i->condition) + ")");
        break;
      }
      case ir::StmtKind::Evaluate: expression(s, static_cast<const ir::Evaluate*>(s)->value); break;
      case ir::StmtKind::Attr: statement(static_cast<const ir::Attr*>(s)->body); break;
      case ir::StmtKind::TileCall: tile_call(static_cast<const ir::TileCall*>(s)); break;
      default: break;
    }
  }

  const session::CompiledKernel& kernel_;
  std::unordered_map<const ir::Var*, const ir::Buffer*> owners_;
  std::unordered_map<const ir::Var*, ir::Expr> bound_;
  std::unordered_map<const ir::Buffer*, const ir::Buffer*> held_;  // by variable
  std::vector<const ir::Buffer*> tensors_;
  std::map<std::pair<const ir::Buffer*, std::string>, const ir::Buffer*> described_;  // by register_of
  std::vector<BufferUse> out_;
  std::vector<std::string> under_;
  std::size_t calls_ = 0;  // so far; their reports stand in the same order
};

}  // namespace

std::vector<BufferUse> uses_of(const session::CompiledKernel& kernel) {
  Arena scratch;
  ArenaScope scope(scratch);
  return Reader(kernel).read();
}

text::Anchors::Place reader_place(const ir::Origin& origin, const text::Anchors& anchors,
                                  const session::Snapshot& script) {
  text::Anchors::Place at = place_of(origin.span, anchors, script);
  for (const ir::CallSite* site = origin.chain; site && !at.source; site = site->outer)
    at = place_of(site->span, anchors, script);
  return at;
}

}  // namespace tilewright::ide

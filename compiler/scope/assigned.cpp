// Whether all threads take the same branch at `if nxt < n` is decided by every value that is ever stored in `nxt`, and
// by who gets to store it: `nxt` may differ between threads that went different ways before. The order of the stores
// does not matter here; what a load gives is what any of them may have left. So each store adds what its value, its
// place and the conditions around it depend on, until nothing new is learnt.
#include "compiler/ir/primitive.h"
#include "compiler/scope/conditions.h"

namespace tilewright::scope {
namespace {

using ir::Expr;
using ir::Stmt;
using ir::StmtKind;

constexpr int kRounds = 64;  // each learns something of some variable; chains of so many are not followed further

class Reader {
 public:
  explicit Reader(Facts facts) : facts_(std::move(facts)) {}

  Assigned read(const Stmt* body) {
    ways_.push_back({});
    visit(body, 0, kNowhere);
    auto known = std::make_shared<Assigned>(out_);
    for (int round = 0; round < kRounds; ++round) {
      facts_.know(std::make_shared<const Assigned>(*known));
      if (!learn(*known)) return *known;
    }
    for (auto& [data, dependence] : known->own) dependence.runtime = true;
    return *known;
  }

 private:
  static constexpr std::size_t kNowhere = 0;

  // What decides who gets to a place and how often: conditions of its own and those of the place around it.
  struct Way {
    std::vector<Expr> conditions{};
    std::size_t outer = 0;
  };
  struct Stored {
    const ir::Store* store;
    std::size_t way;
  };

  std::size_t way(std::size_t outer, std::initializer_list<Expr> conditions) {
    ways_.push_back({conditions, outer});
    return ways_.size() - 1;
  }

  void visit(const Stmt* s, std::size_t at, std::size_t loop) {
    if (!s) return;
    switch (s->kind) {
      case StmtKind::Seq:
        for (const Stmt* child : static_cast<const ir::Seq*>(s)->body) visit(child, at, loop);
        break;
      case StmtKind::If: {
        const auto* branch = static_cast<const ir::If*>(s);
        look(branch->condition);
        std::size_t inside = way(at, {branch->condition});
        visit(branch->then_body, inside, loop);
        visit(branch->else_body, inside, loop);
        break;
      }
      case StmtKind::For: {
        const auto* f = static_cast<const ir::For*>(s);
        for (Expr e : {f->min, f->extent, f->step}) look(e);
        loops_.push_back(f);
        std::size_t inside = way(at, {f->min, f->extent});
        visit(f->body, inside, inside);
        break;
      }
      case StmtKind::While: {
        const auto* w = static_cast<const ir::While*>(s);
        look(w->condition);
        std::size_t inside = way(at, {w->condition});
        visit(w->body, inside, inside);
        break;
      }
      case StmtKind::Break:
      case StmtKind::Continue:
        // What brings some threads here decides which of them do the rest of the loop.
        for (std::size_t w = at; w != loop && w != kNowhere; w = ways_[w].outer) {
          std::vector<Expr> leaving = ways_[w].conditions;
          ways_[loop].conditions.insert(ways_[loop].conditions.end(), leaving.begin(), leaving.end());
        }
        break;
      case StmtKind::Attr:
        look(static_cast<const ir::Attr*>(s)->value);
        visit(static_cast<const ir::Attr*>(s)->body, at, loop);
        break;
      case StmtKind::Bind: {
        const auto* bind = static_cast<const ir::Bind*>(s);
        look(bind->value);
        facts_.bind(bind->var, bind->value);
        if (bind->value && bind->value.dtype().is_handle()) written(bind->var);
        break;
      }
      case StmtKind::Store: {
        const auto* store = static_cast<const ir::Store*>(s);
        for (Expr index : store->indices) look(index);
        look(store->value);
        if (store->buffer->scope != ir::StorageScope::Local) {
          written(store->buffer->data);
        } else if (store->buffer->data) {
          out_.own.try_emplace(store->buffer->data);
          stores_.push_back({store, at});
        }
        break;
      }
      case StmtKind::TileCall: visit_call(*static_cast<const ir::TileCall*>(s)); break;
      case StmtKind::Evaluate: look(static_cast<const ir::Evaluate*>(s)->value); break;
      case StmtKind::Assert: look(static_cast<const ir::Assert*>(s)->condition); break;
      case StmtKind::Return: look(static_cast<const ir::Return*>(s)->value); break;
      default: break;
    }
  }

  void visit_call(const ir::TileCall& call) {
    auto operand = [&](const ir::Operand& o, bool may_write) {
      look(o.value);
      for (const ir::Range& r : o.region.ranges) {
        look(r.min);
        look(r.extent);
      }
      if (may_write && o.region.buffer) written(o.region.buffer->data);
    };
    for (std::size_t i = 0; i < call.args.size(); ++i)
      operand(call.args[i], ir::operand_role(call, i) != ir::OperandRole::Read);
    for (const ir::ConfigItem& item : call.config)
      operand(item.value, ir::keyword_role(call, item.key) != ir::OperandRole::Read);
    for (const auto& [name, buffer] : call.workspace) written(buffer->data);
  }

  // Memory behind `data` holds what we do not follow.
  void written(const ir::Var* data) {
    if (!data) return;
    out_.own[data].runtime = true;
    out_.changed.insert(data);
  }

  // Pointers that are handed on, and elements that instructions store into.
  void look(Expr e) {
    ir::walk(e, [&](Expr node) {
      if (const auto* var = node.as<ir::Var>(); var && node.dtype().is_handle()) written(var);
      if (const auto* call = node.as<ir::Call>(); call && (call->callee->assigns || is_address(*call))) {
        for (Expr argument : call->args) {
          if (const auto* load = argument.as<ir::Load>()) written(load->buffer->data);
        }
      }
      return true;
    });
  }
  static bool is_address(const ir::Call& call) { return call.callee == &ir::builtin::address_of; }

  // One round over all stores; false: nothing was learnt.
  bool learn(Assigned& known) {
    for (const ir::For* f : loops_) facts_.bind_loop(f->var, f->min, f->extent);
    std::vector<Dependence> ways;
    ways.reserve(ways_.size());
    for (const Way& w : ways_) {
      Dependence d = ways.empty() ? Dependence() : ways[w.outer];
      for (Expr condition : w.conditions) d.merge(facts_.dependence(condition));
      ways.push_back(d);
    }
    bool changed = false;
    for (const Stored& s : stores_) {
      Dependence& d = known.own[s.store->buffer->data];
      const Dependence before = d;
      d.merge(ways[s.way]);
      d.merge(facts_.dependence(s.store->value));
      for (Expr index : s.store->indices) d.merge(facts_.dependence(index));
      changed |= d != before;
    }
    return changed;
  }

  Facts facts_;
  Assigned out_;
  std::vector<Way> ways_;
  std::vector<Stored> stores_;
  std::vector<const ir::For*> loops_;
};

}  // namespace

Assigned assigned_in(const ir::Stmt* body, Facts facts) { return Reader(std::move(facts)).read(body); }

}  // namespace tilewright::scope

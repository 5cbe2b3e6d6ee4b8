#include "compiler/simulate/hazards/control.h"

#include <algorithm>

namespace tilewright::simulate {
namespace {

bool holds(const ir::Stmt* s, const ir::Origin& place) {
  bool found = false;
  ir::walk_stmts(s, [&](const ir::Stmt* one) {
    found = found || ir::same_origin(one->origin, place);
    return !found;
  });
  return found;
}

// True if a call within is handed an element of which `is` is true.
template <class Is>
bool calls_with(const ir::Stmt* top, const Is& is) {
  bool found = false;
  ir::walk_stmts(top, [&](const ir::Stmt* s) {
    if (const auto* evaluate = ir::as<ir::Evaluate>(s))
      ir::walk(evaluate->value, [&](ir::Expr e) {
        const auto* load = e.as<ir::Load>();
        found = found || (load && is(*load));
        return !found;
      });
    return !found;
  });
  return found;
}

}  // namespace

Decisions::Decisions(const ir::Stmt* body, const ir::Var* data) : body_(body) {
  from_data_.insert(data);
  // Loops carry values upwards: until nothing new is found.
  for (std::size_t known = 0; known != from_data_.size() + decided_.size();) {
    known = from_data_.size() + decided_.size();
    look(body, false);
  }
}

// A thread that leaves a loop, or the kernel, where the data says so: the rest of the loops is decided by it.
void Decisions::leave(bool decided) {
  if (decided) decided_.insert(loops_.begin(), loops_.end());
}

void Decisions::look(const ir::Stmt* top, bool decided) {
  ir::walk_stmts(top, [&](const ir::Stmt* s) {
    const auto inside = [&](ir::Expr condition, const ir::Stmt* body, const ir::Stmt* other) {
      const bool now = decided || depends(condition) || decided_.contains(s);
      if (now) decided_.insert(s);
      if (depends(condition)) own_.insert(s);
      look(body, now);
      look(other, now);
    };
    if (const auto* bind = ir::as<ir::Bind>(s)) {
      if (decided || depends(bind->value)) from_data_.insert(bind->var);
    } else if (const auto* store = ir::as<ir::Store>(s)) {
      if (decided || depends(store->value)) from_data_.insert(store->buffer->data);
    } else if (const auto* branch = ir::as<ir::If>(s)) {
      inside(branch->condition, branch->then_body, branch->else_body);
      return false;
    } else if (const auto* again = ir::as<ir::While>(s)) {
      loops_.push_back(s);
      inside(again->condition, again->body, nullptr);
      loops_.pop_back();
      return false;
    } else if (const auto* loop = ir::as<ir::For>(s)) {
      loops_.push_back(s);
      inside(loop->extent, loop->body, nullptr);
      loops_.pop_back();
      return false;
    } else if (s->kind == ir::StmtKind::Break || s->kind == ir::StmtKind::Continue || s->kind == ir::StmtKind::Return) {
      leave(decided);
    }
    return true;
  });
}

bool Decisions::depends(ir::Expr e) const {
  bool found = false;
  ir::walk(e, [&](ir::Expr x) {
    if (const auto* v = x.as<ir::Var>()) found = found || from_data_.contains(v);
    if (const auto* load = x.as<ir::Load>()) found = found || from_data_.contains(load->buffer->data);
    return !found;
  });
  return found;
}

bool Decisions::leads_to(const ir::Origin& place) const {
  return std::ranges::any_of(decided_, [&](const ir::Stmt* s) { return holds(s, place); });
}

bool Decisions::is_in_other_branch(const ir::Origin& place) const {
  bool found = false;
  const auto look = [&](const auto& self, const ir::Stmt* top, bool other) -> void {
    ir::walk_stmts(top, [&](const ir::Stmt* s) {
      if (found) return false;
      if (const auto* branch = ir::as<ir::If>(s)) {
        const bool now = !own_.contains(s);
        self(self, branch->then_body, now);
        self(self, branch->else_body, now);
        return false;
      }
      if (s->kind == ir::StmtKind::For || s->kind == ir::StmtKind::While) {
        const auto* loop = ir::as<ir::For>(s);
        self(self, loop ? loop->body : ir::as<ir::While>(s)->body, other && !own_.contains(s));
        return false;
      }
      if (other && s->kind != ir::StmtKind::Seq) found = ir::same_origin(s->origin, place);
      return true;
    });
  };
  look(look, body_, false);
  return found;
}

bool Decisions::decides_a_loop() const {
  return std::ranges::any_of(decided_, [](const ir::Stmt* s) { return s->kind == ir::StmtKind::While; });
}

bool is_polled(const ir::Stmt* body, const ir::Var* data) { return Decisions(body, data).decides_a_loop(); }

bool is_written_in_loops_of(const ir::Stmt* body, const ir::Var* data, std::string_view barriers,
                            const ir::Origin& reads) {
  bool written = false, elsewhere = false;
  const auto look = [&](const auto& self, const ir::Stmt* top, bool of_barriers) -> void {
    ir::walk_stmts(top, [&](const ir::Stmt* s) {
      if (s->kind == ir::StmtKind::For || s->kind == ir::StmtKind::While) {
        const auto* loop = ir::as<ir::For>(s);
        const ir::Stmt* inner = loop ? loop->body : ir::as<ir::While>(s)->body;
        self(self, inner,
             of_barriers || calls_with(inner, [&](const ir::Load& l) { return l.buffer->name == barriers; }));
        return false;
      }
      const auto* store = ir::as<ir::Store>(s);
      const bool writes = (store && store->buffer->data == data) ||
                          (s->kind == ir::StmtKind::Evaluate && !ir::same_origin(s->origin, reads) &&
                           calls_with(s, [&](const ir::Load& l) { return l.buffer->data == data; }));
      (of_barriers ? written : elsewhere) |= writes;
      return true;
    });
  };
  look(look, body, false);
  return written && !elsewhere;
}

bool is_in_loop_of(const ir::Stmt* body, const ir::Origin& place, std::string_view barriers) {
  bool found = false;
  ir::walk_stmts(body, [&](const ir::Stmt* s) {
    const bool is_loop = s->kind == ir::StmtKind::For || s->kind == ir::StmtKind::While;
    found = found || (is_loop && holds(s, place) &&
                      calls_with(s, [&](const ir::Load& l) { return l.buffer->name == barriers; }));
    return !found;
  });
  return found;
}

bool is_handed(const ir::Stmt* body, std::string_view buffer, const ir::Origin& place) {
  bool found = false;
  ir::walk_stmts(body, [&](const ir::Stmt* s) {
    found = found || (!buffer.empty() && s->kind == ir::StmtKind::Evaluate && ir::same_origin(s->origin, place) &&
                      calls_with(s, [&](const ir::Load& l) { return l.buffer->name == buffer; }));
    return !found;
  });
  return found;
}

bool share_a_loop(const ir::Stmt* body, const ir::Origin& a, const ir::Origin& b) {
  bool found = false;
  ir::walk_stmts(body, [&](const ir::Stmt* s) {
    const bool is_loop = s->kind == ir::StmtKind::For || s->kind == ir::StmtKind::While;
    found = found || (is_loop && holds(s, a) && holds(s, b));
    return !found;
  });
  return found;
}

}  // namespace tilewright::simulate

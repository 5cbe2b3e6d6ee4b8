// What a kernel's statements say of two findings: whether data decides if a thread comes to a place, and whether two
// places stand in one loop.
#pragma once
#include <string_view>
#include <unordered_set>

#include "compiler/ir/origin.h"
#include "compiler/lower/lowered.h"

namespace tilewright::simulate {

// Does what a buffer holds decide who comes to a statement, and how often? Follows values through variables and memory,
// also those that are set in a branch or a loop which such a value decides.
class Decisions {
 public:
  Decisions(const ir::Stmt* body, const ir::Var* data);
  bool leads_to(const ir::Origin& place) const;
  // True if another condition decides as well, within the innermost of these branches and loops.
  bool is_in_other_branch(const ir::Origin& place) const;
  bool decides_a_loop() const;

 private:
  void look(const ir::Stmt* s, bool decided);
  void leave(bool decided);
  bool depends(ir::Expr e) const;

  const ir::Stmt* body_;
  std::unordered_set<const ir::Var*> from_data_;
  std::unordered_set<const ir::Stmt*> decided_;  // branches and loops, and what stands in them
  std::unordered_set<const ir::Stmt*> own_;      // those whose own condition depends on the data
  std::vector<const ir::Stmt*> loops_;           // around the statement that is looked at
};

// True if a loop holds statements of both places.
bool share_a_loop(const ir::Stmt* body, const ir::Origin& a, const ir::Origin& b);

// True if all that writes the buffer stands in loops that use one of the barriers of this buffer, too. What stands at
// `reads` only reads it.
bool is_written_in_loops_of(const ir::Stmt* body, const ir::Var* data, std::string_view barriers,
                            const ir::Origin& reads);

// True if a loop around this place uses one of the barriers of this buffer.
bool is_in_loop_of(const ir::Stmt* body, const ir::Origin& place, std::string_view barriers);

// True if a call at this place is handed an element of the buffer of this name.
bool is_handed(const ir::Stmt* body, std::string_view buffer, const ir::Origin& place);

// True if a loop goes on for as long as the buffer says.
bool is_polled(const ir::Stmt* body, const ir::Var* data);

}  // namespace tilewright::simulate

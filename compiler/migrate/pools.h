// Pools of shared memory that end without commit().
#pragma once
#include "compiler/migrate/names.h"
#include "compiler/migrate/rewriter.h"

namespace tilewright::migrate {

// pool.commit() after the last statement that names a pool of 0.25: from 0.26 on it is an error to leave it out. Where
// that place is not clear a person decides.
Step committed_pools(const syntax::Tree& tree, const Names& names);

}  // namespace tilewright::migrate

// The prelude: pools, barriers, pipelines, roles and schedulers, written as tile scripts and embedded into the binary.
// A file is run when one of its names is first asked for.
//
// prelude/0.25/ holds the files of the first release. A later release has the files of the one before it, but those
// that its own folder has: prelude/0.26/tmem_pool.py takes the place of prelude/0.25/tmem_pool.py from 0.26 on.
// prelude/python/ holds modules of Python's library, or what python/*.cpp does not define of them.
#pragma once
#include <string>
#include <string_view>

#include "compiler/text/dialect.h"

namespace tilewright::script {

struct Record;

// The file that defines `name` in a release, such as "smem_pool.py" for "SMEMPool"; empty when the prelude has no such
// name. A later release's own file stands behind its folder: "0.26/tmem_pool.py".
std::string prelude_file_of(std::string_view name, text::Dialect release);
// Does the prelude define it?
bool is_of_prelude(const Record& record);
// The text of a file; empty for an unknown one.
std::string_view prelude_source(std::string_view file);

}  // namespace tilewright::script

// The prelude: pools, barriers, pipelines, roles and schedulers, written as tile scripts (prelude/*.py) and embedded
// into the binary. A file is run when one of its names is first asked for.
#pragma once
#include <string_view>

namespace tilewright::script {

struct Record;

// The file that defines `name`, such as "smem_pool.py" for "SMEMPool"; empty when the prelude has no such name.
std::string_view prelude_file_of(std::string_view name);
// Does the prelude define it?
bool is_of_prelude(const Record& record);
// The text of a file; empty for an unknown one.
std::string_view prelude_source(std::string_view file);

}  // namespace tilewright::script

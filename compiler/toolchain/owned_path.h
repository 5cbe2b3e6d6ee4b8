// Whether other users of the machine can change what lies at a path.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tilewright::toolchain {

// Users that are trusted as root is: an account that installs software for a cluster. At the start of the process,
// before there are threads.
void trust_owners(std::vector<uid_t> users);

// Empty if only root, this user and trusted users can replace or change what `path` names: every folder on the way,
// every link and what it leads to, and the file or folder itself belong to one of them, and neither a group nor
// every user may write there. In a folder with the sticky bit (/tmp) entries of a trusted owner are safe; the last
// component has no such exception. Else the reason and the fix, in words. A path that does not exist gives the reason,
// too.
//
// Two cases count as root: the owner of "/", who could replace the whole system (a container without a mapped root),
// and a group with the number of this user (the private group that useradd makes), unless the user is root.
std::string changeable_by_others(const std::filesystem::path& path);

}  // namespace tilewright::toolchain

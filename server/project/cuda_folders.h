// Where NVIDIA's compiler is looked for.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tilewright::project {

struct CudaFolder {
  std::filesystem::path folder;
  std::string origin;  // "CUDA_HOME", "beside its own wheel", ...: how it came to be looked at
};
// Best first: CUDA_HOME; the packages beside the wheel that this binary was installed from; .cuda of the checkout that
// this binary was built in, while it lies in its build folder; /usr/local/cuda. Never a parent of the binary: a
// checkout with the binary somewhere in it must not choose what is loaded.
std::vector<CudaFolder> cuda_folders();

// CUPTI, NVIDIA's library for profilers, in those folders, the newest of each first; then the names by which the loader
// finds it; last Nsight Compute's program `ncu`, if there is one. Files that other users can change are left out.
std::vector<std::string> cupti_libraries();

// Users named by TILEWRIGHT_CUDA_OWNERS (names or numbers, separated by commas), for toolchain::trust_owners.
std::vector<uid_t> cuda_owners();

}  // namespace tilewright::project

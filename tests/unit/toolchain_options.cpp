// Which options of NVRTC a client may choose, and which folders of NVIDIA's compiler are used.
#include <sys/stat.h>

#include "compiler/toolchain/nvrtc_options.h"
#include "compiler/toolchain/owned_path.h"
#include "compiler/toolchain/toolchain.h"
#include "tests/unit/catch.h"
#include "tests/unit/toolchain_testing.h"

namespace tilewright::toolchain {
namespace {

namespace fs = std::filesystem;
using tilewright::testing::Scratch;

TEST_CASE("options that change code are allowed, those that name files are not") {
  CHECK(wrong_options(reference_options()).empty());
  const std::vector<std::string> fine{"-DN=4",
                                      "-DNAME",
                                      "-UNAME",
                                      "--fmad=false",
                                      "-lineinfo",
                                      "--std=c++20",
                                      "--maxrregcount=64",
                                      "--use_fast_math",
                                      "--ftz=true",
                                      "--ptxas-options=-O2"};
  CHECK(wrong_options(fine).empty());
  for (const char* bad : {"--pre-include=/etc/passwd",
                          "-include=/etc/passwd",
                          "--include-path=/",
                          "-I/",
                          "-I",
                          "/etc",
                          "--dlink-time-opt",
                          "-dlto",
                          "@/etc/passwd",
                          "--options-file=/x",
                          "--time=/tmp/x",
                          "-time=/tmp/x",
                          "--ptxas-options=-o=/tmp/x",
                          "--ptxas-options=--input-as-string",
                          "-Xptxas=-v",
                          "-DX=\"/etc/passwd\"",
                          "-D__FILE__=a b",
                          "-DX=<x>",
                          "-D",
                          "-U",
                          "-UX=1",
                          "-D1X",
                          "--pch",
                          "--create-pch=/tmp/x",
                          "--use-pch=/tmp/x",
                          "--pch-dir=/tmp",
                          "--fdevice-time-trace=/tmp/x",
                          "--std=c++17 --include-path=/",
                          "--fmad",
                          "--fmad=maybe",
                          "--maxrregcount=",
                          "--maxrregcount=1e9",
                          "--maxrregcount=99999",
                          "--generate-line-info=1",
                          "--gpu-architecture=sm_90",
                          "--std=c++14\n",
                          "",
                          "--minimal",
                          "--no-source-include",
                          "--builtin-initializer-list=true",
                          "--brief-diagnostics=true"}) {
    INFO(bad);
    const std::vector<std::string> options{"-lineinfo", bad};
    const std::string wrong = wrong_options(options);
    CHECK(wrong.find("is not allowed") != std::string::npos);
    if (std::string(bad).find('\n') == std::string::npos) CHECK(wrong.find(bad) != std::string::npos);
  }
  CHECK(!wrong_options(std::vector<std::string>(65, "-lineinfo")).empty());
  CHECK(!wrong_options(std::vector<std::string>{"-D" + std::string(300, 'a')}).empty());
}

TEST_CASE("an architecture is a name and a number") {
  for (const char* fine : {"sm_80", "sm_90a", "sm_100f", "compute_120"}) CHECK(is_architecture(fine));
  for (const char* bad : {"", "sm_", "sm_9", "sm_90a ", "sm_90aa", "90a", "sm_90 -I/", "sm_1000", "lto_90", "SM_90"})
    CHECK(!is_architecture(bad));
}

class Tree {
 public:
  explicit Tree(const fs::path& root) : root_(root) {
    for (const char* name :
         {"lib/libnvrtc.so.13", "lib/libnvrtc-builtins.so.13.0", "include/cuda_fp16.h", "bin/nvdisasm"}) {
      fs::create_directories((root / name).parent_path());
      testing::write_file(root / name, "x");
      ::chmod((root / name).c_str(), 0644);
    }
    for (const char* folder : {"", "lib", "include", "bin"}) ::chmod((root / folder).c_str(), 0755);
  }
  std::string refusal() const {
    const fs::path candidates[] = {root_};
    auto found = find_cuda(candidates);
    return found ? std::string() : found.error();
  }

 private:
  fs::path root_;
};

TEST_CASE("what others can change is refused with the place and the fix") {
  Scratch scratch;
  const fs::path root = scratch.path() / "deep/cuda";
  fs::create_directories(root);
  ::chmod((scratch.path() / "deep").c_str(), 0755);
  Tree tree(root);
  REQUIRE(tree.refusal().empty());
  for (const char* name : {"deep", "deep/cuda", "deep/cuda/lib", "deep/cuda/lib/libnvrtc.so.13", "deep/cuda/include",
                           "deep/cuda/lib/libnvrtc-builtins.so.13.0", "deep/cuda/bin/nvdisasm", "deep/cuda/bin"}) {
    const fs::path at = scratch.path() / name;
    INFO(name);
    struct stat before{};
    ::stat(at.c_str(), &before);
    ::chmod(at.c_str(), (before.st_mode & 07777) | S_IWOTH);
    CHECK(tree.refusal().find("refused, because " + at.string() + " can be changed by all users; chmod go-w") !=
          std::string::npos);
    ::chmod(at.c_str(), before.st_mode & 07777);
    if (::geteuid() == 0) {
      ::chmod(at.c_str(), (before.st_mode & 07777) | S_IWGRP);
      CHECK(tree.refusal().find(at.string() + " can be changed by its group") != std::string::npos);
      ::chmod(at.c_str(), before.st_mode & 07777);
      REQUIRE(::chown(at.c_str(), 12345, 0) == 0);
      CHECK(tree.refusal().find(at.string() + " belongs to another user (number 12345)") != std::string::npos);
      trust_owners({12345});
      CHECK(tree.refusal().empty());
      trust_owners({});
      REQUIRE(::chown(at.c_str(), 0, 0) == 0);
    }
    CHECK(tree.refusal().empty());
  }
}

TEST_CASE("links are followed to what they lead to, a sticky folder is as safe as its entries") {
  Scratch scratch;
  const fs::path top = scratch.path(), open = top / "open", real = open / "real";
  fs::create_directories(real);
  ::chmod(real.c_str(), 0755);
  testing::write_file(real / "file", "x");
  fs::create_directory_symlink("open/real", top / "link");
  fs::create_directory_symlink("../link", open / "back");
  ::chmod(open.c_str(), 0777);
  for (const fs::path& path : {real / "file", top / "link/file", open / "back/file", top / "link/../real/file"})
    CHECK(changeable_by_others(path).find(open.string() + " can be changed by all users") != std::string::npos);
  ::chmod(open.c_str(), 01777);
  for (const fs::path& path : {real / "file", top / "link/file", open / "back/file", top / "link/../real/file"})
    CHECK(changeable_by_others(path).empty());
  CHECK(!changeable_by_others(open).empty());  // itself: a file more there, and another library is found first
  fs::create_symlink("circle", top / "circle");
  CHECK(changeable_by_others(top / "circle").find("links") != std::string::npos);
  CHECK(!changeable_by_others(top / "nowhere").empty());
}

}  // namespace
}  // namespace tilewright::toolchain

// Finds the parts of a CUDA installation that the toolchain needs. Nothing is loaded here.
#pragma once
#include <expected>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tilewright::toolchain {

struct CudaHome {
  std::filesystem::path root;
  std::filesystem::path nvrtc;                  // libnvrtc.so.N
  std::filesystem::path builtins;               // libnvrtc-builtins.so.N.M, which NVRTC loads by name
  std::vector<std::filesystem::path> includes;  // in order: the toolkit's own, then CCCL's
  std::filesystem::path nvdisasm;               // empty when it is not installed: then there is no SASS
  std::string version;                          // "13.0", as cuda.h says; empty when it does not
};

// The first of `candidates` that holds NVRTC with its headers. A candidate is a toolkit (/usr/local/cuda), or a folder
// into which NVIDIA's Python wheels were unpacked (then nvidia/cu13 below it). The error names each folder and what it
// lacks, in words for people.
std::expected<CudaHome, std::string> find_cuda(std::span<const std::filesystem::path> candidates);

// What of an installation a compilation depends on, the same for the same files wherever they lie: build ids of the
// libraries and sizes of the headers.
std::string identity_of_compiler(const CudaHome& home);
// Likewise for a disassembly. Empty when there is no nvdisasm.
std::string identity_of_disassembler(const CudaHome& home);

}  // namespace tilewright::toolchain

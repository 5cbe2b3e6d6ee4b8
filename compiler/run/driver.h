// The CUDA driver, found at run time: the few types and functions that a launch needs.
//
// Declared here, not taken from cuda.h: the build must not depend on a CUDA installation, and the driver's binary
// interface is fixed. tests/gpu/driver_types.py holds these declarations against cuda.h where there is one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

namespace tilewright::run::cu {

using Result = int;
using Device = int;
using DevicePtr = unsigned long long;
using Context = void*;
using Module = void*;
using Function = void*;
using Stream = void*;
using Event = void*;

inline constexpr Result kSuccess = 0, kInvalidValue = 1, kNotReady = 600;

enum DeviceAttribute : int {
  kMultiprocessorCount = 16,
  kMemoryClockKilohertz = 36,
  kMemoryBusBits = 37,
  kL2Bytes = 38,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kSharedBytesOptIn = 97,
};
enum FunctionAttribute : int {
  kFunctionDynamicShared = 8,
  kFunctionNonPortableCluster = 14,
};
enum ContextLimit : int {
  kLimitPersistingL2 = 6,
};
enum LaunchAttributeId : int {
  kLaunchCooperative = 2,
  kLaunchClusterDimension = 4,
  kLaunchProgrammaticStreamSerialization = 6,
  kLaunchPreferredClusterDimension = 11,
};

struct Dimensions {
  unsigned x, y, z;
};
union LaunchAttributeValue {
  char pad[64];
  Dimensions cluster;
  int flag;
};
struct LaunchAttribute {
  int id;
  char pad[4];
  LaunchAttributeValue value;
};
struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};
struct alignas(128) TensorMap {
  std::uint64_t opaque[16];
};

}  // namespace tilewright::run::cu

namespace tilewright::run {

// X(member, symbol in the driver, parameters)
#define TILEWRIGHT_DRIVER_FUNCTIONS(X)                                                                            \
  X(init, cuInit, (unsigned))                                                                                     \
  X(driver_version, cuDriverGetVersion, (int*))                                                                   \
  X(device_count, cuDeviceGetCount, (int*))                                                                       \
  X(device, cuDeviceGet, (cu::Device*, int))                                                                      \
  X(device_name, cuDeviceGetName, (char*, int, cu::Device))                                                       \
  X(device_bus_id, cuDeviceGetPCIBusId, (char*, int, cu::Device))                                                 \
  X(device_attribute, cuDeviceGetAttribute, (int*, int, cu::Device))                                              \
  X(device_memory, cuDeviceTotalMem_v2, (std::size_t*, cu::Device))                                               \
  X(retain_context, cuDevicePrimaryCtxRetain, (cu::Context*, cu::Device))                                         \
  X(set_context, cuCtxSetCurrent, (cu::Context))                                                                  \
  X(context_limit, cuCtxGetLimit, (std::size_t*, int))                                                            \
  X(reset_persisting, cuCtxResetPersistingL2Cache, ())                                                            \
  X(synchronize, cuCtxSynchronize, ())                                                                            \
  X(load_module, cuModuleLoadData, (cu::Module*, const void*))                                                    \
  X(unload_module, cuModuleUnload, (cu::Module))                                                                  \
  X(get_function, cuModuleGetFunction, (cu::Function*, cu::Module, const char*))                                  \
  X(get_global, cuModuleGetGlobal_v2, (cu::DevicePtr*, std::size_t*, cu::Module, const char*))                    \
  X(set_function_attribute, cuFuncSetAttribute, (cu::Function, int, int))                                         \
  X(allocate, cuMemAlloc_v2, (cu::DevicePtr*, std::size_t))                                                       \
  X(release, cuMemFree_v2, (cu::DevicePtr))                                                                       \
  X(upload, cuMemcpyHtoD_v2, (cu::DevicePtr, const void*, std::size_t))                                           \
  X(download, cuMemcpyDtoH_v2, (void*, cu::DevicePtr, std::size_t))                                               \
  X(allocate_host, cuMemAllocHost_v2, (void**, std::size_t))                                                      \
  X(release_host, cuMemFreeHost, (void*))                                                                         \
  X(start_upload, cuMemcpyHtoDAsync_v2, (cu::DevicePtr, const void*, std::size_t, cu::Stream))                    \
  X(start_download, cuMemcpyDtoHAsync_v2, (void*, cu::DevicePtr, std::size_t, cu::Stream))                        \
  X(copy, cuMemcpyDtoD_v2, (cu::DevicePtr, cu::DevicePtr, std::size_t))                                           \
  X(fill, cuMemsetD8_v2, (cu::DevicePtr, unsigned char, std::size_t))                                             \
  X(launch, cuLaunchKernelEx, (const cu::LaunchConfig*, cu::Function, void**, void**))                            \
  X(create_event, cuEventCreate, (cu::Event*, unsigned))                                                          \
  X(destroy_event, cuEventDestroy_v2, (cu::Event))                                                                \
  X(record_event, cuEventRecord, (cu::Event, cu::Stream))                                                         \
  X(wait_event, cuEventSynchronize, (cu::Event))                                                                  \
  X(elapsed, cuEventElapsedTime, (float*, cu::Event, cu::Event))                                                  \
  X(encode_tiled, cuTensorMapEncodeTiled,                                                                         \
    (cu::TensorMap*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*, const std::uint32_t*, \
     const std::uint32_t*, int, int, int, int))                                                                   \
  X(error_name, cuGetErrorName, (cu::Result, const char**))                                                       \
  X(error_text, cuGetErrorString, (cu::Result, const char**))

struct Driver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a list of parameters, not a value
#define TILEWRIGHT_DECLARE(member, symbol, parameters) cu::Result(*member) parameters = nullptr;
  TILEWRIGHT_DRIVER_FUNCTIONS(TILEWRIGHT_DECLARE)
#undef TILEWRIGHT_DECLARE

  // Loads the library and looks every function up; nothing is called. The error says what is missing.
  static std::expected<Driver, std::string> load(const std::string& library);
  // "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered".
  std::string describe(cu::Result result) const;
};

}  // namespace tilewright::run

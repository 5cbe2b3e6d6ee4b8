// What an argument is: where its elements lie and of which type, read from any object that says so.
//
// In this order: DLPack's C interface of the object's type (torch 2.10, no Python code runs), the methods of older
// torch, __cuda_array_interface__, __array_interface__, __dlpack__. Nothing is copied and no stream is waited for.
#pragma once
#include <cstdint>

#include "python/launch/dlpack.h"
#include "python/launch/python.h"

namespace tilewright::launch {

inline constexpr int kMaxRank = 16;

struct View {
  std::uint64_t address = 0;
  dlpack::Device device{dlpack::kCpu, 0};
  dlpack::DataType dtype{};
  int rank = 0;
  const std::int64_t* shape = nullptr;
  const std::int64_t* strides = nullptr;  // in elements; null: compact
  bool read_only = false;
  Ref owner;  // of what shape and address point to, where that is not the object itself
  std::int64_t own_shape[kMaxRank], own_strides[kMaxRank];

  bool on_gpu() const { return device.type == dlpack::kCuda || device.type == dlpack::kCudaManaged; }
  std::int64_t stride(int dimension) const;
};

enum class Reading : std::uint8_t {
  Read,
  NoTensor,  // no exception is set
  Failed,    // the object's own exception is set
};
Reading read_view(PyObject* object, View& view);

// The stream that the library of this object works in now. False: an exception is set. `known` is false where the
// library has no such notion.
bool current_stream(PyObject* object, int device, std::uint64_t& stream, bool& known);

}  // namespace tilewright::launch

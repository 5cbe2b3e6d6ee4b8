// The data of DLPack 1.x that a launch reads, as its specification lays them out (dmlc.github.io/dlpack).
#pragma once
#include <cstdint>

namespace tilewright::launch::dlpack {

struct Version {
  std::uint32_t major, minor;
};
enum DeviceType : std::int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };
struct Device {
  std::int32_t type, id;
};
struct DataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
  friend bool operator==(const DataType&, const DataType&) = default;
};
enum TypeCode : std::uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kOpaque = 3, kBfloat = 4, kComplex = 5, kBool = 6 };

struct Tensor {
  void* data;
  Device device;
  std::int32_t rank;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // null: compact
  std::uint64_t byte_offset;
};
// Of a capsule "dltensor".
struct Managed {
  Tensor tensor;
  void* context;
  void (*release)(Managed*);
};
// Of a capsule "dltensor_versioned".
struct ManagedVersioned {
  Version version;
  void* context;
  void (*release)(ManagedVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};
inline constexpr std::uint64_t kReadOnly = 1;

// What a type offers in its attribute __dlpack_c_exchange_api__, a capsule "dlpack_exchange_api".
struct Exchange {
  Version version;
  Exchange* older;
  void *allocate, *export_owned, *import_owned;
  int (*borrow)(void* object, Tensor* out);  // may be null; the object keeps what `out` points to
  int (*current_stream)(std::int32_t device_type, std::int32_t device, void** out);
};

}  // namespace tilewright::launch::dlpack

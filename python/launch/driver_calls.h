// The process's CUDA driver.
#pragma once
#include <cstdint>

#include "compiler/run/driver.h"
#include "python/launch/python.h"

namespace tilewright::launch {

// The driver, with what a process that has contexts of others needs besides.
struct Loaded : run::Driver {
  run::cu::Result (*current_context)(run::cu::Context*) = nullptr;
  run::cu::Result (*push_context)(run::cu::Context) = nullptr;
  run::cu::Result (*pop_context)(run::cu::Context*) = nullptr;
  run::cu::Result (*pointer_attribute)(void*, int, run::cu::DevicePtr) = nullptr;  // null: an old driver
};

// Null: open_driver was not called, or found none.
const Loaded* driver();

// The GPU whose memory an address belongs to; kNoMemory: of none. 0 while no driver is open.
inline constexpr int kNoMemory = -2;
int device_of(std::uint64_t address);

// Makes a context current for as long as it lives, where another one is.
class InContext {
 public:
  explicit InContext(run::cu::Context wanted);
  ~InContext();
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  bool pushed_ = false;
};

// A CUDA error as tilewright.LaunchError, by tilewright._errors.driver_error(what, name, text). Returns null.
PyObject* raise_driver(const char* what, run::cu::Result result);

}  // namespace tilewright::launch

// Copies numbers through each kernel and looks at what came.
#include <cstdio>
#include <vector>

#include "factory.h"
#include "scale.h"

namespace {

bool fine(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) std::printf("%s: error %d\n", what, static_cast<int>(result));
  return result == CUDA_SUCCESS;
}

template <class Kernel, class Load, class Launch>
bool check(const char* name, CUdevice device, std::size_t count, Load load, Launch launch) {
  Kernel kernel;
  std::vector<float> in(count), out(count, -1);
  for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<float>(i) + 0.5f;
  CUdeviceptr a = 0, b = 0;
  const std::size_t bytes = count * sizeof(float);
  if (!fine(load(device, kernel), "load") || !fine(cuMemAlloc(&a, bytes), "memory") ||
      !fine(cuMemAlloc(&b, bytes), "memory") || !fine(cuMemcpyHtoD(a, in.data(), bytes), "copy") ||
      !fine(launch(kernel, a, b), "launch") || !fine(cuCtxSynchronize(), "wait") ||
      !fine(cuMemcpyDtoH(out.data(), b, bytes), "copy back"))
    return false;
  std::printf("%s: image %d, %s\n", name, kernel.image, out == in ? "as expected" : "WRONG");
  return out == in;
}

}  // namespace

int main() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  if (!fine(cuInit(0), "init") || !fine(cuDeviceGet(&device, 0), "device") ||
      !fine(cuDevicePrimaryCtxRetain(&context, device), "context") || !fine(cuCtxSetCurrent(context), "context"))
    return 1;
  const bool scaled = check<kernels::scale::Kernel>(
      "scale", device, 256, kernels::scale::load,
      [](auto& k, CUdeviceptr a, CUdeviceptr b) { return kernels::scale::launch(k, a, b, nullptr); });
  const bool copied = check<kernels::copy::Kernel>(
      "copy", device, 256, kernels::copy::load,
      [](auto& k, CUdeviceptr a, CUdeviceptr b) { return kernels::copy::launch(k, a, b, nullptr); });
  const bool second = check<kernels::copy_2::Kernel>(
      "copy_2", device, 256, kernels::copy_2::load,
      [](auto& k, CUdeviceptr a, CUdeviceptr b) { return kernels::copy_2::launch(k, a, b, nullptr); });
  return scaled && copied && second ? 0 : 1;
}

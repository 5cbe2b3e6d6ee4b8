// A tensor map as the planners of release 0.26 reason about it, and the named rules that it has to keep
// (copy_async.md 12.4).
//
// Shapes, strides, starts and the base may be symbolic. A rule is proven, disproven or open; tma_auto takes a map whose
// rules are all proven, tma_explicit one of which none is disproven.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/dispatch/variant.h"
#include "compiler/ir/target.h"
#include "compiler/layout/layout.h"

namespace tilewright::dispatch::tma {

using layout::Dim;

enum class Proof : std::uint8_t { Proven, Disproven, Unknown };
std::string_view proof_name(Proof proof);
Proof prove_equal(Dim a, Dim b);
Proof prove_at_least(Dim a, std::int64_t least);
Proof prove_at_most(Dim a, std::int64_t most);
Proof prove_divisible(Dim a, Dim by);
Proof both(Proof a, Proof b);
inline Proof prove(bool holds) { return holds ? Proof::Proven : Proof::Disproven; }
inline bool proven(Proof p) { return p == Proof::Proven; }

// A dimension of the tensor map. The stride of the innermost one is not told to the driver.
struct SpecDim {
  Dim shape, stride;  // elements of the map; bytes
  Dim box, start;     // elements of the map
};

struct Spec {
  std::string_view dtype;     // of an element of the map, as the driver is told; "tf32" for tma_dtype
  int bits = 16;              // of one
  std::vector<SpecDim> dims;  // innermost first
  Dim inner_stride = 1;       // elements, of dimension 0
  Dim base;                   // bytes from the start of the storage to the element at coordinate 0
  int swizzle = 0;            // 0..3: none, 32, 64, 128 bytes
  int oob_fill = 0;
  bool to_shared = true;
  bool gathers = false;  // four rows, each named by its number
  bool reduces = false;  // combines with what is in global memory
  int cta_group = 1;
  bool barrier_address = false;  // the barrier as a 32-bit shared address
  ir::Target target;

  std::int64_t unit() const { return (bits + 7) / 8; }  // bytes of an element, 1 for half a byte
  bool packed() const { return bits < 8; }
  Dim transaction_bits() const;  // of one instruction
};

struct Finding {
  std::string_view rule;
  Proof proof;
  std::string message;
};
// The rules that are disproven, and with `open_too` those that are open and not checked at run time either, in the
// order of the rules.
std::vector<Finding> broken_rules(const Spec& spec, bool open_too);
// "box_dim: boxDim[0]=512 must be in [1, 256] [disproven]; ..."
std::string in_words(const std::vector<Finding>& findings);
// The box of the innermost dimension, were it of this shape and box: what changes with the choice of that dimension.
bool legal_innermost(const Spec& spec, Dim shape, Dim box);

// The element type that the driver is told: an error names why there is none.
struct MapType {
  std::string_view name;
  int bits = 0;
};
std::expected<MapType, Reason> map_type_of(ir::DataType dtype, ir::Expr tma_dtype);

}  // namespace tilewright::dispatch::tma

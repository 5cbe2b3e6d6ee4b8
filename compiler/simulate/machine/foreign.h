// CUDA source of the author's own (T.cuda.func_call), as far as it can be looked into.
//
// A function whose body is straight-line PTX of moves, shifts and arithmetic is executed. One that takes and returns
// scalars, and touches neither memory nor other threads, has a result that is not known. All others are not modelled.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::simulate {

// A function of declarations, asm statements and one return.
struct PtxFunction {
  struct Operand {
    char kind = 'r';    // of the constraint: h, r, l, f, d
    std::string value;  // a variable of the function, or a number
  };
  struct Line {
    std::vector<std::string> op;  // "shl", "b32"
    std::vector<std::string> operands;
  };
  struct Block {
    std::vector<Operand> outs, ins;  // %0, %1, ... in this order
    std::vector<Line> lines;
  };
  std::vector<std::string> params;
  std::vector<Block> blocks;
  std::string result;  // the variable that is returned
};

// Nothing: the function is more than that, or there is none of this name.
std::optional<PtxFunction> ptx_function(std::string_view source, std::string_view name);

// Does nothing in the text reach memory, other threads or the end of the kernel?
bool is_function_of_scalars(std::string_view source);

// "-12", "0x7f", and of PTX "0f3f800000".
std::optional<std::uint64_t> ptx_number(std::string_view text);

}  // namespace tilewright::simulate

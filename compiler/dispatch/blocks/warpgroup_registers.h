// A matrix in the registers of a warpgroup, as wgmma adds up in it and takes A from it (layout/wgmma.h).
//
// Which thread has which element is fixed by the instruction: 16 rows a warp, four lanes a row. Which register of that
// thread has it is free, since an instruction names its registers one by one.
#pragma once
#include <cstdint>

#include "compiler/dispatch/blocks/iters.h"

namespace tilewright::dispatch {

struct WarpgroupRegisters {
  const ir::Buffer* buffer = nullptr;
  std::int64_t rows = 0, columns = 0;  // of the region

  // Where a lane keeps element `e` of its neighbours in column group `group`, of the upper (0) or lower (1) eight of
  // its warp's rows in the `tile`-th 64: an element of the buffer's flat view.
  ir::Expr at(std::int64_t tile, std::int64_t half, std::int64_t group, std::int64_t e) const;
  // Every `count` neighbours from e = 0 on fill one register of 32 bits.
  bool fills_words(std::int64_t count) const;

  layout::Dim start{};  // of the region
  Walks tiles{}, halves{}, groups{}, neighbours{};
};

// `neighbours`: consecutive elements of a row that one lane has before the next lane's. Error: what wgmma wants of the
// layout and is not there.
std::expected<WarpgroupRegisters, Reason> warpgroup_registers(const ir::Region& region, std::int64_t neighbours);

}  // namespace tilewright::dispatch

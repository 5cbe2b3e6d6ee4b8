// The record of a run: who did what when (timeline.h makes it).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/stmt.h"

namespace tilewright::simulate {

struct TimelineEvent {
  // A stretch on a track; an arrow from within one stretch to within another. Stretches of a track follow each other.
  enum class Kind : std::uint8_t { Begin, End, FlowBegin, FlowEnd } kind = Kind::Begin;
  std::uint32_t process = 0, track = 0;  // a CTA of the grid; a warp, or from 1000 on operations
  std::uint64_t time = 0;                // instructions executed by then
  std::uint32_t flow = 0;                // the arrow's number
  std::string name, detail;
  ir::Origin origin;
};

struct TimelineRecord {
  struct Name {
    std::uint32_t process;
    int track;  // -1: the process
    std::string name;
  };
  std::vector<Name> names;
  std::vector<TimelineEvent>
      events;  // not in order of time: what prints them sorts, and keeps those of one time in order
  std::uint32_t processes = 0, flows = 0;  // so many CTAs and arrows
  std::uint64_t left_out = 0;              // stretches for which there was no room
};

}  // namespace tilewright::simulate

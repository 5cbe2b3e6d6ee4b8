// Work on all cores, and its results in order.
//
// A command line and a build do many independent things: files to check, programs to compile. Each is one *piece*: a
// thread takes the next free one, and the calling thread hands the results on in the order of the pieces, each as soon
// as those before it are there. So the output is the same as with one core, byte for byte. Pieces share nothing that
// changes.
#pragma once
#include <cstddef>
#include <functional>
#include <stop_token>
namespace tilewright::threads {

// For `jobs`: every core that this process may use.
inline constexpr unsigned kAllCores = 0;
unsigned threads_of(unsigned jobs);  // the number that it stands for, 1 at least

// Calls `work(piece)` for 0 to `pieces` - 1 on `jobs` threads, and `finish(piece)` in order on the calling thread. With
// one job, or one piece, the calling thread does all of it. False: `stop` was requested; pieces that had begun are
// waited for (they see the same token), and no further `finish` is called. What a piece throws is thrown here, at its
// turn. `waiting(done)` is called about ten times a second with the number of pieces that are done.
bool in_order(std::size_t pieces, unsigned jobs, const std::stop_token& stop,
              const std::function<void(std::size_t)>& work, const std::function<void(std::size_t)>& finish,
              const std::function<void(std::size_t)>& waiting = {});

}  // namespace tilewright::threads

// The memory that this process holds of the system's. Called on any thread.
#pragma once
#include <cstddef>

namespace tilewright::ide {

std::size_t resident_bytes();
// By much since memory was last given back, or since it was last less: an analysis may have left more free than it
// kept.
bool resident_has_grown();
// What lies free between what is in use goes back to the system, which takes some milliseconds.
void give_free_memory_back();

}  // namespace tilewright::ide

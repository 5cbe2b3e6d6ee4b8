// Open files of a server: as many as the system lets it have, shared between connections and what clients store.
#pragma once
#include <cstddef>

namespace tilewright::endpoint {

// Raises the soft limit of this process to the hard one, up to 65,536. Returns the limit that holds.
std::size_t raise_descriptor_limit();

// Half of the limit is for connections, so many files each; the other half for what clients bring.
inline constexpr std::size_t kFilesOfConnection = 5;
std::size_t most_connections();
std::size_t most_files_of_clients();

}  // namespace tilewright::endpoint

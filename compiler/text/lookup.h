// Looking a key up.
#pragma once

namespace tilewright::text {

// What a map has for the key, or null.
template <class Map, class Key>
const typename Map::mapped_type* found_in(const Map& map, const Key& key) {
  auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}

}  // namespace tilewright::text

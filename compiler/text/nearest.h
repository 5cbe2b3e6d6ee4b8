// The name that somebody meant who wrote another one: for "did you mean" and its edit.
#pragma once
#include <string_view>

namespace tilewright::text {

// Edits that lead from one word to the other: letters put in, taken out, replaced, or exchanged with their neighbour.
// Above `limit` only that it is above.
int edit_distance(std::string_view a, std::string_view b, int limit);

// The nearest of the names considered: one edit away in a word of three letters or less, and with the same first letter
// in either case or its first two exchanged, else two. Of several equally near the first. Words of one letter, and
// those beyond 64, are near to nothing.
class Nearest {
 public:
  // Among a few names, such as the keywords of one call, a short word may begin differently, too.
  enum class Among { Many, Few };
  explicit Nearest(std::string_view wrong, Among among = Among::Many);
  void consider(std::string_view name);
  std::string_view found() const { return found_; }  // empty: nothing is near

 private:
  std::string_view wrong_, found_;
  bool few_;
  int best_;
};

}  // namespace tilewright::text

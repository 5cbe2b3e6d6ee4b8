// The known name that is nearest to an unknown one: for "did you mean" and its edit.
#pragma once
#include <string_view>

namespace tilewright::text {

// Edits that lead from one word to the other: letters put in, taken out, replaced, or exchanged with their neighbour.
// Above `limit` only that it is above.
int edit_distance(std::string_view a, std::string_view b, int limit);

// The nearest of the names considered. Of a word of three letters or less: one edit away, and with the same first
// letter in either case or its first two exchanged; of five or less one edit away; else two. Of several equally near
// the one that the likelier slip leads to: another spelling or letters exchanged, then letters left out or doubled,
// then others; of those the first. Words of one letter are near to nothing, but among a few names to the same letter in
// the other case; those beyond 64 never.
class Nearest {
 public:
  // Among a few names, such as the keywords of one call, two edits may lead to a word of four letters, and a short word
  // may begin differently, too. Among names one of
  // which is certainly meant a word of three letters may lack its first.
  enum class Among { Many, Meant, Few };
  explicit Nearest(std::string_view wrong, Among among = Among::Many);
  void consider(std::string_view name);
  std::string_view found() const { return found_; }  // empty: nothing is near

 private:
  std::string_view wrong_, found_;
  Among among_;
  int best_;      // edits, one more than are allowed at first
  int slip_ = 0;  // how unlikely the slip is that leads from `found_` to `wrong_`
};

}  // namespace tilewright::text

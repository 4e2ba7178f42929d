// A picture made of formulas: points, lines, springs and texts at places that depend on t, q and u.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/formula/tape.hpp"

namespace saltus {

struct Drawing {
  enum class Kind : std::uint8_t { point, line, spring, text };
  struct Item {
    Kind kind = Kind::point;
    std::string name, text;
    int first = 0, places = 1;  ///< outputs of the tape: three for each place, and the value of a text
    double radius = 0;          ///< of a point; 0: a dot of a size that is easy to see
    int colour = 0;
    bool trail = false, valued = false;
  };
  std::vector<Item> items;
  Tape tape;  ///< inputs: t, then q, then u
};

}  // namespace saltus

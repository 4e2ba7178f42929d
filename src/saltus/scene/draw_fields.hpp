// Fields of the section `draw`: a picture of formulas.
#pragma once
#include "saltus/scene/entry.hpp"

namespace saltus {

struct SceneDraw {
  std::vector<Formula> point, at;
  std::vector<std::vector<Formula>> line, spring;
  Word text;
  Formula value;
  Value radius;
  AtLeast<0> colour;
  bool trail = false;
  template <class V>
  void fields(V&& v) {
    v(Note{"point", "[x, y]: formulas of coordinates, velocities, t and parameters"}, point);
    v(Note{"line", "[[x, y], [x, y], …]: straight from place to place"}, line);
    v(Note{"spring", "[[x, y], [x, y]]: a spring between two places"}, spring);
    v(Note{"text", "a text beside the place `at`, in quotes"}, text);
    v(Note{"at", "[x, y] of the text"}, at);
    v(Note{"value", "a formula whose value stands behind the text"}, value);
    v(Note{"radius", "of the point, to scale; a dot when left out"}, radius);
    v(Note{"colour", "a number of the palette, 0 to 7 (0)"}, colour);
    v(Note{"trail", "the point leaves its path behind (false)"}, trail);
  }
};

}  // namespace saltus

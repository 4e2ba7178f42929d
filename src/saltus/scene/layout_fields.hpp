// Where the bodies of a group stand at the start.
#pragma once
#include "saltus/core/fields.hpp"

namespace saltus {

inline constexpr double most_members = 10'000;  ///< bodies of one group

struct GridLayout {
  static constexpr std::string_view name = "grid", summary = "rows and columns";
  int columns = 1, rows = 1;
  double x = 0, y = 0, dx = 0, dy = 0, shift = 0;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"columns", "", "bodies of a row", Range::closed(1, most_members)}, columns);
    v(FieldInfo{"rows", "", "rows, upwards", Range::closed(1, most_members)}, rows);
    v(FieldInfo{"x", "m", "of the first body"}, x);
    v(FieldInfo{"y", "m", "of the first body"}, y);
    v(FieldInfo{"dx", "m", "from one to the next of a row; 0: they just touch"}, dx);
    v(FieldInfo{"dy", "m", "from row to row; 0: they just touch"}, dy);
    v(FieldInfo{"shift", "m", "of every second row along x"}, shift);
  }
};

/// Common to the random ones.
struct RandomOptions {
  int count = 10, seed = 0;
  double distance = 0, spread = 0;
  bool turned = false;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"count", "", "number of bodies", Range::closed(1, most_members)}, count);
    v(FieldInfo{"seed", "", "of the places; 0: run.seed", Range::non_negative()}, seed);
    v(FieldInfo{"distance", "m", "least distance of the circles around two bodies", Range::non_negative()},
      distance);
    v(FieldInfo{"spread", "", "sizes are scaled by 1 ± spread, uniform; masses with the area",
                Range{0, 0.9, true, true}},
      spread);
    v(FieldInfo{"turned", "", "with random angles"}, turned);
  }
};

struct RandomLayout : RandomOptions {
  static constexpr std::string_view name = "random",
                                    summary = "random places in a rectangle, none overlapping";
  double left = 0, right = 1, bottom = 0, top = 1;
  template <class V>
  void fields(V&& v) {
    RandomOptions::fields(v);
    v(FieldInfo{"left", "m", "of the rectangle"}, left);
    v(FieldInfo{"right", "m", "of the rectangle"}, right);
    v(FieldInfo{"bottom", "m", "of the rectangle"}, bottom);
    v(FieldInfo{"top", "m", "of the rectangle"}, top);
  }
};

struct RandomCircleLayout : RandomOptions {
  static constexpr std::string_view name = "random-circle",
                                    summary = "random places in a circle, none overlapping";
  double x = 0, y = 0, radius = 1;
  template <class V>
  void fields(V&& v) {
    RandomOptions::fields(v);
    v(FieldInfo{"x", "m", "centre"}, x);
    v(FieldInfo{"y", "m", "centre"}, y);
    v(FieldInfo{"radius", "m", "of the circle", Range::positive()}, radius);
  }
};

struct ChainLayout {
  enum class Link : std::uint8_t { none, revolute, weld, distance, spring };
  enum class Anchor : std::uint8_t { none, first, last, both };
  static constexpr std::string_view link_names[] = {"none", "revolute", "weld", "distance", "spring"};
  static constexpr std::string_view anchor_names[] = {"none", "first", "last", "both"};
  static constexpr std::string_view name = "chain", summary = "a row, each body linked to the next";
  int count = 2;
  double x = 0, y = 0, dx = 0, dy = 0, stiffness = 1, damping = 0;
  Link link = Link::revolute;
  Anchor anchor = Anchor::none;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"count", "", "number of bodies", Range::closed(1, most_members)}, count);
    v(FieldInfo{"x", "m", "of the first body"}, x);
    v(FieldInfo{"y", "m", "of the first body"}, y);
    v(FieldInfo{"dx", "m", "from one to the next"}, dx);
    v(FieldInfo{"dy", "m", "from one to the next"}, dy);
    v(FieldInfo{"link", "",
                "between neighbours, halfway (revolute, weld) or of centres; none: they only touch"},
      link, Names(link_names));
    v(FieldInfo{"anchor", "", "which ends are linked to the ground, half a distance outside"}, anchor,
      Names(anchor_names));
    v(FieldInfo{"stiffness", "N/m", "of springs", Range::non_negative()}, stiffness);
    v(FieldInfo{"damping", "N s/m", "of springs", Range::non_negative()}, damping);
  }
};

using SceneLayout = std::variant<GridLayout, RandomLayout, RandomCircleLayout, ChainLayout>;

}  // namespace saltus

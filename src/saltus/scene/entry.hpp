// The kinds of entries a scene has: formulas, numbers with units, words, maps by names, choices.
#pragma once
#include <string>
#include <vector>

#include "saltus/core/fields.hpp"
#include "saltus/scene/node.hpp"

namespace saltus {

/// The description of a field. `unit`: what a value with a unit must be convertible to.
struct Note {
  std::string_view name, help;
  bool required = false;
  std::string_view unit = {};
};

/// A formula; what may occur in it depends on the field.
struct Formula {
  std::string text, path;
  Place place;
  bool given() const { return !text.empty(); }
};
/// A number, with a unit where wanted, or a formula of parameters: 9.81, "9.81 m/s^2", "m*g/k".
struct Value : Formula {
  std::string_view unit = {};  ///< of a plain number
};
/// A whole number that is not below `least`.
template <int least>
struct AtLeast {
  int value = least;
};
/// A word.
struct Word {
  std::string text, path;
  Place place;
  bool given() const { return !text.empty(); }
};

/// A map from names that the user chooses, in the order of the file.
template <class T>
struct Named {
  struct Entry {
    std::string name;
    Place place;
    T value;
  };
  std::vector<Entry> list;
  bool empty() const { return list.empty(); }
};

/// One or a list: `slip: x'` or `slip: [x', y']`.
template <class T>
struct OneOrMany {
  std::vector<T> list;
};

/// A name with settings: "name", "name:key=value,…", or a map {name: …, key: value}.
struct ChoiceText {
  Word name;
  struct Setting {
    std::string key;
    Value value;
  };
  std::vector<Setting> settings;
  Place place;
  bool given() const { return name.given(); }
};
/// One of the structs of a variant.
template <class Variant>
struct Choice : ChoiceText {};

/// A point or vector of the plane.
struct Pair {
  Value x, y;
  bool given() const { return x.given(); }
};

}  // namespace saltus

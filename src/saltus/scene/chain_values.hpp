// Quantities along a chain: from numbers, lists, formulas of the index, distributions and patterns to one
// value for each bead or contact.
#pragma once
#include "saltus/scene/compiler.hpp"

namespace saltus {

class ChainValues {
 public:
  ChainValues(SceneCompiler& compiler, int beads);

  enum class Of : std::uint8_t { beads, contacts };
  /// What a field means: its name is part of the random numbers.
  struct Quantity {
    std::string_view name;
    Of of = Of::beads;
    Range range = {};
    std::string_view unit = {};
    std::string_view hint = {};  ///< for values out of range
  };
  /// N values, or N + 1 of contacts with both ends; `missing` where it is not given. Lists of contacts have
  /// N − 1 entries, or N + 1; ends that are not in a list are `missing`. Complains of the first value that is
  /// out of range, and returns `missing` then.
  Vec values(const SceneAlong& along, const Quantity& quantity, double missing);
  /// The place of each bead's word in a list of names, 0 when it is not given.
  std::vector<int> names(const SceneAlong& along, std::string_view name, std::vector<Word>& known);

  int beads() const { return N_; }
  /// 0 … last − 1, from the end where it is negative; −1 after a complaint.
  int index(const Value& v, int last, std::string_view what);

 private:
  int count(Of of) const { return of == Of::beads ? N_ : N_ + 1; }
  /// All in this unit but the one at `pure`, which has none.
  std::vector<double> numbers(const std::vector<Value>& list, std::string_view unit, int pure = -1);
  void fill(const SceneAlong& along, const Quantity& quantity, Vec& out);
  void fill_list(const SceneAlong& along, const Quantity& quantity, Vec& out);
  void fill_formula(const SceneAlong& along, const Quantity& quantity, Vec& out);
  void fill_spread(const SceneAlong& along, const Quantity& quantity, Vec& out);
  /// Whether a spread has one kind, and of that as many entries as it needs; which one.
  struct Kind {
    std::string_view name;
    const std::vector<Value>* entries = nullptr;
    bool random = false;
  };
  std::optional<Kind> kind_of(const SceneAlong& along);
  std::optional<std::uint64_t> seed_of(const SceneAlong& along, const Kind& kind);

  SceneCompiler& c_;
  int N_;
};

}  // namespace saltus

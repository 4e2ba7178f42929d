// A mechanism as a problem, and one run of it as the judges see it: the states step by step.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechanisms/methods.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::mechanisms {

struct Case {
  Mechanism mechanism;
  Problem problem;
  std::vector<std::string> coordinates;
  double cpu_limit = 0;  ///< seconds for one run; 0: no limit
  const DynamicSystem& system() const { return *problem.system; }
  const System* mechanical() const { return as_mechanical(problem.system.get()); }
  Family family() const { return problem.system->family(); }
  int index(const std::string& coordinate) const;  ///< throws Error for an unknown one
  double energy(const State& x) const;             ///< NaN where the system has none
};
/// Throws Error where the scene is refused. `first_order`: as an ordinary differential equation.
Case make_case(const Mechanism& m, bool first_order = false);

/// The contacts of a state: what the system says of gap and velocity, and what the run's memory says of
/// impulses.
class Contacts {
 public:
  Contacts(const System& system, const State& x);
  struct Item {
    std::uint64_t id = 0;
    const Law* law = nullptr;
    Block gap, velocity, impulse;  ///< row by row; the gap of a tangent is 0
    double step = 0;
    bool acts = false;  ///< the memory has an impulse
  };
  const std::vector<Item>& items() const { return items_; }
  const Item* find(std::uint64_t id) const;

 private:
  std::vector<Item> items_;
};

struct Trace {
  enum class End { finished, failed, slow, refused } end = End::refused;
  std::string message;
  bool warned = false;                     ///< the run says that it cannot be trusted
  std::vector<State> states;               ///< the start and the end of every step
  mutable std::vector<Contacts> contacts;  ///< of the states, once somebody asked (contacts_of)
  bool finished() const { return end == End::finished; }
};
/// A run of much more than `factor` times as many steps as the scene's step asks for, tried ones included, is
/// cut off: slow. So is one that exceeds the case's limit of CPU time.
Trace trace(const Case& c, const Method& method, double factor = 1);

/// The contacts of all states; none for systems that are not mechanical.
const std::vector<Contacts>& contacts_of(const Case& c, const Trace& t);

}  // namespace saltus::mechanisms

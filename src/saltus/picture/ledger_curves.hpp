// The ledger of energy (Ledger in run/outcome.hpp) while a run goes on, as curves over its samples. What
// contacts took comes from the steps; the work of loads and of damping is the integral of the powers at the
// samples, by the trapezoidal rule: the ledger of the report is more accurate.
#pragma once
#include <vector>

#include "saltus/picture/contact_curves.hpp"

namespace saltus {

/// What contacts did to the energy, step by step: a sink.
class ContactEnergy {
 public:
  void operator()(const Segment& segment);
  struct Sums {
    double t = 0, impacts = 0, friction = 0, walls = 0;
  };
  bool empty() const { return sums_.empty(); }
  /// Up to a time; `left`: before what happens at it.
  Sums at(double t, bool left) const;

 private:
  std::vector<Sums> sums_;  // joined linearly; two at one time where an impact lies between them
};

/// Work of loads, what damping, friction and impacts took, and the balance: the energy plus all that was
/// taken less the work, which stays where it began. Empty where the system does not tell its powers. `unit`:
/// of energy.
std::vector<NamedCurve> ledger_curves(const Problem& problem, const Trajectory& samples,
                                      const std::vector<double>& energy, const ContactEnergy& contacts,
                                      const std::string& unit);

}  // namespace saltus

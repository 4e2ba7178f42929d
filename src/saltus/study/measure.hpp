// Measures: formulas of what a run came to, "2*energy.final/m" or "lost = energy.initial - energy.final".
//
//   final.t, final.q[i], final.u[i]               the last state; [-1] is the last component
//   final.NAME, max.NAME, final.NAME', …          the same by the name of a coordinate, NAME' its velocity
//   final.BODY.axis3.z, final.BODY.spin.x, final.distance(a, b)   of bodies in space (space_quantities.hpp)
//   max.q[i], min.u[i], max.abs_u, …              largest and smallest value, of all components without [i]
//   argmax.u[i], argmin.q[i], …                   the time at which it is first taken
//   energy.initial, energy.final
//   max.force[i], argmax.force[i], final.force[i] of contact i of a chain, which lies before bead i
//   max.overlap[i], …                             [-1] is the right end; of all contacts without [i]
//   arrival(i)                                    when the motion of a chain reaches bead i
//   front.speed                                   at which it goes on
//   transmitted                                   largest force of the last contact over that of the first
//   events, events.impact, events.open, …         how many
//   steps, rejected, force_evaluations, newton_iterations, contact_iterations, cpu_seconds
//   residual.contact, .gap, .position, .velocity
//   error.q_sup, error.u_l1, …                    against the reference, norms of reference.hpp
//   status                                        0 finished, 1 stopped, 2 failed, 3 interrupted
//   h, t_end, and the parameters of the problem; p.NAME where a quantity has the same name
//
// In a run that did not reach its end, what speaks about the whole of it is NaN; final.t, status, counts of
// work and parameters keep their values.
#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "saltus/catalog/catalog.hpp"
#include "saltus/expression/expression.hpp"
#include "saltus/run/checkpoint.hpp"
#include "saltus/study/quantity.hpp"

namespace saltus {

struct Measure {
  std::string name;  ///< the formula itself unless given
  Expression formula;
};
/// "EXPR" or "NAME = EXPR". Throws Error with a caret.
Measure parse_measure(std::string_view text);

/// A run to be measured, made for one set of values.
struct MeasuredCase {
  CatalogProblem problem;
  Method method;
  std::vector<FieldDescription> parameters;  ///< of the problem, resolved; for measures that name one
};

/// The measures of one study with their names looked up.
class Measures {
 public:
  /// Throws Error with a caret for a name that is neither a quantity nor one of the parameters.
  /// `velocities`: names of their own for u, beside NAME' of a coordinate.
  Measures(std::vector<Measure> measures, std::span<const FieldDescription> parameters,
           std::span<const std::string> coordinates = {}, std::span<const std::string> velocities = {});
  Measures(Measures&&) = default;  // a copy would look into the formulas of the other
  std::span<const Measure> list() const { return measures_; }

  /// Throws Error for what this problem does not have: an index out of range, no reference.
  void check(const CatalogProblem& problem) const;
  /// Runs and evaluates, one value per measure. Keeps no trajectory unless an error is asked for. Checks
  /// first.
  std::vector<double> run(const MeasuredCase& c, const RunControl& control, RunResult& result,
                          const Sink& sink = {}, const Checkpoints& points = {}) const {
    return evaluate(observe(c, control, result, sink, points));
  }
  /// Its two halves: the run, with what each variable of each measure came to, and the formulas.
  std::vector<double> observe(const MeasuredCase& c, const RunControl& control, RunResult& result,
                              const Sink& sink = {}, const Checkpoints& points = {}) const;
  std::vector<double> evaluate(std::span<const double> observed) const;

  /// The variables of all measures, one measure after the other.
  std::span<const Quantity> quantities() const { return quantities_; }
  /// Whether a measure names a parameter; a case needs none otherwise.
  bool use_parameters() const;
  /// The components of a problem's q or u that a quantity speaks about: [first, second[.
  static std::pair<int, int> components(const Quantity& quantity, const Problem& problem);
  static std::string_view scalar_name(const Quantity& quantity);  ///< of Kind::scalar

 private:
  Quantity look_up(const Expression& formula, const Expression::Variable& v,
                   std::span<const FieldDescription> parameters, std::span<const std::string> coordinates,
                   std::span<const std::string> velocities) const;

  std::vector<Measure> measures_;
  std::vector<Quantity> quantities_;  // of all measures, in the order of their variables
};

}  // namespace saltus

// Whether the motion depends on something that the model does not determine. Rigid contacts that are
// redundant (four feet on a plane) share their load in many ways. While all of them hold that is of no
// consequence; the friction of those that slide follows the shares, and with it the motion:
//
//     WᵀM⁻¹D n = 0,   D n ≠ 0,   λ + αn admissible
//
// with the directions W of what is closed, D those of its forces, friction of what slides included. The
// forces of any method can be asked: they come with its steps.
#pragma once
#include "saltus/run/memory.hpp"
#include "saltus/run/outcome.hpp"
#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"

namespace saltus {

class LoadShareWatch {
 public:
  explicit LoadShareWatch(const System& system);
  /// Whether contacts of the system have friction and can be redundant at all.
  static bool has_use(const System& system);
  void book(const Segment& s) {
    if (!found_ && s.end.contacts.closed.size() > 1 && s.end.t > s.begin.t) look(s);
  }
  void memory(Memory& m);
  /// The warning, if there is any.
  void close(RunResult& result) const;

 private:
  void look(const Segment& s);
  bool is_due(const ContactMemory& now);
  bool freeze(const Segment& s);
  bool touches(const Contact& c, const Vec& u) const;
  void take(const Contact& c, Mode mode, const double* P, int rows, double h, const Vec& u);
  bool solve(const State& x, double tilt, Vec& a, std::vector<double>& forces);
  double strength(const Vec& forces);

  const System& system_;
  Faults faults_;
  ClosedDynamics dynamics_;
  std::vector<FrozenContact> frozen_;
  std::vector<Load> loads_, tilted_;
  std::vector<double> forces_, other_;  // normal ones, of frozen_
  Vec rest_, a_, b_, push_;
  double gap_ = 0, rate_ = 0, rounding_ = 0;  // the largest of contacts that pressed; of any gap
  // what was looked at last, how long it has lasted, and when to look again
  std::vector<std::uint64_t> ids_;
  std::vector<Mode> modes_;
  std::int64_t lasted_ = 0, next_ = 1, steps_ = 0, looks_ = 0;
  bool found_ = false;
  double effort_ = 0;  // of the looks
  double t_ = 0, part_ = 0;
  std::vector<std::uint64_t> sharing_;
};

}  // namespace saltus

// A mechanical system with the memory to evaluate it. Its values are checked as they are evaluated: what is
// not finite, and a mass that is negative in some direction, is recorded (core/fault.hpp): with such a mass
// the equations still have solutions, which are no motion. Schemes hold their system in this form and share
// one record of faults; others that evaluate a system hold one without.
#pragma once
#include "saltus/core/fault.hpp"
#include "saltus/linalg/definite.hpp"
#include "saltus/system/curvature.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

class CheckedSystem {
 public:
  explicit CheckedSystem(const System& system) : system_(&system), work_(system.make_workspace()) {}
  CheckedSystem(const System& system, Faults& faults) : CheckedSystem(system) { work_->share(faults); }
  operator const System&() const { return *system_; }  // NOLINT: meant to convert
  const System* operator->() const { return system_; }
  Workspace& workspace() const { return *work_; }

  Shape shape() const { return system_->shape(); }
  std::span<const Law> laws() const { return system_->laws(); }
  std::string contact_name(std::uint64_t id) const { return system_->contact_name(id); }
  double energy(double t, In q, In u) const { return system_->energy(t, q, u, *work_); }
  double potential(double t, In q) const { return system_->potential(t, q, *work_); }
  void retract(In q, In v, Out out) const { system_->retract(q, v, out); }
  double closing_speed(In u) const { return system_->closing_speed(u); }

  void mass(double t, In q, Matrix& M) const {
    system_->mass(t, q, M, *work_);
    check_matrix("mass", t, M);
    if (const NegativePivot found = negative_pivot(M, room_))
      work_->faults().note({"mass", found.row, false, 0, found.value, t});
  }
  void force(double t, In q, In u, Out h) const {
    system_->force(t, q, u, h, *work_);
    check_values(work_->faults(), "force", t, h.data(), h.size());
  }
  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du) const {
    system_->force_jacobians(t, q, u, dq, du, *work_);
    check_matrix("derivative of the force by positions", t, dq);
    check_matrix("derivative of the force by velocities", t, du);
  }
  void list(double t, In q, ContactSet& out) const {
    system_->list(t, q, out, *work_);
    check_rows("gap", t, out, out.gap);
  }
  /// What may close while velocities u last for a time.
  void list_moving(double t, In q, In u, double lead, ContactSet& out) const {
    out.look_ahead = lead * system_->closing_speed(u);
    out.velocities = u.data(), out.lead = lead;
    list(t, q, out);
    out.velocities = nullptr;
  }
  void gaps(double t, In q, ContactSet& out) const {
    system_->gaps(t, q, out, *work_);
    check_rows("gap", t, out, out.gap);
  }
  void directions(double t, In q, ContactSet& out) const {
    system_->directions(t, q, out, *work_);
    check_rows("rate of the gap with time", t, out, out.drift);
    check_directions(t, out);
  }
  void bias(double t, In q, In u, ContactSet& out) const {
    system_->bias(t, q, u, out, *work_);
    check_rows("second derivative of the gap", t, out, out.bias);
  }
  /// Only where curved() is not null.
  void curvature(double t, In q, In u, In a, const double* lambda, Matrix& K, Curvature& out) const {
    system_->curved()->curvature(t, q, u, a, lambda, K, out, *work_);
  }
  bool curved() const { return system_->curved() != nullptr; }

 private:
  void check_matrix(const char* quantity, double t, const Matrix& A) const {
    if (!A.all_finite()) note_entry(quantity, t, A);
  }
  void check_rows(const char* quantity, double t, const ContactSet& set, const std::vector<double>& x) const {
    if (!saltus::all_finite(x.data(), static_cast<std::ptrdiff_t>(x.size())))
      note_row(quantity, t, set, x.data(), static_cast<int>(x.size()));
  }
  void check_directions(double t, const ContactSet& set) const;
  void note_entry(const char* quantity, double t, const Matrix& A) const;
  void note_row(const char* quantity, double t, const ContactSet& set, const double* x, int n) const;

  const System* system_;
  std::unique_ptr<Workspace> work_;
  mutable std::vector<double> room_;  // of negative_pivot
};

}  // namespace saltus

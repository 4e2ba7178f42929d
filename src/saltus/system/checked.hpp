// A mechanical system whose values are looked at as they are evaluated: what is not finite is noted
// (core/fault.hpp). Schemes hold their system in this form; it is as long as a pointer.
#pragma once
#include "saltus/core/fault.hpp"
#include "saltus/system/first_order.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

class CheckedSystem {
 public:
  CheckedSystem(const System& system) : system_(&system) {}  // NOLINT: meant to convert
  operator const System&() const { return *system_; }        // NOLINT: meant to convert

  Shape shape() const { return system_->shape(); }
  std::span<const Law> laws() const { return system_->laws(); }
  std::string contact_name(std::uint64_t id) const { return system_->contact_name(id); }
  double energy(double t, In q, In u) const { return system_->energy(t, q, u); }
  void retract(In q, In v, Out out) const { system_->retract(q, v, out); }
  double closing_speed(In u) const { return system_->closing_speed(u); }

  void mass(double t, In q, Matrix& M) const {
    system_->mass(t, q, M);
    check_matrix("mass", t, M);
  }
  void force(double t, In q, In u, Out h) const {
    system_->force(t, q, u, h);
    check_values("force", t, h.data(), h.size());
  }
  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du) const {
    system_->force_jacobians(t, q, u, dq, du);
    check_matrix("derivative of the force by positions", t, dq);
    check_matrix("derivative of the force by velocities", t, du);
  }
  void gaps(double t, In q, ContactSet& out) const {
    system_->gaps(t, q, out);
    check_rows("gap", t, out, out.gap);
  }
  void directions(double t, In q, ContactSet& out) const {
    system_->directions(t, q, out);
    check_rows("rate of the gap with time", t, out, out.drift);
    check_directions(t, out);
  }
  void bias(double t, In q, In u, ContactSet& out) const {
    system_->bias(t, q, u, out);
    check_rows("second derivative of the gap", t, out, out.bias);
  }

 private:
  static void check_matrix(const char* quantity, double t, const Matrix& A) {
    if (!A.all_finite()) note_entry(quantity, t, A);
  }
  static void check_rows(const char* quantity, double t, const ContactSet& set,
                         const std::vector<double>& x) {
    if (!saltus::all_finite(x.data(), static_cast<std::ptrdiff_t>(x.size())))
      note_row(quantity, t, set, x.data(), static_cast<int>(x.size()));
  }
  static void check_directions(double t, const ContactSet& set);
  static void note_entry(const char* quantity, double t, const Matrix& A);
  static void note_row(const char* quantity, double t, const ContactSet& set, const double* x, int n);

  const System* system_;
};

/// The same for a system of first order.
class CheckedFirstOrder {
 public:
  CheckedFirstOrder(const FirstOrderSystem& system) : system_(&system) {}  // NOLINT: meant to convert
  operator const FirstOrderSystem&() const { return *system_; }            // NOLINT: meant to convert

  void rhs(double t, In y, Out f) const {
    system_->rhs(t, y, f);
    check_values("rate", t, f.data(), f.size());
  }
  void jacobian(double t, In y, Matrix& J) const;
  void pack(double t, In q, In u, Out y) const { system_->pack(t, q, u, y); }
  void unpack(double t, In y, Out q, Out u) const { system_->unpack(t, y, q, u); }

 private:
  const FirstOrderSystem* system_;
};

}  // namespace saltus

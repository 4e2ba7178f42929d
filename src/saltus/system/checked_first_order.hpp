// A system of first order with the memory to evaluate it; values that are not finite are recorded
// (core/fault.hpp).
#pragma once
#include "saltus/system/first_order.hpp"

namespace saltus {

class CheckedFirstOrder {
 public:
  explicit CheckedFirstOrder(const FirstOrderSystem& system)
      : system_(&system), work_(system.make_workspace()) {}
  CheckedFirstOrder(const FirstOrderSystem& system, Faults& faults) : CheckedFirstOrder(system) {
    work_->share(faults);
  }
  operator const FirstOrderSystem&() const { return *system_; }  // NOLINT: meant to convert

  void rhs(double t, In y, Out f) const {
    system_->rhs(t, y, f, *work_);
    check_values(work_->faults(), "rate", t, f.data(), f.size());
  }
  void jacobian(double t, In y, Matrix& J) const;
  double energy(double t, In q, In u) const { return system_->energy(t, q, u, *work_); }
  void pack(double t, In q, In u, Out y) const { system_->pack(t, q, u, y); }
  void unpack(double t, In y, Out q, Out u) const { system_->unpack(t, y, q, u); }

 private:
  const FirstOrderSystem* system_;
  std::unique_ptr<Workspace> work_;
};

}  // namespace saltus

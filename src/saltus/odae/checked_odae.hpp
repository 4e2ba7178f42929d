// An overdetermined DAE with the memory to evaluate it; values that are not finite are recorded
// (core/fault.hpp).
#pragma once
#include "saltus/core/fault.hpp"
#include "saltus/odae/odae_system.hpp"

namespace saltus {

class CheckedOdae {
 public:
  explicit CheckedOdae(const OdaeSystem& system) : system_(&system), work_(system.make_workspace()) {}
  CheckedOdae(const OdaeSystem& system, Faults& faults) : CheckedOdae(system) { work_->share(faults); }
  operator const OdaeSystem&() const { return *system_; }  // NOLINT: meant to convert
  const OdaeSystem* operator->() const { return system_; }
  Workspace& workspace() const { return *work_; }
  double energy(double t, In y, In z) const { return system_->energy(t, y, z, *work_); }
  double landing_slip(int i, double t, In y, In z) const { return system_->landing_slip(i, t, y, z, *work_); }

  int ny() const { return system_->ny(); }
  int nz() const { return system_->nz(); }
  int m() const { return system_->m(); }
  const std::vector<OdaeConstraint>& constraints() const { return system_->constraints(); }
  double first_multiplier(int i) const { return system_->first_multiplier(i); }
  std::uint64_t contact_id(int i) const { return system_->contact_id(i); }

  void velocity(double t, In y, In z, Out v) const {
    system_->velocity(t, y, z, v, *work_);
    check_values(work_->faults(), "velocity", t, v.data(), v.size());
  }
  void force(double t, In y, In z, Out f) const {
    system_->force(t, y, z, f, *work_);
    check_values(work_->faults(), "force", t, f.data(), f.size());
  }
  void reaction(double t, In y, In z, In psi, Out r) const {
    system_->reaction(t, y, z, psi, r, *work_);
    check_values(work_->faults(), "reaction", t, r.data(), r.size());
  }
  void gap(double t, In y, Out g) const {
    system_->gap(t, y, g, *work_);
    check_values(work_->faults(), "gap", t, g.data(), g.size());
  }
  void rate(double t, In y, In z, Out gamma) const {
    system_->rate(t, y, z, gamma, *work_);
    check_values(work_->faults(), "rate of the gap", t, gamma.data(), gamma.size());
  }
  void bias(double t, In y, In z, Out b) const {
    system_->bias(t, y, z, b, *work_);
    check_values(work_->faults(), "second derivative of the gap", t, b.data(), b.size());
  }
  void velocity_jacobians(double t, In y, In z, Mat* v_y, Mat* v_z) const {
    system_->velocity_jacobians(t, y, z, v_y, v_z, *work_);
    check("derivative of the velocity", t, v_y, v_z);
  }
  void force_jacobians(double t, In y, In z, Mat* f_y, Mat* f_z) const {
    system_->force_jacobians(t, y, z, f_y, f_z, *work_);
    check("derivative of the force", t, f_y, f_z);
  }
  void reaction_jacobians(double t, In y, In z, In psi, Mat* r_y, Mat* r_z, Mat* r_psi) const {
    system_->reaction_jacobians(t, y, z, psi, r_y, r_z, r_psi, *work_);
    check("derivative of the reaction", t, r_y, r_z, r_psi);
  }
  void gap_jacobian(double t, In y, Mat& G) const {
    system_->gap_jacobian(t, y, G, *work_);
    check("derivative of the gap", t, &G);
  }
  void rate_jacobians(double t, In y, In z, Mat* gamma_y, Mat* gamma_z) const {
    system_->rate_jacobians(t, y, z, gamma_y, gamma_z, *work_);
    check("derivative of the rate of the gap", t, gamma_y, gamma_z);
  }
  void impact_directions(double t, In y, In z, Mat& N) const {
    system_->impact_directions(t, y, z, N, *work_);
    check("direction of an impact", t, &N);
  }

 private:
  void check(const char* quantity, double t, const Mat* a, const Mat* b = nullptr,
             const Mat* c = nullptr) const {
    for (const Mat* A : {a, b, c})
      if (A) check_values(work_->faults(), quantity, t, A->data(), A->size());
  }
  const OdaeSystem* system_;
  std::unique_ptr<Workspace> work_;
};

}  // namespace saltus

// Overdetermined differential-algebraic equations, where r may be nonlinear in ψ:
//
//     ẏ = v(y,z),   ż = f(y,z) + r(y,z,ψ),   0 = g(y),   0 = γ(y,z) := g_y v,      g_y v_z r_ψ invertible.
//
// A unilateral constraint has 0 ≤ g ⊥ ψ ≥ 0 instead, and an impact where it closes: z jumps by N P, with
// restitution γ⁺ = −e γ⁻. In a State y is `q` and z is `u`; the first m() entries of `aux` are ψ. The paper's
// equations do not know the time; the adapter of mechanical systems needs it, so it accompanies y.
#pragma once
#include <string>
#include <vector>

#include "saltus/system/system.hpp"

namespace saltus {

using Mat = Eigen::MatrixXd;

struct OdaeConstraint {
  std::string name;
  bool unilateral = false;
  double e = 0;  ///< restitution of a unilateral one
};

class OdaeSystem : public DynamicSystem {
 public:
  Family family() const final { return Family::odae; }
  virtual int ny() const = 0;
  virtual int nz() const = 0;
  virtual const std::vector<OdaeConstraint>& constraints() const = 0;
  int m() const { return static_cast<int>(constraints().size()); }

  virtual void velocity(double t, In y, In z, Out v, Workspace& w) const = 0;
  virtual void force(double t, In y, In z, Out f, Workspace& w) const = 0;
  virtual void reaction(double t, In y, In z, In psi, Out r, Workspace& w) const = 0;
  virtual void gap(double t, In y, Out g, Workspace& w) const = 0;
  virtual void rate(double t, In y, In z, Out gamma, Workspace& w) const = 0;  ///< γ = dg/dt along v
  virtual void bias(double t, In y, In z, Out b,
                    Workspace& w) const = 0;  ///< dγ/dt along v with z held: g_yy(v,v) + …

  // Derivatives into matrices of the right size; a null pointer is not wanted.
  virtual void velocity_jacobians(double t, In y, In z, Mat* v_y, Mat* v_z, Workspace& w) const = 0;
  virtual void force_jacobians(double t, In y, In z, Mat* f_y, Mat* f_z, Workspace& w) const = 0;
  virtual void reaction_jacobians(double t, In y, In z, In psi, Mat* r_y, Mat* r_z, Mat* r_psi,
                                  Workspace& w) const = 0;
  virtual void gap_jacobian(double t, In y, Mat& G, Workspace& w) const = 0;
  virtual void rate_jacobians(double t, In y, In z, Mat* gamma_y, Mat* gamma_z, Workspace& w) const = 0;
  /// N: column i is the jump of z by a unit impulse of constraint i, without friction. Unilateral ones only.
  virtual void impact_directions(double t, In y, In z, Mat& N, Workspace& w) const = 0;

  /// Where the search for the first ψ begins: r may allow several.
  virtual double first_multiplier(int /*constraint*/) const { return 1; }
  double energy(double t, In y, In z, Workspace& w) const override;
  /// How fast a contact slides, where its friction has an impulse when it lands; 0 for all others.
  virtual double landing_slip(int /*constraint*/, double /*t*/, In /*y*/, In /*z*/, Workspace& /*w*/) const {
    return 0;
  }
  /// The id that events and contact memories use for a unilateral constraint.
  virtual std::uint64_t contact_id(int constraint) const { return static_cast<std::uint64_t>(constraint); }
  std::string contact_name(std::uint64_t id) const override { return constraints()[id].name; }
  bool has_unilateral() const;
};

/// What must hold before a run: sizes, finite numbers. Consistency: hidden_constraint.hpp.
void check_sizes(const OdaeSystem& system, double t0, double t_end, In y0, In z0);

}  // namespace saltus

// A mechanical system as an ODAE: y = q, z = u,
//
//     q̇ = u,   u̇ = M⁻¹h + M⁻¹(W ψ + friction),   g = the joints' and contacts' gaps.
//
// Joints (Equality) are bilateral, contacts (Unilateral, Coulomb) unilateral with their normal restitution.
// Coulomb contacts slide with ‖F‖ = μ |ψ|^p against the slip: p = 1 is Coulomb's law, other powers make r
// nonlinear in ψ. Sticking is no ODAE: at zero slip the friction is zero. For constant M the schemes are
// symplectic in (q, Mu).
//
// Derivatives of h, g and γ are those of the system (γ_q by polarisation of the bias, which is exact). Only
// M⁻¹h and M⁻¹W are differentiated by differences, where M or W vary with q: they steer an iteration and are
// in no result.
#pragma once
#include <memory>

#include "saltus/linalg/factor.hpp"
#include "saltus/odae/odae_system.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

struct PowerFriction {
  double exponent = 1;  ///< p > 0
};

class MechanicalOdae final : public OdaeSystem {
 public:
  /// Borrows the system. Throws Error for rotations, changing lists of contacts and laws that are no
  /// constraints.
  explicit MechanicalOdae(const System& system, PowerFriction friction = {});
  /// Owns it.
  explicit MechanicalOdae(std::shared_ptr<const System> system, PowerFriction friction = {});

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Room>(system_); }
  int ny() const override { return n_; }
  int nz() const override { return n_; }
  const std::vector<OdaeConstraint>& constraints() const override { return constraints_; }

  void velocity(double t, In y, In z, Out v, Workspace& w) const override;
  void force(double t, In y, In z, Out f, Workspace& w) const override;
  void reaction(double t, In y, In z, In psi, Out r, Workspace& w) const override;
  void gap(double t, In y, Out g, Workspace& w) const override;
  void rate(double t, In y, In z, Out gamma, Workspace& w) const override;
  void bias(double t, In y, In z, Out b, Workspace& w) const override;
  void velocity_jacobians(double t, In y, In z, Mat* v_y, Mat* v_z, Workspace& w) const override;
  void force_jacobians(double t, In y, In z, Mat* f_y, Mat* f_z, Workspace& w) const override;
  void reaction_jacobians(double t, In y, In z, In psi, Mat* r_y, Mat* r_z, Mat* r_psi,
                          Workspace& w) const override;
  void gap_jacobian(double t, In y, Mat& G, Workspace& w) const override;
  void rate_jacobians(double t, In y, In z, Mat* gamma_y, Mat* gamma_z, Workspace& w) const override;
  void impact_directions(double t, In y, In z, Mat& N, Workspace& w) const override;

  /// 0 for joints, without friction, and for powers below 1 (h (P/h)^p → 0).
  double landing_slip(int constraint, double t, In y, In z, Workspace& w) const override;

  double energy(double t, In y, In z, Workspace& w) const override {
    return static_cast<Room&>(w).system.energy(t, y, z);
  }
  std::uint64_t contact_id(int constraint) const override { return rows_[constraint].contact; }
  std::string contact_name(std::uint64_t id) const override { return system_.contact_name(id); }

 private:
  struct Row {  // of a constraint, in the system's ContactSet
    int row = 0, tangents = 0;
    double mu = 0;
    std::uint64_t contact = 0;
  };
  struct Room : Workspace {
    explicit Room(const System& mechanical);
    void share(Faults& faults) override { Workspace::share(faults), system.workspace().share(faults); }

    CheckedSystem system;
    ContactSet set;
    Matrix M, by_q, by_u;
    Factor factor;
    bool factored = false, listed = false;
    Vec x, moved, other;
    double slip[2] = {0, 0};

    void look(double t, In q);  // gaps, directions
    void gaps(double t, In q);
    void divide(double t, In q, Vec& v);  // v ← M⁻¹v
    void add_row(int row, double factor, Vec& v) const;
    double row_velocity(int row, In u) const;
    double slip_of(const Row& c, In u);  // its size; the velocities in slip
  };

  const System& system_;
  std::shared_ptr<const System> owned_;
  PowerFriction friction_;
  Shape shape_;
  int n_ = 0;
  std::vector<OdaeConstraint> constraints_;
  std::vector<Row> rows_;
};

/// The system itself, borrowed, or a mechanical one seen as an ODAE. Throws Error for other families.
std::shared_ptr<const OdaeSystem> as_odae(const DynamicSystem& system);

}  // namespace saltus

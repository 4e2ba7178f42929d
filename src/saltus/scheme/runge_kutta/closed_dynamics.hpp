// Smooth motion with a frozen set of closed contacts and joints, the index-1 DAE of Acary 2012, (62),
// corrected:
//
//     M u̇ = F + D λ,   0 = Wᵀ u̇ + bias,   bias = d(Wᵀ)/dt u + dχ/dt.
//
// W holds the normal rows of closed contacts, the tangential rows of sticking ones, and the joints. D = W but
// for slipping contacts, whose normal column carries the friction it causes: w_N − μ w_T s, s the direction
// of slip. With the multipliers eliminated this is an ordinary differential equation u̇ = a(t, q, u), so any
// Runge–Kutta method applies; the curvature in `bias` is what keeps its order on curved constraints.
//
// Both equations are solved together by one sparse factor (linalg/saddle_factor.hpp): linear cost for chains
// and trees of bodies, bars and beams. Constraints may be redundant: a is unique, and λ is the one of least
// norm. Not so where a contact slides: its friction follows its share of the load, so a depends on how
// redundant rows share it. Of all λ the one closest to given forces is taken, which obey the laws
// (share_load). Which rows are redundant is decided where the constraints hold, at freeze() and begin_step():
// off them, as the stages of a step are, nearly dependent rows contradict each other a little, and dividing
// by that little would make a jump.
#pragma once
#include <array>
#include <vector>

#include "saltus/linalg/factor.hpp"
#include "saltus/linalg/saddle_factor.hpp"
#include "saltus/scheme/runge_kutta/frozen_contact.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

class ClosedDynamics {
 public:
  ClosedDynamics(const System& system, Faults& faults);
  const System& system() const { return system_; }

  /// The contacts held closed and the laws without a gap with their modes, in increasing id; joints are added
  /// by themselves.
  void freeze(std::span<const FrozenContact> closed);

  /// Forces that obey the laws, increasing ids, joints included: how redundant rows share the load while
  /// contacts slide.
  void share_load(std::span<const Load> loads) {
    loads_.assign(loads.begin(), loads.end()), rows_known_ = false;
  }

  /// Which contacts are listed near (t, q) from now on, for systems whose list changes; others list all.
  /// Without it the first evaluation lists them.
  void list(double t, const Vec& q, double look_ahead);

  /// contradictory: no acceleration keeps all that is closed, see contradiction().
  enum class Status : std::uint8_t { ok, singular_mass, contradictory, not_finite };
  /// a(t, q, u); the multipliers and the contact set stay readable until the next call.
  Status acceleration(double t, const Vec& q, const Vec& u, Vec& a) { return evaluate(t, q, u, a, true); }
  /// The same where only a is wanted: the multipliers of redundant rows are any that do, and gaps stay those
  /// of the last full evaluation.
  Status stage_acceleration(double t, const Vec& q, const Vec& u, Vec& a) {
    return evaluate(t, q, u, a, false);
  }
  /// The same for inner stages, which nobody asks for again: where nothing is closed, the last evaluation
  /// stays known and only the force is evaluated.
  Status inner_acceleration(double t, const Vec& q, const Vec& u, Vec& a);
  /// A stage of an implicit step, evaluated at states closer and closer to each other: the factor of the
  /// first one serves the others, whose accelerations and multipliers are corrected by what they miss. As the
  /// states come together, so do those.
  struct Stage {
    SaddleFactor<double> saddle;
    std::vector<double> x;  // a and λ
    bool begun = false;     ///< false: the next evaluation is the first
  };
  Status stage_acceleration(double t, const Vec& q, const Vec& u, Vec& a, Stage& stage);
  /// Gaps and directions at (t, q) alone: all that is needed to watch open contacts where nothing is closed.
  void place(double t, const Vec& q);
  /// The next evaluation is at a state that meets the constraints: redundant rows are looked for anew.
  void begin_step() { decide_ = true; }
  /// The directions of slip with two tangents refer to the next evaluation. Held, friction keeps them: within
  /// the last piece of a step before a stop the velocity turns too fast for an implicit method to follow.
  /// Speeds of slip below this are rounding, and have the direction that was frozen: that in which the
  /// accelerations begin it.
  void ignore_slip_below(double speed) { no_slip_ = speed; }
  void renew_slip(bool hold) { renew_slip_ = true, hold_slip_ = hold; }
  /// ∂a/∂q and ∂a/∂u without the derivatives of M, W and bias: what Newton's iteration needs.
  void jacobians(double t, const Vec& q, const Vec& u, Eigen::MatrixXd& by_q, Eigen::MatrixXd& by_u);

  /// The motion linearised about the last evaluation, a being its result. Rows that are redundant are left
  /// out.
  struct Linearisation {
    const Matrix *mass, *by_q, *by_u;  ///< M, ∂(F + Dλ − M a)/∂q and ∂F/∂u, both on the pattern of the forces
    const SparseRows *Wt, *Dt;
    /// ∂(Wᵀu + χ)/∂q, twice of which is ∂γ̇/∂u, and ∂γ̇/∂q; null where the system has no second derivatives:
    /// then those of M and W are missing in by_q, too, and an iteration with it is slower
    const SparseRows *rate, *acceleration;
    const Matrix* friction;  ///< ∂(Dλ)/∂u of contacts that slide in two directions; null: there are none
  };
  const Linearisation& linearise(double t, const Vec& q, const Vec& u, const Vec& a);
  /// ȧ along the motion, loads that change with time apart, by the last linearisation at the same (u, a).
  /// False where it is not known: it is for joints and closed contacts that do not slide.
  bool acceleration_rate(const Vec& u, const Vec& a, Vec& out);
  /// f ← the acceleration that a force f adds at the last evaluation, all that is closed staying closed.
  void respond(Vec& f);

  /// u ← u − M⁻¹ D S⁻¹ (Wᵀu + χ): the velocity closest to u that keeps the set closed; uses the last
  /// evaluation.
  void project_velocity(Vec& u);

  const ContactSet& contacts() const { return set_; }
  /// √M_jj at the last evaluation, until the next call: what makes coordinates in different units comparable.
  const Vec& root_mass();
  /// Whether rows of the last evaluation are linearly dependent: their multipliers are not unique.
  bool redundant() const { return !rows_.empty() && saddle_.redundant(); }
  /// Whether accelerations depend on how redundant rows share the load.
  bool load_matters() const { return redundant() && slipping_; }
  /// The multiplier of a row of the contact set; for a slipping contact its tangential rows hold the
  /// friction.
  double lambda(int row) const { return lambda_[row]; }
  /// Σ W_rj²/M_jj: the acceleration of a row that a unit force on it makes, coupling of coordinates apart.
  double mobility(int row) const;
  double gamma(int row, const Vec& u) const { return set_.Wt.dot(row, u.data()) + set_.drift[row]; }
  /// γ̇ = Wᵀa + bias of every row, at the (t, q, u) of the last evaluation and its a: joints and closed
  /// contacts have zero, others the acceleration those leave them. `scale` receives Σ|W_rj a_j| + |bias_r|,
  /// its rounding over ε.
  void row_accelerations(double t, const Vec& q, const Vec& u, const Vec& a, std::vector<double>& rate,
                         std::vector<double>& scale);
  /// |F_i| + Σ|W_ri λ_r| at the last evaluation: where it was not free, its sum M a has rounding of ε of
  /// that.
  void force_terms(Vec& out) const;
  /// Σ W_r λ_r at the last evaluation.
  void reactions(Vec& out) const;
  std::int64_t evaluations() const { return evaluations_; }
  /// Of a contradictory evaluation: contacts and joints that cannot all stay as they are, increasing ids, and
  /// the one whose equation is left over.
  const std::vector<std::uint64_t>& contradiction() const { return contradiction_; }
  std::uint64_t rank_deficient_contact() const { return bad_contact_; }

 private:
  struct Row {
    int row = 0;            // of the contact set: the constraint
    int contact = 0;        // index into set_.contacts
    bool slipping = false;  // its column carries friction
    int frozen = -1;        // index into frozen_
    double load = 0;        // its share, of share_load()
  };
  Status evaluate(double t, const Vec& q, const Vec& u, Vec& a, bool multipliers);
  void evaluate_mass(double t, const Vec& q);
  bool is_free() const { return frozen_.empty() && !has_joints_; }  // a = M⁻¹F
  void direct(double t, const Vec& q);
  void push_resistances(const Vec& u);
  void select_rows();
  void find_loads();
  void carry_loads();
  bool factor_constraints(const Vec& u);
  bool is_plain() const { return !rows_.empty() && !slipping_ && !saddle_.redundant(); }
  bool begin_stage(Stage& stage);
  void correct_stage(Stage& stage);
  Status solve_constraints(const Vec& u, Vec& a, bool multipliers);
  void note_contradiction(int row);
  int friction(const Row& row, const Vec& u, double* s) const;
  void direction(const Row& row, const FrictionDisc& disc, int index, const Vec& u, double* s) const;
  const Law& law_of(const Row& row) const { return system_.laws()[set_.contacts[row.contact].law]; }
  void begin_slip(const Vec& u);
  bool turn_friction(const Vec& u);
  bool is_known(double t, const Vec& q, const Vec& u, bool multipliers) const;

  CheckedSystem system_;
  Shape shape_;
  std::vector<FrozenContact> frozen_;
  std::vector<Load> loads_;
  std::vector<std::array<double, 3>> slip_speed_;  // of the discs of each, where the step began
  ContactSet set_;
  Matrix M_, dq_, du_, K_, friction_;
  Factor factor_;                // of M, where nothing is closed
  SaddleFactor<double> saddle_;  // of M, D and W
  SparseRows Wt_, Dt_;           // the rows selected
  bool mass_known_ = false, mass_factored_ = false, directions_known_ = false, listed_ = false;
  bool weighed_ = false;  // root_mass_ is of M_
  Vec root_mass_;
  bool rows_known_ = false;      // those of the frozen contacts, where the list does not change
  bool mass_elsewhere_ = false;  // M_ is of an inner stage, not of the last evaluation
  bool has_joints_ = false;
  bool renew_slip_ = false, hold_slip_ = false;
  double no_slip_ = 0;
  bool decide_ = true, constraints_known_ = false, slipping_ = false;
  bool known_ = false, multipliers_known_ = false;  // the last evaluation: t, q, u and a
  double t_known_ = 0;
  Vec q_known_, u_known_, a_known_;
  Vec force_;
  Curvature curvature_;
  bool curved_;
  SparseRows kept_W_, kept_D_, rate_rows_, acceleration_rows_;  // of a linearisation
  Linearisation linearisation_{};
  std::vector<Row> rows_;
  std::vector<double> x_, right_, lambda_, column_;
  std::vector<std::uint64_t> contradiction_;
  std::vector<int> behind_;
  std::uint64_t bad_contact_ = 0;
  std::int64_t evaluations_ = 0;
};

}  // namespace saltus

// The stepper of generalized_alpha.hpp, which has the formulas. The step is in generalized_alpha.cpp,
// its beginning in generalized_alpha_start.cpp, sets and residuals in generalized_alpha_rows.cpp, the linear
// algebra of a Newton iteration in generalized_alpha_newton.cpp: of levels one after the other in
// generalized_alpha_levels.cpp, where they are coupled in generalized_alpha_dense.cpp.
#pragma once
#include <optional>

#include "saltus/linalg/factor.hpp"
#include "saltus/scheme/generalized_alpha/generalized_alpha.hpp"
#include "saltus/scheme/stepper.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/curvature.hpp"

namespace saltus {

class GeneralizedAlphaStepper final : public Stepper {
 public:
  /// Throws Error for contacts with a variant for joints only, for a list of contacts that changes, and for
  /// laws on the position level.
  GeneralizedAlphaStepper(const System& system, const GeneralizedAlpha& options);
  int order() const override { return 2; }
  State start(double t, In q, In u) override;
  StepReport take_step(const State& x0, double h, State& x1) override;
  /// How many numbers aux has after the first step, which knows h and adds a and η to those of start().
  bool takes_aux(Eigen::Index size, Eigen::Index at_start) const override {
    return size == at_start || size == 2 * n_ + 3 * m_;  // after a step: with its multipliers
  }

  // What the last step (or start) computed, for studies of the multipliers; one entry per contact row.
  const Vec& acceleration() const { return a_smooth_; }  ///< v̇
  const Vec& shifted() const { return a_; }              ///< a
  const Vec& lambda() const { return lambda_; }          ///< λ̃
  const Vec& relative_impulse() const { return Lambda_; }
  const Vec& impulse() const { return Lambda_star_; }
  /// Residuals of every row at the end of the last step.
  const std::vector<double>& gaps() const { return set_.gap; }
  const Vec& gap_velocity() const { return gamma_; }
  const Vec& gap_acceleration() const { return row_acceleration_; }
  bool active_on_acceleration(int row) const { return in_[acc][row] != 0; }

 private:
  enum class Kind : std::uint8_t { joint, normal, tangent, force };
  enum class Smooth : std::uint8_t { none, position, velocity, smooth_velocity, acceleration, baumgarte };
  enum Level : std::uint8_t { pos, vel, acc };  // in the sets A, B, S
  struct RowInfo {
    Kind kind = Kind::joint;
    const Law* law = nullptr;
    int contact = 0, first = 0, size = 1;  // its contact, and that contact's rows
    bool prox = false;                     // friction and laws without a gap: solved through their prox
  };
  struct Mask {  // the levels a correction moves
    bool U = true, V = true, smooth = true;
    bool total() const { return U && V && smooth; }  // then λ moves neither q₁ nor v₁
  };
  struct Dots {  // a functional's values on the four columns of a row
    double y = 0, z = 0, zc = 0, p = 0;
  };
  struct Effect {  // of a unit of one unknown on v̇, q₁ and v₁, seen through a row
    double a, q, v;
  };

  void list_rows();
  void begin(const State& x0, double h);
  void dependent();
  void geometry(double t, In q, In v, bool accelerations);
  void turn_rebounds(const State& x0);
  void evaluate_mass(double t, In q);
  bool find_sets();
  void stay_off_positions(int normal);
  void residuals();
  void row_residuals();
  bool converged(bool first, StepReport& report);
  void solve_acceleration(double t, In q, In u, Vec& a, Vec& lambda);
  void finish(const State& x0, State& x1, StepReport& report);
  bool on_accelerations() const { return smooth_ == Smooth::acceleration || smooth_ == Smooth::baumgarte; }
  std::uint64_t id_of(int row) const { return set_.contacts[info_[row].contact].id; }
  double weight(int row) const { return options_.r * row_mass_[row]; }

  // generalized_alpha_newton.cpp: the linear algebra of an iteration
  bool linearise();
  bool correct(Mask mask);
  bool correct_in_turn();
  void find_live(Mask mask);
  void prepare_columns(Mask mask);
  void number(Mask mask);
  double known_change(int row, Level level, bool smooth) const;  // of an inactive row's multiplier
  // generalized_alpha_levels.cpp
  template <int N>
  struct ShortSpace;
  struct LongSpace;
  bool solve_in_turn();
  template <class Space>
  bool solve_levels();
  // generalized_alpha_dense.cpp
  bool solve_together(Mask mask);
  void assemble(Mask mask);
  void assemble_row(int i, Level level, Mask mask);
  void assemble_prox(int i, Mask mask);
  bool solve_blocks(Mask mask);
  void tabulate(Mask mask);
  double coefficient(int i, Level level, int j, Level unknown, Mask mask) const;
  double base(int row, Level level) const;
  void respond(Mask mask);
  void apply(Mask mask);
  double* column(std::vector<double>& of, int row) {
    return of.data() + static_cast<std::size_t>(slot_[row]) * n_;
  }
  const double* column(const std::vector<double>& of, int row) const {
    return of.data() + static_cast<std::size_t>(slot_[row]) * n_;
  }

  CheckedSystem system_;
  bool curved_;
  GeneralizedAlpha options_;
  AlphaCoefficients c_;
  Shape shape_;
  int n_, m_ = 0;
  bool has_U_, has_V_;  // the levels that are there
  Smooth smooth_;
  bool linear_;  // everything constant: factors and columns are made once per h
  std::vector<RowInfo> info_;
  bool prox_rows_ = false;

  // the step: data, unknowns, what follows from them
  double t_ = 0, h_ = 0, cq_ = 0, cv_ = 0, scales_[3] = {1, 1, 1};  // of rows, to accelerations
  Vec q0_, base_q_, base_v_, a_known_, eta_known_, nu_base_, Lambda_base_, gamma0_, rebound_;
  Vec a_smooth_, U_, V_, lambda_, nu_, Lambda_;
  Vec q_, v_, a_, eta_, nu_star_, Lambda_star_, displacement_;
  /// The arguments of a system: a Ref made of a Vec for each call would cost more than a short vector's loop.
  struct View {
    Eigen::Ref<const Vec> q, v, a;
    Eigen::Ref<Vec> force;
  };
  std::optional<View> view_;
  ContactSet set_;
  SparseRows W0_;                                           // Wᵀ at the start of the step, for pv73
  Vec gamma_, row_acceleration_, row_mass_, inverse_mass_;  // the last: 1/M_ii
  std::vector<char> in_[3];                                 // whether a row acts on a level
  Vec left_[3];             // what is left of it: of a row that acts as acceleration, else as force
  Vec carried_;             // the part of h Λ* that positions feel, on rows without a gap
  std::vector<int> flips_;  // how often a contact closed or opened in the iteration
  Vec force_, r1_, r2_, r3_;
  double size_[3] = {};   // of r₂, r₃, r₁, as forces
  double scale_[3] = {};  // of the forces: all of them on the last level, with the corrections' on the others
  double excess_ = infinity;
  bool listed_ = false, directions_known_ = false, mass_known_ = false, moved_ = false;

  // the iteration matrix
  Matrix M_, Fq_, C_, K_, A_;
  Factor factor_, mass_factor_;
  Curvature curvature_;
  bool curved_rows_ = false, springs_ = false, damped_ = false, stiff_ = false, jacobians_known_ = false;
  bool mass_factored_ = false;
  double prepared_h_ = -1, stiffness_ = 0;
  std::vector<int> live_, slot_;
  int slots_ = 0, N_ = 0, offset_[3] = {};
  std::vector<double> Y_, Z_, Zc_, P_;  // columns M⁻¹W, A⁻¹KM⁻¹W, A⁻¹CM⁻¹W, and what λ does to v̇
  std::vector<Dots> dots_;
  std::vector<double> S_, rhs_, block_, delassus_;
  std::vector<int> pivot_;
  Vec da_, dq_, dv_, u2_, u3_, work_;
  std::vector<double> u_minus_, u_plus_;
};

}  // namespace saltus

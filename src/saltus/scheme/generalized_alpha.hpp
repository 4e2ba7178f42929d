// Nonsmooth generalized-α on three levels (Brüls, Acary, Cardona 2018, (65), corrected). One step of length
// h, with M, W = g_qᵀ and f at the end of the step:
//
//     M v̇ − W λ = f          S rows: Wᵀv̇ + bias = 0        else λ = 0       smooth motion
//     M U − W ν = 0          A rows: g(q₁) = 0             else ν* = 0      position correction
//     M V − W Λ = 0          B rows: γ₁ + E γ₀ = 0         else Λ* = 0      velocity jump (the paper's W)
//     q₁ = q₀ + h v₀ + h²(½−β) a₀ + h²β a₁ + U             (printed with 1−β, which is not consistent)
//     v₁ = v₀ + h(1−γ) a₀ + hγ a₁ + V
//     (1−α_m) a₁ + α_m a₀ = (1−α_f) v̇₁ + α_f v̇₀,           η from λ in the same way
//     ν* = ν + h²(½−β) η₀ + h²β η₁,   Λ* = Λ + h(1−γ) η₀ + hγ η₁: the impulse of the step
//
// Joints are in A, B and S. A contact is in A when ν* − r g ≥ 0, in B when also Λ* − r (γ₁ + e γ₀) ≥ 0, in S
// when also λ − r (Wᵀv̇ + bias) ≥ 0. Order 2 in smooth motion, closed contacts included; impacts first order.
// Joints and closed contacts hold on all three levels to rounding. The rows else ν* = 0, Λ* = 0 ("star")
// replace the printed ν = 0, Λ = 0, with which results depend on r and impacts create energy.
// Friction and laws without a gap act on the velocity level, ν* = ½ h Λ* carries them to the positions, so
// that sticking does not creep and sliding is of order 2. docs/generalized-alpha.md has the whole story.
#pragma once
#include "saltus/linalg/factor.hpp"
#include "saltus/scheme/stepper.hpp"
#include "saltus/system/curvature.hpp"

namespace saltus {

struct GeneralizedAlpha {
  enum class Parameters : std::uint8_t { chung_hulbert, newmark, hht };
  enum class Levels : std::uint8_t { pva, pvv, p, v, pv, pv73, a, baumgarte };
  enum class Inactive : std::uint8_t { star, printed };
  enum class Newton : std::uint8_t { coupled, decoupled };
  enum class Start : std::uint8_t { consistent, shifted, zero };
  static constexpr std::string_view parameter_names[] = {"chung-hulbert", "newmark", "hht"},
                                    level_names[] = {"pva", "pvv", "p", "v", "pv", "pv73", "a", "baumgarte"},
                                    inactive_names[] = {"star", "printed"},
                                    newton_names[] = {"coupled", "decoupled"},
                                    start_names[] = {"consistent", "shifted", "zero"};
  static constexpr std::string_view name = "generalized-alpha",
                                    summary = "generalized-α with constraints on up to three levels (65)";
  double rho_inf = 0.8;
  Parameters parameters = Parameters::chung_hulbert;
  Levels levels = Levels::pva;
  int strategy = 3;
  Inactive inactive = Inactive::star;
  Newton newton = Newton::coupled;
  Start start = Start::consistent;
  double r = 1, tolerance = 1e-9, alpha = 20, beta = 20;
  int max_iterations = 50;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"rho_inf", "", "spectral radius at infinite frequency: 1 no damping, 0 most",
                Range::closed(0, 1)},
      rho_inf);
    v(FieldInfo{"parameters", "", "how rho_inf sets the coefficients; hht needs rho_inf >= 0.5"}, parameters,
      Names(parameter_names));
    v(FieldInfo{"levels", "", "where constraints hold; p, v, pv, pv73, a, baumgarte are for joints only"},
      levels, Names(level_names));
    v(FieldInfo{"strategy", "", "pva: smooth motion sees 1 no constraint, 2 joints, 3 also closed contacts",
                Range::closed(1, 3)},
      strategy);
    v(FieldInfo{"inactive", "", "rows of open contacts: totals vanish, or as printed in the paper"}, inactive,
      Names(inactive_names));
    v(FieldInfo{"newton", "", "all levels at once, or one after the other (Algorithm 1)"}, newton,
      Names(newton_names));
    v(FieldInfo{"start", "", "first a: v̇(0), v̇ at the shifted time, or v̇ = a = 0 (a disturbed start)"},
      start, Names(start_names));
    v(FieldInfo{"r", "", "factor of the effective mass in the activation tests", Range::positive()}, r);
    v(FieldInfo{"tolerance", "", "of residuals, relative to the forces", Range{0, 1}}, tolerance);
    v(FieldInfo{"alpha", "1/s", "baumgarte: 2 alpha times the velocity", Range::non_negative()}, alpha);
    v(FieldInfo{"beta", "1/s", "baumgarte: beta^2 times the position", Range::non_negative()}, beta);
    v(FieldInfo{"max_iterations", "", "Newton iterations of a step", Range::closed(1, 1e6)}, max_iterations);
  }
};

/// α_m, α_f, γ, β of (61), and what a Newton step needs of them.
struct AlphaCoefficients {
  double am = 0, af = 0, gamma = 0.5, beta = 0.25;
  double kappa() const { return (1 - af) / (1 - am); }  ///< ∂a₁/∂v̇₁
};
/// Throws Error for HHT with rho_inf < 1/2.
AlphaCoefficients alpha_coefficients(const GeneralizedAlpha& options);

class GeneralizedAlphaStepper final : public Stepper {
 public:
  /// Throws Error for contacts with a variant for joints only, for a list of contacts that changes, and for
  /// laws on the position level.
  GeneralizedAlphaStepper(const System& system, const GeneralizedAlpha& options);
  int order() const override { return 2; }
  State start(double t, In q, In u) override;
  StepReport step(const State& x0, double h, State& x1) override;

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
  bool active_on_acceleration(int row) const { return in_S_[row] != 0; }

 private:
  enum class Kind : std::uint8_t { joint, normal, tangent, force };
  enum class Smooth : std::uint8_t { none, position, velocity, smooth_velocity, acceleration, baumgarte };
  enum Level : std::uint8_t { pos, vel, acc };
  struct RowInfo {
    Kind kind = Kind::joint;
    const Law* law = nullptr;
    int contact = 0, first = 0, size = 1;  // its contact, and that contact's rows
    bool prox = false;                     // friction and laws without a gap: solved through their prox
  };
  struct Mask {  // the levels a correction moves
    bool U = true, V = true, smooth = true;
  };
  struct Effect {  // of a unit of one unknown on v̇, q₁ and v₁, seen through a row
    double a, q, v;
  };

  void list_rows();
  void begin(const State& x0, double h);
  void dependent();
  void geometry(double t, In q, In v, bool accelerations);
  void evaluate_mass(double t, In q);
  bool find_sets();
  void residuals();
  bool converged(StepReport& report);
  void solve_acceleration(double t, In q, In u, Vec& a, Vec& lambda);
  void finish(const State& x0, State& x1, StepReport& report);
  bool active(int row, Level level) const;
  double violation(int row, Level level) const;  // of an active row, in acceleration units
  double remainder(int row, Level level) const;  // of an inactive one, in force units
  std::uint64_t id_of(int row) const { return set_.contacts[info_[row].contact].id; }
  double weight(int row) const { return options_.r * row_mass_[row]; }

  // generalized_alpha_newton.cpp: the linear algebra of an iteration
  bool linearise();
  bool correct(Mask mask);
  bool correct_in_turn();
  void find_live(Mask mask);
  void prepare_columns(Mask mask);
  void assemble(Mask mask);
  void assemble_row(int i, Level level, Mask mask);
  void assemble_prox(int i, Mask mask);
  bool solve_blocks(Mask mask);
  void apply(Mask mask);
  Effect effect(const SparseRows& rows, int row, int j, Level unknown, Mask mask) const;
  double coefficient(int row, Level level, int j, Level unknown, Mask mask) const;
  double base(int row, Level level) const;
  double row_scale(Level level) const;
  double* column(std::vector<double>& of, int row) {
    return of.data() + static_cast<std::size_t>(slot_[row]) * n_;
  }
  const double* column(const std::vector<double>& of, int row) const {
    return of.data() + static_cast<std::size_t>(slot_[row]) * n_;
  }

  const System& system_;
  const CurvedSystem* curved_;
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
  double t_ = 0, h_ = 0, cq_ = 0, cv_ = 0;
  Vec q0_, base_q_, base_v_, a_known_, eta_known_, nu_base_, Lambda_base_, gamma0_, rebound_;
  Vec a_smooth_, U_, V_, lambda_, nu_, Lambda_;
  Vec q_, v_, a_, eta_, nu_star_, Lambda_star_, displacement_;
  ContactSet set_;
  SparseRows W0_;  // Wᵀ at the start of the step, for pv73
  Vec gamma_, row_acceleration_, row_mass_;
  std::vector<char> in_A_, in_B_, in_S_;
  Vec force_, r1_, r2_, r3_;
  double scale_ = 0, scale_pos_ = 0, scale_vel_ = 0;  // of the forces; with the corrections' as forces
  bool listed_ = false, directions_known_ = false, mass_known_ = false, moved_ = false;

  // the iteration matrix
  Matrix M_, Fq_, C_, K_, A_;
  Factor factor_, mass_factor_;
  Curvature curvature_;
  bool curved_rows_ = false, damped_ = false, stiff_ = false, jacobians_known_ = false;
  bool mass_factored_ = false;
  double prepared_h_ = -1, stiffness_ = 0;
  std::vector<int> live_, slot_;
  int slots_ = 0, N_ = 0, offset_[3] = {};
  std::vector<double> Y_, Z_, Zc_, P_;  // columns M⁻¹W, A⁻¹KM⁻¹W, A⁻¹CM⁻¹W, and what λ does to v̇
  std::vector<double> S_, rhs_, block_;
  std::vector<int> pivot_;
  Vec da_, dq_, dv_, u2_, u3_, work_;
  std::vector<double> u_minus_, u_plus_;
};

}  // namespace saltus

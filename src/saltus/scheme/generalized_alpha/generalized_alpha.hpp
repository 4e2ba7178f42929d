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
// that sticking does not creep and sliding is of order 2. docs/explanation/generalized-alpha.md has the whole
// story.
#pragma once
#include "saltus/core/fields.hpp"
#include "saltus/scheme/make.hpp"

namespace saltus {

struct GeneralizedAlpha {
  enum class Parameters : std::uint8_t { chung_hulbert, newmark, hht };
  enum class Levels : std::uint8_t { pva, pvv, p, v, pv, pv73, a, baumgarte };
  enum class Inactive : std::uint8_t { star, printed };
  enum class Newton : std::uint8_t { coupled, decoupled };
  enum class Start : std::uint8_t { consistent, shifted, zero };
  enum class AfterImpact : std::uint8_t { carry_on, restart };
  static constexpr std::string_view parameter_names[] = {"chung-hulbert", "newmark", "hht"},
                                    level_names[] = {"pva", "pvv", "p", "v", "pv", "pv73", "a", "baumgarte"},
                                    inactive_names[] = {"star", "printed"},
                                    newton_names[] = {"coupled", "decoupled"},
                                    start_names[] = {"consistent", "shifted", "zero"},
                                    after_impact_names[] = {"carry-on", "restart"};
  static constexpr Family family = Family::mechanical;
  static constexpr std::string_view name = "generalized-alpha",
                                    summary = "generalized-α with constraints on up to three levels (65)";
  double rho_inf = 0.8;
  Parameters parameters = Parameters::chung_hulbert;
  Levels levels = Levels::pva;
  int strategy = 3;
  Inactive inactive = Inactive::star;
  Newton newton = Newton::coupled;
  Start start = Start::consistent;
  AfterImpact after_impact = AfterImpact::carry_on;
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
    v(FieldInfo{"start", "", "first a: v̇(0), v̇ at the shifted time, or v̇ = a = 0 (a disturbed start)"}, start,
      Names(start_names));
    v(FieldInfo{"after_impact", "",
                "a after a contact closed: as the method has it, or found anew as at the start"},
      after_impact, Names(after_impact_names));
    v(FieldInfo{"r", "", "factor of the effective mass in the activation tests", Range::positive()}, r);
    v(FieldInfo{"tolerance", "", "of residuals, relative to the forces", Range{0, 1}}, tolerance);
    v(FieldInfo{"alpha", "1/s", "baumgarte: 2 alpha times the velocity", Range::non_negative()}, alpha);
    v(FieldInfo{"beta", "1/s", "baumgarte: beta^2 times the position", Range::non_negative()}, beta);
    v(FieldInfo{"max_iterations", "", "Newton iterations of a step", Range::closed(1, 1e6)}, max_iterations);
  }
  SmoothMotion smooth() const { return {.order = 2, .stable_at_any_step = true}; }
};

/// α_m, α_f, γ, β of (61), and what a Newton step needs of them.
struct AlphaCoefficients {
  double am = 0, af = 0, gamma = 0.5, beta = 0.25;
  double kappa() const { return (1 - af) / (1 - am); }  ///< ∂a₁/∂v̇₁
};
/// Throws Error for HHT with rho_inf < 1/2.
AlphaCoefficients alpha_coefficients(const GeneralizedAlpha& options);

std::unique_ptr<Stepper> build_stepper(const GeneralizedAlpha& options, const DynamicSystem& system,
                                       const SolverSpec& solver);

}  // namespace saltus

// The options of the schemes for systems of first order. What they do: first_order_rk.hpp (any system) and
// chain_stepper.hpp (chains, positions only).
#pragma once
#include "saltus/core/fields.hpp"
#include "saltus/scheme/make.hpp"
#include "saltus/scheme/runge_kutta/tableau.hpp"

namespace saltus {

/// Any tableau on any system of first order.
struct Rk {
  static constexpr Family family = Family::first_order;
  static constexpr std::string_view name = "rk",
                                    summary = "Runge–Kutta of any tableau on first-order systems";
  enum class Choice : std::uint8_t {};  ///< index into tableau_names()
  /// automatic: chains are solved for positions only, other systems by full Newton
  enum class Newton : std::uint8_t { automatic, full, simplified };
  static constexpr std::string_view newton_names[] = {"auto", "full", "simplified"};
  Choice tableau{7};  // gauss-4
  Newton newton = Newton::automatic;
  double tolerance = 1e-12;
  template <class V>
  void fields(V&& v) {
    static const auto names = tableau_names();
    v(FieldInfo{"tableau", "", "the method; the number is its order"}, tableau, Names(names));
    v(FieldInfo{"newton", "", "Jacobian in every iteration, or once per step"}, newton, Names(newton_names));
    v(FieldInfo{"tolerance", "", "of the stages, relative to their size", Range::positive()}, tolerance);
  }
  const Tableau& table() const { return find_tableau(tableau_names()[static_cast<std::size_t>(tableau)]); }
  SmoothMotion smooth() const { return {named_order(table().name)}; }
};
/// By name, for code: rk("gauss-6").
Rk rk(std::string_view tableau);

/// What the chain schemes share: how well the stages are solved.
struct StageSolve {
  double tolerance = 1e-12;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"tolerance", "", "of the stages, relative to what moves in a step", Range::positive()},
      tolerance);
  }
};

struct CrankNicolson : StageSolve {
  static constexpr Family family = Family::first_order;
  static constexpr std::string_view name = "crank-nicolson",
                                    summary = "trapezoidal rule on chains and first-order systems (12), (16)";
  SmoothMotion smooth() const { return {2}; }
};

struct Gauss2 : StageSolve {
  static constexpr Family family = Family::first_order;
  static constexpr std::string_view name = "gauss-2",
                                    summary = "Gauss' method of two stages, order 4 (13)–(15), (17)–(18)";
  SmoothMotion smooth() const { return {4}; }
};

/// θ for contacts and positions, μ for the local attachments (34), on the chain with its own damping.
struct AdditiveTheta : StageSolve {
  static constexpr Family family = Family::first_order;
  static constexpr std::string_view name = "additive-theta",
                                    summary = "compliant contacts: θ for contacts, μ for local forces (34)";
  double theta = 0.5, mu = 0.5;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"theta", "", "weight of the new contact forces and velocities", Range::at_least(0.5)}, theta);
    v(FieldInfo{"mu", "", "weight of the old local forces; local damping is h(θ − μ)K"}, mu);
    StageSolve::fields(v);
  }
  SmoothMotion smooth() const { return {theta == 0.5 && mu == 0.5 ? 2 : 1}; }
};

/// The damping that a tailored scheme makes, ẍ = g(x) + γ d/dt g(x).
inline constexpr FieldInfo tailored_gamma_field{
    "gamma", "s", "damping of a system that has none, gamma d/dt g(x); 0: that of the contacts",
    Range::non_negative()};

/// Kuwabara–Kono damping by the θ-method on the undamped chain: θ = 1/2 + γ/(2h), μ = θ − lambda (41), (43).
struct KkTheta : StageSolve {
  static constexpr Family family = Family::first_order;
  static constexpr std::string_view name = "kk-theta",
                                    summary =
                                        "M x'' = g(x): tailored θ-method, dissipation is γ (34), (41), (43)";
  double lambda = 0, gamma = 0;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"lambda", "", "θ − μ: local damping h·lambda·K; 0: none, 2θ − 1: the classical θ-method",
                Range::non_negative()},
      lambda);
    StageSolve::fields(v);
    v(tailored_gamma_field, gamma);
  }
  SmoothMotion smooth() const { return {lambda == 0 ? 2 : 1}; }
};

/// Kuwabara–Kono damping by a two-stage method on the undamped chain, C₁₁ = γ/(2h).
struct KkIrk : StageSolve {
  static constexpr Family family = Family::first_order;
  static constexpr std::string_view name = "kk-irk",
                                    summary =
                                        "M x'' = g(x): tailored two-stage method (58), (64)–(66), (69)–(73)";
  double gamma = 0;
  template <class V>
  void fields(V&& v) {
    StageSolve::fields(v);
    v(tailored_gamma_field, gamma);
  }
  SmoothMotion smooth() const { return {2}; }
};
/// The tableau (64)–(66). Throws Error for C₁₁ < 0.
Tableau tailored_tableau(double C11);

std::unique_ptr<Stepper> build_stepper(const Rk& options, const DynamicSystem& system,
                                       const SolverSpec& solver);
std::unique_ptr<Stepper> build_stepper(const CrankNicolson& options, const DynamicSystem& system,
                                       const SolverSpec& solver);
std::unique_ptr<Stepper> build_stepper(const Gauss2& options, const DynamicSystem& system,
                                       const SolverSpec& solver);
std::unique_ptr<Stepper> build_stepper(const AdditiveTheta& options, const DynamicSystem& system,
                                       const SolverSpec& solver);
std::unique_ptr<Stepper> build_stepper(const KkTheta& options, const DynamicSystem& system,
                                       const SolverSpec& solver);
std::unique_ptr<Stepper> build_stepper(const KkIrk& options, const DynamicSystem& system,
                                       const SolverSpec& solver);

}  // namespace saltus

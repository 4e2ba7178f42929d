// The options of Runge–Kutta between events; what it does: smooth_flow.hpp.
#pragma once
#include "saltus/core/fields.hpp"
#include "saltus/scheme/make.hpp"
#include "saltus/scheme/runge_kutta/tableau.hpp"

namespace saltus {

/// Needs stepping event-capturing, which finds the events between which this integrates.
struct RungeKutta {
  static constexpr Family family = Family::mechanical;
  static constexpr std::string_view name = "runge-kutta",
                                    summary = "Runge–Kutta of any order between events (64)";
  enum class Choice : std::uint8_t {};  ///< index into tableau_names()
  Choice tableau{2};
  template <class V>
  void fields(V&& v) {
    static const auto names = tableau_names();
    v(FieldInfo{"tableau", "", "the method; the number is its order"}, tableau, Names(names));
  }
  const Tableau& table() const { return find_tableau(tableau_names()[static_cast<std::size_t>(tableau)]); }
  SmoothMotion smooth() const { return {named_order(table().name)}; }
};
/// By name, for code: runge_kutta("radau-iia-5").
RungeKutta runge_kutta(std::string_view tableau);

/// Throws Error: a step of it alone does not see events.
std::unique_ptr<Stepper> build_stepper(const RungeKutta& options, const DynamicSystem& system,
                                       const SolverSpec& solver);

}  // namespace saltus

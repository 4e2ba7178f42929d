// ODAEs for the tests: problems and schemes by the short names of tests/data/symplectic_odae.json.
#pragma once
#include <map>

#include "saltus/catalog/odae_problems.hpp"
#include "saltus/scheme/symplectic/symplectic_euler.hpp"
#include "saltus/study/convergence.hpp"
#include "support/golden.hpp"

namespace saltus::testing {

inline const char* const odae_file = "symplectic_odae.json";

inline SymplecticEuler euler(EulerVariant variant, double alpha = 0.5) {
  SymplecticEuler s;
  s.variant = variant, s.alpha = alpha;
  return s;
}
inline SymplecticEuler composed(SymplecticEuler::Composition c, double alpha = 0.5) {
  SymplecticEuler s;
  s.composition = c, s.alpha = alpha;
  return s;
}
inline SymplecticEuler euler_named(const std::string& name, double alpha = 0.5) {
  using C = SymplecticEuler::Composition;
  static const std::map<std::string, EulerVariant> variants = {
      {"natural", EulerVariant::natural},
      {"true", EulerVariant::consistent},
      {"natural_conj", EulerVariant::natural_conjugate},
      {"true_conj", EulerVariant::consistent_conjugate},
      {"true_adj", EulerVariant::adjoint}};
  static const std::map<std::string, C> compositions = {
      {"strang", C::strang}, {"yoshida4", C::yoshida4}, {"suzuki4", C::suzuki4}};
  if (const auto v = variants.find(name); v != variants.end()) return euler(v->second, alpha);
  return composed(compositions.at(name), alpha);
}

inline CatalogProblem odae_problem(const std::string& id, double t_end) {
  static const std::map<std::string, const char*> names = {{"p41", "odae-exponential"},
                                                           {"p42", "cubic-slide"},
                                                           {"sph", "spherical-pendulum"},
                                                           {"polar", "polar-bead"}};
  return make_problem(names.at(id.substr(0, id.find('.'))), {}, t_end);
}
inline const OdaeSystem& odae_of(const CatalogProblem& p) {
  return dynamic_cast<const OdaeSystem&>(*p.problem.system);
}
inline std::shared_ptr<const OdaeSystem> shared_odae(const CatalogProblem& p) {
  return std::dynamic_pointer_cast<const OdaeSystem>(p.problem.system);
}

inline Vec vec_of(const Json& values) {
  Vec out(static_cast<long>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) out[static_cast<long>(i)] = values[i];
  return out;
}

inline RunResult run_euler(const CatalogProblem& p, const SymplecticEuler& s, long steps,
                           const Sink& sink = {}) {
  Method m;
  m.scheme = s, m.stepping = FixedSteps{(p.problem.t_end - p.problem.t0) / static_cast<double>(steps)};
  return run(p.problem, m, sink);
}

}  // namespace saltus::testing

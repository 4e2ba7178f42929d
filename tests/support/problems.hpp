// Problems built from the parameters of golden entries.
#pragma once
#include "saltus/catalog/problems.hpp"
#include "support/golden.hpp"

namespace saltus::testing {

/// {"m", "c", "k", "A", "B", "Om", "rho"} where present; a ball has c = k = 0 and A = f.
inline ImpactOscillator oscillator_of(const Json& p) {
  ImpactOscillator o;
  const auto get = [&](const char* key, double fallback) {
    return p.contains(key) ? p[key].get<double>() : fallback;
  };
  const bool ball = p.contains("f");
  o.m = get("m", 1), o.c = get("c", 0), o.k = get("k", 0);
  o.A = ball ? get("f", 0) : get("A", 0);
  o.B = get("B", 0), o.Omega = get("Om", 0), o.e = get("rho", 0);
  o.q0 = get("q0", 1), o.v0 = get("v0", 0);
  return o;
}

/// The same as a catalog problem; a ball without spring and damper gets its closed form, exact at ties too.
inline CatalogProblem problem_of(const Json& p, double t_end) {
  const ImpactOscillator o = oscillator_of(p);
  if (o.k == 0 && o.c == 0 && o.B == 0) return BouncingBall{o.m, o.A, o.e, o.q0, o.v0}.build(t_end);
  return o.build(t_end);
}

inline const System& system_of(const CatalogProblem& p) {
  return static_cast<const System&>(*p.problem.system);
}

}  // namespace saltus::testing

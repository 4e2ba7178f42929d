#include "saltus/catalog/chain_problems.hpp"

#include <cmath>

#include "saltus/reference/extrapolated_reference.hpp"

namespace saltus {
namespace {

constexpr int reference_beads = 2000;

CatalogProblem finish(ChainData data, const ChainOptions& o, const Vec& x0, const Vec& v0, double end,
                      const SchemeSpec& scheme, double h) {
  data.beta = o.beta;
  data.gamma = Vec::Constant(data.m.size() + 1, o.gamma);
  CatalogProblem p;
  if (o.reference == ChainOptions::ReferenceKind::extrapolation && data.m.size() <= reference_beads) {
    data.formulation = Formulation::y;
    p.reference = std::make_shared<ExtrapolatedReference>(std::make_shared<Chain>(data), 0, x0, v0, end);
    p.reference_kind = "extrapolation to rounding";
  }
  data.formulation = o.formulation;
  p.problem = {std::make_shared<Chain>(std::move(data)), 0, end, x0, v0};
  p.method.scheme = scheme;
  p.method.stepping = FixedSteps{h};
  return p;
}

ChainData chain(const Vec& m, double k) {
  const auto n = static_cast<int>(m.size());
  ChainData d;
  d.m = m;
  d.k = Vec::Constant(n + 1, k);
  d.k[0] = d.k[n] = 0;  // free ends
  return d;
}

// Walls, gravity, precompression and disorder on a chain of one stiffness.
CatalogProblem place(ChainData d, const ChainSetting& s, const ChainOptions& o, double k, double end,
                     const SchemeSpec& scheme, double h) {
  const auto n = static_cast<int>(d.m.size());
  Vec x0(n), v0 = Vec::Zero(n);
  for (int i = 0; i < n; ++i) x0[i] = -s.overlap * i;
  if (s.left_wall) d.k[0] = k, d.left = x0[0] + s.overlap;
  if (s.right_wall) d.k[n] = k, d.right = x0[n - 1] - s.overlap;
  d.F = s.gravity * d.m;
  if (s.hold) {
    const double force = k * s.overlap * std::sqrt(s.overlap);
    if (!s.left_wall) d.F[0] += force;
    if (!s.right_wall) d.F[n - 1] -= force;
  }
  // a generator of congruences, the same on every machine
  std::uint64_t seed = 12345;
  if (s.disorder > 0)
    for (int i = 0; i < n; ++i) {
      seed = (1103515245 * seed + 12345) % (1ULL << 31);
      v0[i] = s.disorder * (2 * static_cast<double>(seed) / static_cast<double>(1ULL << 31) - 1);
    }
  if (s.v0 != 0) v0[0] = s.v0;
  return finish(std::move(d), o, x0, v0, end, scheme, h);
}

}  // namespace

bool Trimer::set_preset(std::string_view preset) {
  if (preset == "compressed") x1 = 0.9, x2 = 0.2, x3 = 0, v1 = 0.7, v2 = 0.6, v3 = 0.02;  // (19)
  return preset == "impact" || preset == "compressed";
}

CatalogProblem Trimer::build(double end) const {
  ChainData d = chain(Vec{{r1 * r1 * r1, r2 * r2 * r2, r3 * r3 * r3}}, 1);
  const auto radius = [](double a, double b) { return a * b / (a + b); };
  d.k[2] = std::sqrt(radius(r2, r3) / radius(r1, r2));
  return finish(std::move(d), *this, Vec{{x1, x2, x3}}, Vec{{v1, v2, v3}}, end, Gauss2{}, 0.05);
}

bool NewtonsCradle::set_preset(std::string_view preset) {
  if (preset == "fig-4") k = 13.115;
  return preset == "fig-4" || preset == "fig-5";
}

CatalogProblem NewtonsCradle::build(double end) const {
  ChainData d = chain(Vec::Constant(n, m), k);
  d.K = Vec::Constant(n, K);
  Vec u = Vec::Zero(n);
  u[0] = v0;
  return finish(std::move(d), *this, Vec::Zero(n), u, end, Gauss2{}, 0.1);
}

bool DimerChain::set_preset(std::string_view preset) {
  if (preset == "precompressed") v0 = 0, overlap = 0.2, disorder = 0.5, n = 1000;
  if (preset == "stiff") eps = 1e-4, n = 1001;
  return preset == "table-1" || preset == "precompressed" || preset == "stiff";
}

CatalogProblem DimerChain::build(double end) const {
  Vec m(n);
  for (int i = 0; i < n; ++i) m[i] = i % 2 == 0 ? 1 : eps;
  const bool tailored = beta == 1.5 && eps > 0.05;
  return place(chain(m, k), *this, *this, k, end, tailored ? SchemeSpec{KkIrk{}} : SchemeSpec{Gauss2{}}, 0.1);
}

CatalogProblem HomogeneousChain::build(double end) const {
  return place(chain(Vec::Constant(n, m), k), *this, *this, k, end, Gauss2{}, 0.1);
}

CatalogProblem TwoBeads::build(double end) const {
  return finish(chain(Vec{{m1, m2}}, k), *this, Vec::Zero(2), Vec{{v0, 0.0}}, end, Gauss2{}, 0.05);
}

}  // namespace saltus

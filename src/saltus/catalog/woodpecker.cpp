// The woodpecker toy and the falling mass.
#include "saltus/catalog/problems.hpp"
#include "saltus/catalog/switching_problems.hpp"
#include "saltus/system/linear_system.hpp"

namespace saltus {

CatalogProblem FallingMass::build(double end) const {
  CatalogProblem p = BouncingBall{m, -m * g, e, z0, v0}.build(end);
  p.method.scheme = MoreauMidpoint{};
  SwitchingSteps s;
  s.h_min = 1e-5, s.h = 0.05, s.atol = 1e-8;
  p.method.stepping = s;
  return p;
}

// g_N1 = l_M + l_G − l_S − r_0 − h_S φ_S (beak),  g_N2,3 = r_M − r_0 ± h_M φ_M (lower and upper edge of the
// sleeve); all linear, so that M, K and W are constant.
CatalogProblem Woodpecker::build(double end) const {
  const Pattern full{Pattern::dense, 0, nullptr};
  LinearSystem::Data d;
  d.M = d.K = Matrix(3, full);
  const double lever[3] = {1, l_M, l_G};  // of the woodpecker's centre
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) d.M.set(i, j, m_S * lever[i] * lever[j]);
  d.M.set(0, 0, m_S + m_M);
  d.M.set(1, 1, J_M + m_S * l_M * l_M);
  d.M.set(2, 2, J_S + m_S * l_G * l_G);
  d.K.set(1, 1, c_phi);
  d.K.set(2, 2, c_phi);
  d.K.set(1, 2, -c_phi);
  d.K.set(2, 1, -c_phi);
  d.f = Vec{{-(m_S + m_M) * g, -m_S * g * l_M, -m_S * g * l_G}};
  const std::vector<SparseRows::Entry> along_beak{{0, 1.0}, {1, l_M}, {2, l_G - l_S}};
  const std::vector<SparseRows::Entry> along_sleeve{{0, 1.0}, {1, r_M}};
  d.contacts.push_back(
      {"beak/pole", Coulomb{mu, e_beak, 0, 1}, {{{2, -h_S}}, along_beak}, l_M + l_G - l_S - r_0, 0});
  d.contacts.push_back(
      {"sleeve-lower/pole", Coulomb{mu, e_sleeve, 0, 1}, {{{1, h_M}}, along_sleeve}, r_M - r_0, 0});
  d.contacts.push_back(
      {"sleeve-upper/pole", Coulomb{mu, e_sleeve, 0, 1}, {{{1, -h_M}}, along_sleeve}, r_M - r_0, 0});
  CatalogProblem p;
  p.problem = {std::make_shared<LinearSystem>(std::move(d)), 0, end, Vec{{y0, phi_M0, phi_S0}},
               Vec{{v0, omega_M0, omega_S0}}};
  p.problem.penetration = Penetration::accept;  // the published start is 0.9 µm inside the lower contact
  p.method.scheme = MoreauMidpoint{};
  SwitchingSteps s;
  s.h_min = 1e-7, s.h = 5e-3, s.atol = 1e-6;
  p.method.stepping = s;
  return p;
}

}  // namespace saltus

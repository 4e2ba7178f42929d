// Balls and bars with constant forces and linear gaps: the column, the collinear chain, the rocking bar.
#include <cmath>

#include "saltus/catalog/problems.hpp"
#include "saltus/reference/ballistic_reference.hpp"
#include "saltus/reference/lazy_reference.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {
namespace {

Matrix diagonal(const Vec& values) {
  Matrix M(static_cast<int>(values.size()), {Pattern::diagonal, 0, nullptr});
  for (int i = 0; i < values.size(); ++i) M.set(i, i, values[i]);
  return M;
}

CatalogProblem finish(LinearSystem::Data data, const Vec& q0, const Vec& u0, double end) {
  auto system = std::make_shared<LinearSystem>(std::move(data));
  CatalogProblem p;
  ContactSet set;
  CheckedSystem(*system).list(0, q0, set);
  bool apart = true;
  for (double g : set.gap) apart = apart && g >= 0;
  if (apart && q0.size() <= 2000) {
    p.reference = std::make_shared<LazyReference>(
        [system, q0, u0, end] { return ballistic_reference(*system, q0, u0, end); });
    p.reference_kind = "event-driven, piecewise parabolic";
  }
  p.problem = {std::move(system), 0, end, q0, u0};
  p.method.stepping = FixedSteps{1e-3};
  return p;
}

LinearContact between(int i, int j, double e) {  // gap q_j − q_i
  return {fmt::format("ball {}/ball {}", i, j), Unilateral{e}, {{{i, -1.0}, {j, 1.0}}}, 0, 0};
}

}  // namespace

CatalogProblem BallColumn::build(double end) const {
  LinearSystem::Data d;
  d.M = diagonal(Vec::Constant(n, m));
  d.f = Vec::Constant(n, -m * g);
  d.contacts.push_back({"ball 0/floor", Unilateral{e}, {{{0, 1.0}}}, 0, 0});
  for (int i = 0; i + 1 < n; ++i) d.contacts.push_back(between(i, i + 1, e));
  Vec q0(n);
  for (int i = 0; i < n; ++i) q0[i] = gap * (i + 1);
  return finish(std::move(d), q0, Vec::Zero(n), end);
}

CatalogProblem CollinearChain::build(double end) const {
  LinearSystem::Data d;
  d.M = diagonal(Vec::Constant(n, m));
  for (int i = 0; i + 1 < n; ++i) d.contacts.push_back(between(i, i + 1, e));
  Vec q0(n), u0 = Vec::Zero(n);
  for (int i = 0; i < n; ++i) q0[i] = gap * i;
  u0[0] = v0;
  return finish(std::move(d), q0, u0, end);
}

CatalogProblem RockingBar::build(double end) const {
  LinearSystem::Data d;
  d.M = diagonal(Vec{{m, J}});
  d.f = Vec{{-m * g, 0.0}};
  d.contacts.push_back({"left end/floor", Unilateral{e}, {{{0, 1.0}, {1, -l}}}, 0, 0});
  d.contacts.push_back({"right end/floor", Unilateral{e}, {{{0, 1.0}, {1, l}}}, 0, 0});
  return finish(std::move(d), Vec{{y0, phi0}}, Vec{{v0, omega0}}, end);
}

}  // namespace saltus

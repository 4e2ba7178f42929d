// A block on an incline. With a_g = g sin α along the plane and friction at most μ g cos α, it decelerates or
// accelerates uniformly while it slips, stops when the velocity reaches zero, and stays iff |tan α| ≤ μ.
#include <cmath>

#include "saltus/catalog/problems.hpp"
#include "saltus/reference/piecewise_reference.hpp"
#include "saltus/system/linear_system.hpp"

namespace saltus {

CatalogProblem SlidingBlock::build(double end) const {
  const double along = g * std::sin(angle), friction = mu * g * std::cos(angle);
  LinearSystem::Data d;
  d.M = Matrix(2, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, m);
  d.M.set(1, 1, m);
  d.f = Vec{{m * along, -m * g * std::cos(angle)}};
  d.contacts.push_back({"block/plane", Coulomb{mu, 0, 0, 1}, {{{1, 1.0}}, {{0, 1.0}}}, 0, 0});

  auto reference = std::make_shared<PiecewiseReference>();
  const auto piece = [&](double t, double x, double v, double a) {
    Eigen::MatrixXd c = Eigen::MatrixXd::Zero(3, 2);
    c(0, 0) = x, c(1, 0) = v, c(2, 0) = 0.5 * a;
    reference->add(t, std::move(c), true);
  };
  const auto from_rest = [&] {
    return std::abs(along) <= friction ? 0.0 : along - std::copysign(friction, along);
  };
  if (v0 == 0) {
    piece(0, 0, 0, from_rest());
  } else {
    const double a = along - std::copysign(friction, v0);
    piece(0, 0, v0, a);
    if (a * v0 < 0) {  // it comes to a stop
      const double t = -v0 / a;
      piece(t, 0.5 * v0 * t, 0, from_rest());
    }
  }
  CatalogProblem p;
  p.problem = {std::make_shared<LinearSystem>(std::move(d)), 0, end, Vec::Zero(2), Vec{{v0, 0.0}}};
  p.method.stepping = FixedSteps{1e-3};
  p.reference = std::move(reference);
  p.reference_kind = "closed form";
  return p;
}

}  // namespace saltus

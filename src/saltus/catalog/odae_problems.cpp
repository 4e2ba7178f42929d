#include "saltus/catalog/odae_problems.hpp"

#include "saltus/reference/odae_reference.hpp"

namespace saltus {
namespace {

class ExponentialReference final : public Reference {
 public:
  void state(double t, Side, Vec& q, Vec& u) const override { q = u = Vec{{std::exp(2 * t), std::exp(-t)}}; }
  std::vector<double> breaks(double, double) const override { return {}; }
  bool jumps() const override { return false; }
};

CatalogProblem problem(std::shared_ptr<const OdaeSystem> system, const Vec& y, const Vec& z, double end,
                       double h) {
  CatalogProblem p;
  p.reference = std::make_shared<OdaeReference>(system, 0, y, z, end);
  p.reference_kind = "extrapolation to rounding";
  SymplecticEuler scheme;
  scheme.composition = SymplecticEuler::Composition::strang;
  p.method.scheme = scheme;
  p.method.stepping = FixedSteps{h};
  if (system->has_unilateral()) p.method.stepping = EventLocation{h};
  p.problem = {std::move(system), 0, end, y, z};
  return p;
}

}  // namespace

CatalogProblem OdaeExponential::build(double end) const {
  CatalogProblem p = problem(make_odae(ExponentialModel{}), Vec::Ones(2), Vec::Ones(2), end, 0.01);
  p.reference = std::make_shared<ExponentialReference>();
  p.reference_kind = "closed form";
  return p;
}

bool CubicSlide::set_preset(std::string_view preset) {
  if (preset != "paper") contact = Contact::unilateral;
  if (preset == "land") x0 = 6, v0 = -1, gap0 = 5.84, w0 = 1.08;  // y₀ = (6, 8), z₀ = (−1, 0)
  if (preset == "frictionless") c = 0;
  return preset == "paper" || preset == "detach" || preset == "land" || preset == "frictionless";
}

CatalogProblem CubicSlide::build(double end) const {
  if (contact == Contact::bilateral && (gap0 != 0 || w0 != 0))
    fail("cubic-slide: gap0 = {} and w0 = {} need contact=unilateral", gap0, w0);
  const Vec y{{x0, b * x0 * x0 * x0 + gap0}}, z{{v0, 3 * b * x0 * x0 * v0 + w0}};
  return problem(make_odae(CubicModel{*this}), y, z, end, 0.01);
}

CatalogProblem SphericalPendulum::build(double end) const {
  return problem(make_odae(SphericalModel{*this}), Vec{{l, 0.0, 0.0}}, Vec{{0.0, p2, p3}}, end, 0.05);
}

CatalogProblem PolarBead::build(double end) const {
  const double rho = 1 + eps * std::cos(theta0);
  return problem(make_odae(PolarModel{*this}), Vec{{rho, theta0}},
                 Vec{{-eps * std::sin(theta0) * omega0, rho * rho * omega0}}, end, 0.02);
}

}  // namespace saltus

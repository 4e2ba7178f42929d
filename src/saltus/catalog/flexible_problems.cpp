#include "saltus/catalog/flexible_problems.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

class BarReference final : public Reference {
 public:
  BarReference(const BarData& data, double v0) : data_(data), v0_(v0) {}

  void state(double t, Side side, Vec& q, Vec& u) const override {
    const int n = data_.elements + 1;
    q.resize(n), u.resize(n);
    for (int i = 0; i < n; ++i) {
      const BarMotion x = exact_bar_motion(data_, v0_, place(i), t, side == Side::left);
      q[i] = x.displacement, u[i] = x.velocity;
    }
  }
  std::vector<double> breaks(double t0, double t1) const override {
    const double c = std::sqrt(data_.young / data_.density), close = data_.distance / v0_;
    std::vector<double> out;
    for (int i = 0; i <= data_.elements; ++i)
      for (double t : {close + place(i) / c, close + (2 * data_.length - place(i)) / c})
        if (t > t0 && t < t1) out.push_back(t);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  /// The graph distance compares n velocities with 2n jumps each: omitted where that would need minutes.
  bool jumps() const override { return data_.elements <= 400; }

 private:
  double place(int i) const { return data_.length * i / data_.elements; }

  BarData data_;
  double v0_;
};

}  // namespace

CatalogProblem ElasticBar::build(double end) const {
  CatalogProblem out;
  out.problem = {std::make_shared<LinearSystem>(bar_system(data())), 0, end, Vec::Zero(n + 1),
                 Vec::Constant(n + 1, -v0)};
  out.method.scheme = GeneralizedAlpha{};
  out.method.stepping = FixedSteps{L / std::sqrt(E / rho) / std::max(n, 100) * 1.2};
  out.reference = std::make_shared<BarReference>(data(), v0);
  out.reference_kind = "d'Alembert, continuous bar";
  return out;
}

BeamData FlexiblePendulum::data() const {
  BeamData d;
  d.elements = n, d.length = L, d.area = A, d.inertia = I, d.shear_area = k_s * A;
  d.young = E, d.poisson = nu, d.density = rho, d.gravity = {0, -g}, d.mass = mass;
  d.stops = {{"tip/stop", n, {1, 0}, x_min, Unilateral{e}}};
  return d;
}

CatalogProblem FlexiblePendulum::build(double end) const {
  const auto beam = std::make_shared<BeamSystem>(data());
  CatalogProblem out;
  const Vec q = beam->straight(theta0);
  out.problem = {beam, 0, end, q, beam->spin(q, omega0)};
  GeneralizedAlpha scheme;
  scheme.tolerance = 1e-6;  // the stiffness of the axis leaves no more of the forces of gravity
  out.method.scheme = scheme;
  out.method.stepping = FixedSteps{2e-5};
  return out;
}

}  // namespace saltus

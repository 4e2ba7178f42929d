// Your own overdetermined DAE: a bead that slides down a helix of wire with friction ‖F‖ = c ‖N‖^p. The wire
// is two constraints in space, and the friction makes the reaction nonlinear in their two multipliers.
// Functions v, f, r, g are written once; Saltus differentiates them.
#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "saltus/odae/odae_model.hpp"
#include "saltus/reference/odae_reference.hpp"
#include "saltus/run/run.hpp"
#include "saltus/study/convergence.hpp"

using namespace saltus;

struct Helix {
  static constexpr int ny = 3, nz = 3, m = 2;
  double radius = 1, pitch = 0.25, gravity = 9.81, c = 0.3, p = 0.9;  // unit mass

  template <class S>
  using V = Eigen::Matrix<S, 3, 1>;
  template <class S>
  using L = Eigen::Matrix<S, 2, 1>;

  template <class S>
  V<S> v(const V<S>&, const V<S>& z) const {
    return z;
  }
  template <class S>
  V<S> f(const V<S>&, const V<S>&) const {
    return {S(0), S(0), S(-gravity)};
  }
  template <class S>
  L<S> g(const V<S>& y) const {
    using std::cos, std::sin;
    return {y[0] - radius * cos(y[2] / pitch), y[1] - radius * sin(y[2] / pitch)};
  }
  template <class S>
  V<S> r(const V<S>& y, const V<S>& z, const L<S>& psi) const {
    using std::cos, std::sin, std::sqrt;
    const S angle = y[2] / pitch, k = radius / pitch;
    const V<S> N(psi[0], psi[1], k * (sin(angle) * psi[0] - cos(angle) * psi[1]));  // g_yᵀψ
    const S square = N[0] * N[0] + N[1] * N[1] + N[2] * N[2];
    const S friction = c * power_of_square(square, p) / sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    return {N[0] - friction * z[0], N[1] - friction * z[1], N[2] - friction * z[2]};
  }
  std::vector<OdaeConstraint> constraints() const { return {{"wire-x"}, {"wire-y"}}; }
  double energy(const V<double>& y, const V<double>& z) const {
    return 0.5 * z.squaredNorm() + gravity * y[2];
  }
};

int main() {
  const Helix wire;
  const std::shared_ptr<const OdaeSystem> system = make_odae(wire);
  const double down = -0.2;  // start velocity along the wire
  const Vec y0{{wire.radius, 0.0, 0.0}}, z0{{0.0, wire.radius / wire.pitch * down, down}};
  const Problem problem{system, 0, 2, y0, z0};
  const OdaeReference exact(system, 0, y0, z0, 2);
  Vec y, z;
  exact.state(2, Side::right, y, z);

  bool good = true;
  using C = SymplecticEuler::Composition;
  for (const auto& [composition, order, first] :
       {std::tuple{C::none, 1.0, 200}, {C::strang, 2.0, 200}, {C::suzuki4, 4.0, 25}}) {
    SymplecticEuler scheme;
    scheme.composition = composition;
    std::vector<double> h, error;
    for (int n : {first, 2 * first, 4 * first}) {
      const RunResult r = run(problem, {scheme, FixedSteps{2.0 / n}, AutomaticSolver{}});
      if (r.status != RunStatus::finished) return fmt::print("{}\n", r.message), 1;
      h.push_back(2.0 / n), error.push_back((r.final.q - y).norm());
      good = good && r.residuals.position < 1e-12 && r.residuals.velocity < 1e-12;
    }
    const double measured = fitted_order(h, error);
    fmt::print("{:<8} error {:.2e} at h = {}, order {:.2f}\n",
               SymplecticEuler::compositions[static_cast<int>(composition)], error.back(), h.back(),
               measured);
    good = good && std::abs(measured - order) < 0.15;
  }
  fmt::print("the bead is at z = {:.6f} m with {:.4f} m/s, wire forces {:.4f} and {:.4f} N\n", y[2], z.norm(),
             exact.multipliers(2)[0], exact.multipliers(2)[1]);
  return good ? 0 : 1;
}

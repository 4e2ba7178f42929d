// A bead in a turning drum, written from scratch: it drops onto the wall, bounces, is carried along by
// friction and slips back. docs/tutorials/your-own-system.md goes through this program part by part.
#include <cmath>

#include "saltus/reference/reference.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/system/model.hpp"

using namespace saltus;

// 1. The system: q = (x, y), the drum's axis at the origin. Written once for any scalar S.
struct Drum {
  static constexpr int dof = 2;
  static constexpr bool constant_mass = true, linear_force = true;
  double m = 0.1, g = 9.81, R = 0.5, speed = 0.3, mu = 0.4, e = 0.5;  // speed: of the wall, m/s
  template <class S>
  using V = Eigen::Matrix<S, 2, 1>;

  template <class S>
  Eigen::Matrix<S, 2, 2> mass(const S&, const V<S>&) const {
    return Eigen::Matrix<S, 2, 2>::Identity() * S(m);
  }
  template <class S>
  V<S> force(const S&, const V<S>&, const V<S>&) const {
    return {S(0), S(-m * g)};
  }
  // The distance to the wall.
  template <class S>
  Eigen::Matrix<S, 1, 1> gaps(const S&, const V<S>& q) const {
    using std::sqrt;
    return Eigen::Matrix<S, 1, 1>(R - sqrt(q[0] * q[0] + q[1] * q[1]));
  }
  // The velocity along the wall, relative to it.
  template <class S>
  Eigen::Matrix<S, 1, 1> slips(const S&, const V<S>& q, const V<S>& u) const {
    using std::sqrt;
    return Eigen::Matrix<S, 1, 1>((q[0] * u[1] - q[1] * u[0]) / sqrt(q[0] * q[0] + q[1] * q[1]) - speed);
  }
  template <class S>
  S potential(const S&, const V<S>& q) const {
    return m * g * q[1];
  }
  std::vector<Law> laws() const { return {Coulomb{.mu = mu, .e_n = e}}; }
  std::vector<std::string> contact_names() const { return {"bead/drum"}; }
};

// 2. A finer run as the reference of a coarser one.
class FinerRun final : public Reference {
 public:
  explicit FinerRun(const Trajectory& path) : path_(path) {}
  void state(double t, Side side, Vec& q, Vec& u) const override { q = path_.q(t), u = path_.u(t, side); }
  std::vector<double> breaks(double t0, double t1) const override {
    std::vector<double> out;
    for (int i = 0; i < path_.size(); ++i)
      if (path_.t(i) > t0 && path_.t(i) < t1) out.push_back(path_.t(i));
    return out;
  }

 private:
  const Trajectory& path_;
};

// 3. One run.
struct Run {
  RunResult result;
  Trajectory path;
};
Run simulate(const Problem& problem, double h) {
  Run r;
  r.result = run(problem, {.scheme = MoreauJean{.theta = 0.5, .gamma = 1}, .stepping = FixedSteps{h}},
                 r.path.sink());
  if (r.result.status != RunStatus::finished) fail("h = {}: {}", h, r.result.message);
  return r;
}

// From the lowest point, the way the drum turns.
double angle(const Vec& q) {
  return std::atan2(q[0], -q[1]);
}

int main() try {
  const Drum drum;
  const Problem problem{make_system(drum), 0, 1.5, Vec{{0.1, -0.3}}, Vec{{0.0, 0.0}}};

  // 4. Each run against the one with half the step; for a scheme of order one its error is about twice that.
  fmt::print("{:>10} {:>10} {:>10}   distance to the run with h/2\n", "h", "q sup", "u graph");
  double h = 4e-3, first = 0, last = 0;
  Run coarse = simulate(problem, h);
  for (; h > 2e-4; h /= 2) {
    Run fine = simulate(problem, h / 2);
    const TrajectoryError d = compare(coarse.path, FinerRun(fine.path));
    fmt::print("{:>10.2e} {:>10.2e} {:>10.2e}\n", h, d.q_sup, d.u_hausdorff);
    if (first == 0) first = d.q_sup;
    last = d.q_sup;
    coarse = std::move(fine);
  }

  // 5. What happened, in the run with the smallest step.
  const Trajectory& path = coarse.path;
  fmt::print("\n{:>8} {:<8} {:>8} {:>10} {:>10}\n", "t", "event", "angle", "u before", "u after");
  double slip_angle = std::nan("");
  for (const Event& e : path.events()) {
    fmt::print("{:8.4f} {:<8} {:8.4f}", e.t, to_string(e.kind), angle(path.q(e.t)));
    if (e.impulse.size() > 0)
      fmt::print(" {:10.2e} {:10.2e}", e.u_minus[0], e.u_plus[0]);  // an opening has none
    fmt::print("\n");
    if (e.kind == EventKind::slip) slip_angle = angle(path.q(e.t));
  }
  fmt::print("deepest penetration {:.1e}, energy {:.4f} J -> {:.4f} J\n", coarse.result.residuals.gap,
             coarse.result.energy_initial, coarse.result.energy_final);

  // 6. A check by hand. A bead that sticks moves at the wall's speed v, is pressed on by m (g cos φ + v²/R)
  //    and pulled back by m g sin φ: it begins to slip where sin φ = μ (cos φ + v²/(g R)).
  const double lean = std::atan(drum.mu), v2 = drum.speed * drum.speed;
  const double expected = lean + std::asin(std::sin(lean) * v2 / (drum.g * drum.R));
  fmt::print("slips at {:.4f} rad, by hand {:.4f} rad\n", slip_angle, expected);
  return std::abs(slip_angle - expected) < 1e-3 && last < first / 8 ? 0 : 1;
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}

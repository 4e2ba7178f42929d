// A law of your own: a puck on a table. Gravity presses it down with a known force, so dry friction has a
// fixed limit, and it is the same in every direction: |P| ≤ r dt on two rows. (Two Relay laws, one per axis,
// would make a square of this disc and bend the path of the puck.)
#include <cmath>

#include "saltus/run/trajectory.hpp"
#include "saltus/system/linear_system.hpp"

// C is the disc of radius r dt; a law is its prox, a derivative of that, and a name for what happens.
class DiscFriction final : public saltus::LawInterface {
 public:
  explicit DiscFriction(double limit) : limit_(limit) {}
  int rows() const override { return 2; }
  void prox(double dt, saltus::Block& x) const override {
    const double r = limit_ * dt, length = x.norm();
    if (length > r) x *= r / length;
  }
  void prox_jacobian(double dt, const saltus::Block& x, saltus::BlockMatrix& J) const override {
    const double r = limit_ * dt, length = x.norm();
    J.setIdentity(2, 2);
    if (length > r) J = r / length * (J - x * x.transpose() / (length * length)).eval();
  }
  saltus::Mode mode(double dt, const saltus::Block& P, const saltus::Block&) const override {
    return P.norm() < limit_ * dt * (1 - 1e-9) ? saltus::Mode::stick : saltus::Mode::slip;
  }
  std::string_view label() const override { return "friction disc"; }

 private:
  double limit_;  // N
};

int main() {
  using namespace saltus;
  const double m = 0.2, mu = 0.3, g = 9.81;
  LinearSystem::Data data;
  data.M = Matrix(2, {Pattern::diagonal, 0, nullptr});
  data.M.set(0, 0, m);
  data.M.set(1, 1, m);
  data.contacts.push_back(
      {"puck/table", UserLaw{std::make_shared<DiscFriction>(mu * m * g)}, {{{0, 1.0}}, {{1, 1.0}}}});

  Problem problem{std::make_shared<LinearSystem>(std::move(data)), 0, 2, Vec::Zero(2), Vec{{3.0, 1.0}}};
  const Vec u0 = problem.u0;
  Trajectory path;
  const RunResult result = run(problem, {}, path.sink());

  // Exact: straight ahead, at rest after |u0| / (μ g).
  const double stop = u0.norm() / (mu * g);
  const Vec end = 0.5 * stop * u0;
  const double error = (result.final.q - end).norm();
  for (const Event& e : path.events()) fmt::print("t = {:.3f}  {}\n", e.t, to_string(e.kind));
  fmt::print("exact stop at t = {:.6f}; end ({:.6f}, {:.6f}), error {:.1e}\n", stop, result.final.q[0],
             result.final.q[1], error);
  const bool stopped_once = path.events().size() == 1 && path.events()[0].kind == EventKind::stick;
  return result.status == RunStatus::finished && error < 1e-6 && stopped_once ? 0 : 1;
}

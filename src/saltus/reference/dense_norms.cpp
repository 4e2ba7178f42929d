#include "saltus/reference/dense_norms.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

struct Sums {
  explicit Sums(int n) : l1(Vec::Zero(n)), squares(Vec::Zero(n)), sup(Vec::Zero(n)) {}
  void add(const Vec& error, double weight) {
    l1 += weight * error.cwiseAbs(), squares += weight * error.cwiseAbs2();
    sup = sup.cwiseMax(error.cwiseAbs());
  }
  static double largest(const Vec& x) { return x.size() > 0 ? x.maxCoeff() : 0; }
  Vec l1, squares, sup;
};

// All that begins or ends, in order.
std::vector<double> nodes(const Trajectory& x, const std::vector<double>& breaks) {
  std::vector<double> out = breaks;
  for (const auto& p : x.pieces()) out.push_back(p.start), out.push_back(p.end);
  out.push_back(x.t(0)), out.push_back(x.t(x.size() - 1));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

DenseNorms dense_norms(const Trajectory& x, const std::vector<double>& breaks, const ExactState& exact) {
  constexpr double points[] = {0.112701665379258, 0.5, 0.887298334620742};
  constexpr double weights[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  Sums q_sums(x.nq()), u_sums(x.nu());
  Vec q(x.nq()), u(x.nu());
  const auto add = [&](double t, Side side, double weight) {
    exact(t, side, q, u);
    const auto mine = x(t, side);
    q_sums.add(mine.q - q, weight), u_sums.add(mine.u - u, weight);
  };
  const auto times = nodes(x, breaks);
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    const double a = times[i], h = times[i + 1] - a;
    add(a, Side::right, 0), add(times[i + 1], Side::left, 0);
    for (int k = 0; k < 3; ++k)
      if (const double t = a + points[k] * h; t > a && t < times[i + 1]) add(t, Side::right, weights[k] * h);
  }
  add(times.back(), Side::right, 0);
  const auto root = [](const Vec& s) { return std::sqrt(Sums::largest(s)); };
  return {Sums::largest(q_sums.sup), Sums::largest(q_sums.l1), root(q_sums.squares),
          Sums::largest(u_sums.sup), Sums::largest(u_sums.l1), root(u_sums.squares)};
}

}  // namespace saltus

#include "saltus/system/check.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

void check_finite(std::string_view what, In x) {
  for (int i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) fail("{}[{}] = {} is not a finite number", what, i, x[i]);
}

}  // namespace

void check_mass(const Matrix& M) {
  const int n = M.size();
  for (int i = 0; i < n; ++i) {
    if (!std::isfinite(M(i, i))) fail("mass[{}] = {} is not a finite number", i, M(i, i));
    if (!(M(i, i) > 0)) fail("mass[{}] = {} must be positive", i, M(i, i));
  }
  if (M.pattern().kind == Pattern::diagonal) return;
  if (!M.all_finite()) fail("the mass matrix has an entry that is not a finite number");
  bool definite = true;
  if (M.pattern().kind == Pattern::sparse || M.pattern().kind == Pattern::banded) {
    std::vector<Eigen::Triplet<double>> entries;
    const int w = M.pattern().kind == Pattern::banded ? M.pattern().width : n;
    if (M.pattern().kind == Pattern::sparse) {
      Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> llt(M.sparse());
      definite = llt.info() == Eigen::Success;
    } else {
      for (int i = 0; i < n; ++i)
        for (int j = std::max(0, i - w); j <= std::min(n - 1, i + w); ++j)
          entries.emplace_back(i, j, M(i, j));
      Eigen::SparseMatrix<double> S(n, n);
      S.setFromTriplets(entries.begin(), entries.end());
      definite = Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>(S).info() == Eigen::Success;
    }
  } else {
    Eigen::MatrixXd D(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) D(i, j) = M(i, j);
    definite = Eigen::LLT<Eigen::MatrixXd>(D).info() == Eigen::Success;
  }
  if (!definite) fail("the mass matrix is not positive definite");
}

void check_times(double t0, double t_end) {
  if (!std::isfinite(t0)) fail("start time t0 = {} is not a finite number", t0);
  if (!std::isfinite(t_end)) fail("end time t_end = {} is not a finite number", t_end);
  if (!(t_end >= t0)) fail("end time t_end = {} lies before the start time t0 = {}", t_end, t0);
}

void check_sizes(int nq, int nu, In q0, In u0) {
  if (q0.size() != nq) fail("start position q0 has {} entries, the system has {} coordinates", q0.size(), nq);
  if (u0.size() != nu) fail("start velocity u0 has {} entries, the system has {} velocities", u0.size(), nu);
  check_finite("start position q0", q0);
  check_finite("start velocity u0", u0);
}

void check_start(const System& system, double t0, double t_end, In q0, In u0, Penetration penetration) {
  const Shape s = system.shape();
  check_times(t0, t_end);
  check_sizes(s.nq, s.nu, q0, u0);

  Matrix M(s.nu, s.mass);
  system.mass(t0, q0, M);
  check_mass(M);
  Vec h(s.nu);
  system.force(t0, q0, u0, h);
  check_finite("force", h);

  ContactSet set;
  system.gaps(t0, q0, set);
  system.directions(t0, q0, set);
  const auto laws = system.laws();
  const double scale = 1 + q0.lpNorm<Eigen::Infinity>();
  for (const Contact& c : set.contacts) {
    const std::string name = system.contact_name(c.id);
    if (c.law < 0 || c.law >= static_cast<int>(laws.size()))
      fail("contact {}: law {} does not exist", name, c.law);
    check_law(laws[c.law], name);
    const int n = rows(laws[c.law]);
    for (int r = c.row; r < c.row + n; ++r) {
      if (r >= set.rows() || r >= set.Wt.rows())
        fail("contact {}: row {} is missing from the gaps or from W", name, r);
      if (!std::isfinite(set.gap[r])) fail("contact {}: gap = {} is not a finite number", name, set.gap[r]);
      for (const auto& e : set.Wt.row(r))
        if (!std::isfinite(e.value))
          fail("contact {}: direction W has an entry {} that is not finite", name, e.value);
    }
    if (needs_closed_gap(laws[c.law]) && set.gap[c.row] < -1e-9 * scale && penetration == Penetration::refuse)
      fail(
          "contact {}: the start penetrates, gap = {}; move it apart, or accept it (then the contact starts "
          "closed "
          "and keeps that depth until it opens)",
          name, set.gap[c.row]);
    if (!std::holds_alternative<Equality>(laws[c.law])) continue;
    for (int r = c.row; r < c.row + n; ++r) {
      if (std::abs(set.gap[r]) > 1e-6 * scale)
        fail("joint {}: the start violates it by {}; choose a start that satisfies the joint", name,
             set.gap[r]);
      const double rate = set.Wt.dot(r, u0.data());
      if (set.drift[r] == 0 && std::abs(rate) > 1e-6 * (1 + u0.lpNorm<Eigen::Infinity>()))
        fail("joint {}: the start velocity violates it by {}; choose velocities that satisfy the joint", name,
             rate);  // what is driven may start with a jerk
    }
  }
}

}  // namespace saltus

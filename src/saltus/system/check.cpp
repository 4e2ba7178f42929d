#include "saltus/system/check.hpp"
#include "saltus/system/checked.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/decompositions.hpp"
#include "saltus/system/gap_rounding.hpp"

namespace saltus {
namespace {

void check_finite(std::string_view what, In x) {
  for (int i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) fail("{}[{}] = {} is not a finite number", what, i, x[i]);
}

std::string bad_mass(int i, double m) {
  return fmt::format("mass[{}] = {} {}", i, m,
                     std::isfinite(m) ? "must be positive" : "is not a finite number");
}
constexpr auto not_definite = "the mass matrix is not positive definite";

bool is_definite(const Matrix& M) {
  const int n = M.size();
  const Pattern& pattern = M.pattern();
  if (pattern.kind == Pattern::diagonal) return true;  // its entries are checked one by one
  if (!M.all_finite()) fail("the mass matrix has an entry that is not a finite number");
  if (pattern.kind == Pattern::sparse) return is_positive_definite(M.sparse());
  if (pattern.kind == Pattern::banded) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < n; ++i)
      for (int j = std::max(0, i - pattern.width); j <= std::min(n - 1, i + pattern.width); ++j)
        entries.emplace_back(i, j, M(i, j));
    Eigen::SparseMatrix<double> S(n, n);
    S.setFromTriplets(entries.begin(), entries.end());
    return is_positive_definite(S);
  }
  Eigen::MatrixXd D(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) D(i, j) = M(i, j);
  return is_positive_definite(D);
}

// Its law, and that its rows are there and finite.
void check_contact(const System& system, const ContactSet& set, const Contact& c, const std::string& name) {
  const auto laws = system.laws();
  if (c.law < 0 || c.law >= static_cast<int>(laws.size()))
    fail("contact {}: law {} does not exist", name, c.law);
  check_law(laws[c.law], name);
  for (int r = c.row; r < c.row + rows(laws[c.law]); ++r) {
    if (r >= set.rows() || r >= set.Wt.rows())
      fail("contact {}: row {} is missing from the gaps or from W", name, r);
    if (!std::isfinite(set.gap[r])) fail("contact {}: gap = {} is not a finite number", name, set.gap[r]);
    for (const auto& e : set.Wt.row(r))
      if (!std::isfinite(e.value))
        fail("contact {}: direction W has an entry {} that is not finite", name, e.value);
  }
}

// How large a system is: what its coordinates and the gaps of open contacts show, in the metric of the
// masses.
double extent_of(const GapRounding& metric, const ContactSet& set, std::span<const Law> laws, const Vec& q) {
  double most = metric.size(q);
  for (const Contact& c : set.contacts) {
    if (c.law < 0 || c.law >= static_cast<int>(laws.size()) || !needs_closed_gap(laws[c.law])) continue;
    if (c.row >= set.rows() || c.row >= set.Wt.rows() || !std::isfinite(set.gap[c.row])) continue;
    if (is_absent(set.gap[c.row])) continue;
    if (const double one = metric.mobility(set, c.row); one > 0) most = std::max(most, set.gap[c.row] / one);
  }
  return most;
}

}  // namespace

void check_mass(const Matrix& M) {
  for (int i = 0; i < M.size(); ++i)
    if (const double m = M(i, i); !std::isfinite(m) || !(m > 0)) throw Error(bad_mass(i, m));
  if (!is_definite(M)) throw Error(not_definite);
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

std::vector<StartTrouble> start_troubles(const System& system, double t0, double t_end, In q0, In u0,
                                         Penetration penetration) {
  using About = StartTrouble::About;
  const Shape s = system.shape();
  check_times(t0, t_end);
  check_sizes(s.nq, s.nu, q0, u0);
  std::vector<StartTrouble> out;
  const CheckedSystem at(system);

  Matrix M(s.nu, s.mass);
  at.mass(t0, q0, M);
  for (int i = 0; i < s.nu; ++i)
    if (const double m = M(i, i); !std::isfinite(m) || !(m > 0))
      out.push_back({About::mass, i, m, {}, bad_mass(i, m)});
  if (out.empty() && !is_definite(M)) out.push_back({About::mass, -1, 0, {}, not_definite});

  Vec h(s.nu);
  at.force(t0, q0, u0, h);
  for (int i = 0; i < s.nu; ++i)
    if (!std::isfinite(h[i]))
      out.push_back(
          {About::force, i, h[i], {}, fmt::format("force[{}] = {} is not a finite number", i, h[i])});

  ContactSet set;
  at.list(t0, q0, set);
  at.directions(t0, q0, set);
  GapRounding metric(s);
  metric.weigh(M);
  const double fastest = metric.size_of_rates(u0);
  const double extent = std::max(extent_of(metric, set, system.laws(), q0), (t_end - t0) * fastest);
  // of a gap; where everything is zero, units are not known
  const auto length = [&](int row) { return extent > 0 ? extent * metric.mobility(set, row) : 1.0; };
  for (const Contact& c : set.contacts) {
    const std::string name = system.contact_name(c.id);
    try {
      check_contact(system, set, c, name);
    } catch (const Error& e) {
      out.push_back({About::contact, -1, 0, name, e.what()});
      continue;
    }
    const Law& law = system.laws()[c.law];
    if (const double gap = set.gap[c.row];
        needs_closed_gap(law) && gap < -1e-9 * length(c.row) && penetration == Penetration::refuse)
      out.push_back({About::penetration, -1, gap, name,
                     fmt::format("contact {}: the start penetrates, gap = {}; move it apart, or accept it "
                                 "(then the contact starts closed and keeps that depth until it opens)",
                                 name, gap)});
    if (!std::holds_alternative<Equality>(law)) continue;
    for (int r = c.row; r < c.row + rows(law); ++r) {
      const double rate = set.Wt.dot(r, u0.data());
      const auto entries = set.Wt.row(r);
      if (std::all_of(entries.begin(), entries.end(), [](const auto& e) { return e.value == 0; }))
        out.push_back(
            {About::joint, -1, 0, name,
             fmt::format("joint {}: its gradient is zero at the start, so nothing can hold it; choose "
                         "another start, or write the joint without squares",
                         name)});
      else if (std::abs(set.gap[r]) > 1e-6 * length(r))
        out.push_back({About::joint, -1, set.gap[r], name,
                       fmt::format("joint {}: the start violates it by {}; choose a start that satisfies the "
                                   "joint",
                                   name, set.gap[r])});
      else if (penetration != Penetration::under_way && set.drift[r] == 0 &&
               std::abs(rate) > 1e-6 * fastest * metric.mobility(set, r))
        // what is driven may start with a jerk
        out.push_back({About::joint, -1, rate, name,
                       fmt::format("joint {}: the start velocity violates it by {}; choose velocities that "
                                   "satisfy the joint",
                                   name, rate)});
    }
  }
  return out;
}

void check_start(const System& system, double t0, double t_end, In q0, In u0, Penetration penetration) {
  const auto troubles = start_troubles(system, t0, t_end, q0, u0, penetration);
  if (!troubles.empty()) throw Error(troubles[0].message);
}

}  // namespace saltus

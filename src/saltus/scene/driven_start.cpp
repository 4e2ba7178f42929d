#include "saltus/scene/driven_start.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/decompositions.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {
namespace {

constexpr double tolerance = 1e-6;  // as in check_start
constexpr double give = 1e-9;       // of redundant joints, relative; refined away where they agree
constexpr int refinements = 20;

// A row of a joint demands Wᵀu = wish.
struct Row {
  std::uint64_t id;
  int row;
  double wish;
};

// Which joints are not met, and what to do about it
void report(const System& system, const ContactSet& set, const std::vector<Row>& rows,
            const std::vector<char>& given, const Vec& u, double allowed) {
  std::string names;
  int broken = 0;
  for (const Row& r : rows) {
    const double rate = set.Wt.dot(r.row, u.data());
    if (std::abs(rate - r.wish) <= allowed) continue;
    const std::string name = system.contact_name(r.id);
    bool open = false;
    for (const auto& e : set.Wt.row(r.row)) open = open || !given[e.column];
    if (!open)
      fail(
          "{} starts at the rate {}, but the start velocities that are given make {}: leave them out, or let "
          "them fit",
          name, r.wish, rate);
    if (names.find("'" + name + "'") == std::string::npos && ++broken <= 6)
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", name);
  }
  if (broken > 0)
    fail(
        "the joints {}{} cannot all hold at the start: what drives them contradicts the others, or the start "
        "velocities that are given; remove one of them",
        names, broken > 6 ? " …" : "");
}

}  // namespace

void fit_start_velocities(const System& system, double t0, In q0, const std::vector<char>& given, Vec& u0) {
  const auto laws = system.laws();
  ContactSet set;
  const CheckedSystem at(system);
  at.list(t0, q0, set);
  at.directions(t0, q0, set);
  std::vector<Row> rows;
  bool driven = false, violated = false;
  for (const Contact& c : set.contacts)
    if (const auto* joint = std::get_if<Equality>(&laws[c.law]))
      for (int r = c.row; r < c.row + joint->size; ++r) {
        if (!std::isfinite(set.drift[r]))
          fail("{} starts at a rate that is not finite", system.contact_name(c.id));
        rows.push_back({c.id, r, -set.drift[r]});
        driven = driven || set.drift[r] != 0;
        violated = violated || std::abs(set.Wt.dot(r, u0.data()) + set.drift[r]) >
                                   tolerance * (1 + u0.lpNorm<Eigen::Infinity>());
      }
  if (!driven || !violated) return;

  // u += M⁻¹ W λ over what is open, (Wᵀ M⁻¹ W) λ = wish − Wᵀ u
  const int m = static_cast<int>(rows.size()), n = system.shape().nu;
  Matrix M(n, system.shape().mass);
  at.mass(t0, q0, M);
  for (int i = 0; i < n; ++i)
    if (!(M(i, i) > 0)) return;  // check_start reports it
  Eigen::SparseMatrix<double> W(n, m);
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < m; ++k)
    for (const auto& e : set.Wt.row(rows[k].row))
      if (!given[e.column]) entries.emplace_back(e.column, k, e.value / std::sqrt(M(e.column, e.column)));
  W.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseMatrix<double> G = W.transpose() * W, one(m, m);
  one.setIdentity();
  const double size = G.nonZeros() > 0 ? G.diagonal().maxCoeff() : 0;
  G += (size > 0 ? give * size : 1.0) * one;
  const SparseLdlt factor(G);
  Vec missing(m);
  for (int pass = 0; pass < refinements; ++pass) {
    for (int k = 0; k < m; ++k) missing[k] = rows[k].wish - set.Wt.dot(rows[k].row, u0.data());
    const Vec change = W * factor.solve(missing);
    for (int i = 0; i < n; ++i)
      if (change[i] != 0) u0[i] += change[i] / std::sqrt(M(i, i));
  }
  report(system, set, rows, given, u0, tolerance * (1 + u0.lpNorm<Eigen::Infinity>()));
}

}  // namespace saltus

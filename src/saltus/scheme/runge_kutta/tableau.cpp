#include "saltus/scheme/runge_kutta/tableau.hpp"

#include <cfloat>
#include <charconv>
#include <cmath>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"
#include "saltus/linalg/decompositions.hpp"
#include "saltus/scheme/runge_kutta/dense_pair.hpp"

namespace saltus {
namespace {

// ---- rooted trees
// ------------------------------------------------------------------------------------------- A tree is the
// list of its sub-trees (indices into the list of all smaller trees, non-increasing).
struct Tree {
  std::vector<int> branches;
  int order = 1;
  double density = 1;  // γ(t)
};

// All trees up to `most` nodes: a root and a multiset of smaller trees.
std::vector<Tree> rooted_trees(int most) {
  std::vector<Tree> trees;
  std::vector<int> first_of_order(most + 2, 0);
  for (int n = 1; n <= most; ++n) {
    first_of_order[n] = static_cast<int>(trees.size());
    const int available = first_of_order[n];
    std::vector<int> branches;
    const auto extend = [&](auto&& self, int left, int largest) -> void {
      if (left == 0) {
        Tree t{branches, n, static_cast<double>(n)};
        for (int b : branches) t.density *= trees[b].density;
        trees.push_back(std::move(t));
        return;
      }
      for (int k = std::min(largest, available - 1); k >= 0; --k) {
        if (trees[k].order > left) continue;
        branches.push_back(k);
        self(self, left - trees[k].order, k);
        branches.pop_back();
      }
    };
    extend(extend, n - 1, available - 1);
  }
  return trees;
}

// ---- collocation
// ---------------------------------------------------------------------------------------------- a_ij =
// ∫₀^{c_i} ℓ_j and b_j = ∫₀¹ ℓ_j: the first `conditions` of C(q) and B(q), solved with the monomials.
Eigen::MatrixXd collocation_matrix(const Vec& c) {
  const int s = static_cast<int>(c.size());
  Eigen::MatrixXd V(s, s), R(s, s);
  for (int k = 0; k < s; ++k)
    for (int j = 0; j < s; ++j) V(k, j) = std::pow(c[j], k), R(k, j) = std::pow(c[j], k + 1) / (k + 1);
  // Σ_j a_ij c_jᵏ = c_iᵏ⁺¹/(k+1)
  return solve_small(V, R).transpose();
}

Vec quadrature_weights(const Vec& c) {
  const int s = static_cast<int>(c.size());
  Eigen::MatrixXd V(s, s);
  Vec r(s);
  for (int k = 0; k < s; ++k) {
    for (int j = 0; j < s; ++j) V(k, j) = std::pow(c[j], k);
    r[k] = 1.0 / (k + 1);
  }
  return solve_small(V, r);
}

Tableau collocation(std::string name, std::string reference, const Vec& c) {
  Tableau t{std::move(name), std::move(reference), collocation_matrix(c), quadrature_weights(c), c};
  return t;
}

// Lobatto IIIC: a_i1 = b_1 and C(s − 1).
Tableau lobatto_iiic(std::string name, const Vec& c) {
  const int s = static_cast<int>(c.size());
  Tableau t{std::move(name), "Chipman 1971; Hairer, Wanner II, IV.5", Eigen::MatrixXd(s, s),
            quadrature_weights(c), c};
  Eigen::MatrixXd V(s, s);
  V.row(0) = Eigen::RowVectorXd::Unit(s, 0);
  for (int k = 1; k < s; ++k)
    for (int j = 0; j < s; ++j) V(k, j) = std::pow(c[j], k - 1);
  for (int i = 0; i < s; ++i) {
    Vec r(s);
    r[0] = t.b[0];
    for (int k = 1; k < s; ++k) r[k] = std::pow(c[i], k) / k;
    t.A.row(i) = solve_small(V, r).transpose();
  }
  return t;
}

Tableau explicit_table(std::string name, std::string reference, const std::vector<std::vector<double>>& rows,
                       const std::vector<double>& b) {
  const int s = static_cast<int>(b.size());
  Tableau t{std::move(name), std::move(reference), Eigen::MatrixXd::Zero(s, s), Vec(s), Vec::Zero(s)};
  for (int i = 0; i < s; ++i) {
    t.b[i] = b[i];
    for (std::size_t j = 0; i > 0 && j < rows[i - 1].size(); ++j)
      t.A(i, static_cast<int>(j)) = rows[i - 1][j];
    t.c[i] = t.A.row(i).sum();
  }
  return t;
}

Vec nodes(std::initializer_list<double> x) {
  Vec c(static_cast<Eigen::Index>(x.size()));
  std::copy(x.begin(), x.end(), c.data());
  return c;
}

std::vector<Tableau> make_tableaus() {
  const double r3 = std::sqrt(3.0), r6 = std::sqrt(6.0), r15 = std::sqrt(15.0);
  const char* hw2 = "Hairer, Wanner II, IV.5";
  std::vector<Tableau> t;
  t.push_back(collocation("radau-iia-1", "implicit Euler", nodes({1})));
  t.push_back(collocation("radau-iia-3", hw2, nodes({1.0 / 3, 1})));
  t.push_back(collocation("radau-iia-5", hw2, nodes({(4 - r6) / 10, (4 + r6) / 10, 1})));
  t.push_back(collocation("lobatto-iiia-2", "trapezoidal rule", nodes({0, 1})));
  t.push_back(collocation("lobatto-iiia-4", hw2, nodes({0, 0.5, 1})));
  t.push_back(collocation("lobatto-iiia-6", hw2,
                          nodes({0, 0.5 - std::sqrt(5.0) / 10, 0.5 + std::sqrt(5.0) / 10, 1})));
  t.push_back(collocation("gauss-2", "implicit midpoint rule", nodes({0.5})));
  t.push_back(collocation("gauss-4", hw2, nodes({0.5 - r3 / 6, 0.5 + r3 / 6})));
  t.push_back(collocation("gauss-6", hw2, nodes({0.5 - r15 / 10, 0.5, 0.5 + r15 / 10})));
  t.push_back(lobatto_iiic("lobatto-iiic-2", nodes({0, 1})));
  t.push_back(lobatto_iiic("lobatto-iiic-4", nodes({0, 0.5, 1})));
  t.push_back(
      lobatto_iiic("lobatto-iiic-6", nodes({0, 0.5 - std::sqrt(5.0) / 10, 0.5 + std::sqrt(5.0) / 10, 1})));
  const auto add = [&](const char* name, const char* reference, const std::vector<std::vector<double>>& rows,
                       const std::vector<double>& b) {
    t.push_back(explicit_table(name, reference, rows, b));
  };
  const std::vector<std::vector<double>> rk4 = {{0.5}, {0, 0.5}, {0, 0, 1}};
  const std::vector<double> rk4_b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const std::vector<std::vector<double>> dopri = {
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}};
  const std::vector<double> dopri_b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
  const Vec dopri_embedded{
      {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40}};
  add("herk-1", "explicit Euler", {}, {1});
  add("herk-2", "explicit midpoint rule", {{0.5}}, {0, 1});
  add("herk-3", "Heun 1900", {{1.0 / 3}, {0, 2.0 / 3}}, {0.25, 0, 0.75});
  add("herk-4", "Kutta 1901", rk4, rk4_b);
  add("herk-5", "Dormand, Prince 1980", dopri, dopri_b);
  t.back().embedded = dopri_embedded;
  add("heun-2", "Heun 1900", {{1}}, {0.5, 0.5});
  add("ralston-2", "Ralston 1962", {{2.0 / 3}}, {0.25, 0.75});
  add("kutta-3", "Kutta 1901", {{0.5}, {-1, 2}}, {1.0 / 6, 2.0 / 3, 1.0 / 6});
  add("bogacki-shampine-3", "Bogacki, Shampine 1989", {{0.5}, {0, 0.75}}, {2.0 / 9, 1.0 / 3, 4.0 / 9});
  t.back().embedded = Vec{{7.0 / 24, 1.0 / 4, 1.0 / 3, 1.0 / 8}};
  add("three-eighths-4", "Kutta 1901", {{1.0 / 3}, {-1.0 / 3, 1}, {1, -1, 1}}, {0.125, 0.375, 0.375, 0.125});
  const DensePair& dop = dop_853();
  const int s = dop.stages;
  t.push_back(
      {"dop-8", std::string(dop.reference), dop.A.topLeftCorner(s, s), dop.A.row(s).head(s), dop.c.head(s)});
  return t;
}

const std::vector<Tableau>& all_tableaus() {
  static const std::vector<Tableau> all = make_tableaus();
  return all;
}

}  // namespace

int order(const Tableau& tableau, int most) {
  static constexpr int usual = 8;  // made once: steppers ask for it
  static const std::vector<Tree> known = rooted_trees(usual);
  const std::vector<Tree> others = most == usual ? std::vector<Tree>{} : rooted_trees(most);
  const std::vector<Tree>& trees = most == usual ? known : others;
  const int s = tableau.stages();
  // inner[t]_i: the product over the branches of t of Σ_j a_ij inner[branch]_j
  std::vector<Vec> inner;
  int reached = most;
  for (const Tree& t : trees) {
    Vec w = Vec::Ones(s);
    for (int b : t.branches) w = w.cwiseProduct(tableau.A * inner[b]);
    if (std::abs(tableau.b.dot(w) - 1 / t.density) > 1e-12) reached = std::min(reached, t.order - 1);
    inner.push_back(std::move(w));
  }
  return reached;
}

Tableau with_end_stage(const Tableau& t) {
  const int s = t.stages();
  Tableau out{t.name,           t.reference,      Eigen::MatrixXd::Zero(s + 1, s + 1),
              Vec::Zero(s + 1), Vec::Ones(s + 1), t.embedded};
  out.A.topLeftCorner(s, s) = t.A, out.A.bottomLeftCorner(1, s) = t.b.transpose();
  out.b.head(s) = t.b, out.c.head(s) = t.c;
  return out;
}

int embedded_order(const Tableau& t) {
  if (t.embedded.size() == 0) return 0;
  Tableau second = with_end_stage(t);
  second.b = t.embedded;
  return order(second);
}

bool is_explicit(const Tableau& t) {
  for (int i = 0; i < t.stages(); ++i)
    for (int j = i; j < t.stages(); ++j)
      if (t.A(i, j) != 0) return false;
  return true;
}

bool is_stiffly_accurate(const Tableau& t) {
  return (t.A.row(t.stages() - 1).transpose() - t.b).lpNorm<Eigen::Infinity>() < 1e-14;
}

bool is_symplectic(const Tableau& t) {
  for (int i = 0; i < t.stages(); ++i)
    for (int j = 0; j < t.stages(); ++j)
      if (std::abs(t.b[i] * t.A(i, j) + t.b[j] * t.A(j, i) - t.b[i] * t.b[j]) > 1e-14) return false;
  return true;
}

std::complex<double> stability(const Tableau& t, std::complex<double> z) {
  const int s = t.stages();
  const Eigen::MatrixXcd system = Eigen::MatrixXcd::Identity(s, s) - z * t.A.cast<std::complex<double>>();
  const Eigen::VectorXcd x = solve_small(system, Eigen::VectorXcd::Ones(s));
  return 1.0 + z * (t.b.cast<std::complex<double>>().transpose() * x)(0);
}

const Tableau& find_tableau(std::string_view name) {
  std::vector<std::string> known;
  for (const Tableau& t : all_tableaus()) {
    if (t.name == name) return t;
    known.push_back(t.name);
  }
  fail("unknown tableau '{}'{}; known: {}", name, suggestion(name, known), fmt::join(known, ", "));
}

int named_order(std::string_view name) {
  int out = 0;
  const std::string_view digits = name.substr(name.rfind('-') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return out;
}

std::vector<std::string_view> tableau_names() {
  std::vector<std::string_view> out;
  for (const Tableau& t : all_tableaus()) out.push_back(t.name);
  return out;
}

namespace {

#if LDBL_MANT_DIG < 113 && defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Longer;  // what long double is for the browser (cmake/same_bits.cmake)
#else
using Longer = long double;
#endif

// Integrals of the Lagrange polynomials by their coefficients, with more digits than double: those of seven
// nodes cancel.
Tableau make_radau_iia(int stages) {
  using Real = Longer;
  const auto excess = [&](Real x) {  // P_s − P_{s−1} at 2x − 1
    Real p0 = 1, p1 = 2 * x - 1;
    for (int k = 1; k < stages; ++k)
      p0 = std::exchange(p1, ((2 * k + 1) * (2 * x - 1) * p1 - k * p0) / (k + 1));
    return p1 - p0;
  };
  std::vector<Real> c;
  constexpr int grid = 1000;
  for (int i = 0; i < grid - 1; ++i) {
    Real lo = Real(i) / grid, hi = Real(i + 1) / grid;
    if (excess(lo) * excess(hi) > 0) continue;
    for (int k = 0; k < 80; ++k) (excess((lo + hi) / 2) * excess(hi) > 0 ? hi : lo) = (lo + hi) / 2;
    c.push_back(hi);
  }
  c.push_back(1);
  const int s = stages;
  Tableau t{fmt::format("radau-iia-{}", 2 * s - 1), "Hairer, Wanner II, IV.5", Eigen::MatrixXd(s, s), Vec(s),
            Vec(s)};
  for (int j = 0; j < s; ++j) {
    std::vector<Real> l = {1};  // coefficients of ℓ_j
    for (int k = 0; k < s; ++k) {
      if (k == j) continue;
      l.push_back(0);
      for (auto i = l.size(); i-- > 0;) l[i] = ((i > 0 ? l[i - 1] : 0) - c[k] * l[i]) / (c[j] - c[k]);
    }
    for (int i = 0; i < s; ++i) {
      Real sum = 0;
      for (auto k = l.size(); k-- > 0;) sum = (sum + l[k] / Real(k + 1)) * c[i];
      t.A(i, j) = static_cast<double>(sum);
    }
    t.c[j] = static_cast<double>(c[j]), t.b[j] = t.A(s - 1, j);
  }
  return t;
}

template <int stages>
const Tableau& kept_radau_iia() {
  static const Tableau tableau = make_radau_iia(stages);
  return tableau;
}

}  // namespace

// Every run by tolerance has one at hand, and short runs would spend a third of their time on its nodes.
Tableau radau_iia(int stages) {
  switch (stages) {
    case 3:
      return kept_radau_iia<3>();
    case 5:
      return kept_radau_iia<5>();
    case 7:
      return kept_radau_iia<7>();
    default:
      return make_radau_iia(stages);
  }
}

}  // namespace saltus

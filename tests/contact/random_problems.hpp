// One thousand random contact problems, the same on every machine: ten families of a hundred.
//
// Bodies of three degrees of freedom (six in space), each with a random symmetric positive mass block; a
// contact joins one or two of them by random rows of Wᵀ. A direction d of the space of velocities is drawn
// first: normals satisfy w·d > 0, tangents and joints w·d = 0. Moving along d opens every contact and leaves
// joints alone, so that c = Wᵀ v_free + E Wᵀ v⁻ gives a problem with a solution, for any restitution, for any
// friction and however many contacts there are. `redundant` families have fewer degrees of freedom than rows
// and repeat contacts; `scaled` ones have impulses of the order 1e−9 or 1e9 and masses six decades apart.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "saltus/contact/problem.hpp"

namespace saltus::testing {

inline constexpr int problems_per_family = 100;
inline constexpr std::array<std::string_view, 10> families = {
    "unilateral", "unilateral redundant", "unilateral joints", "plane", "plane redundant", "plane joints",
    "space",      "space redundant",      "space joints",      "scaled"};
inline constexpr int problem_count = problems_per_family * static_cast<int>(families.size());

/// splitmix64
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567u) {}
  double uniform(double a = 0, double b = 1) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return a + (b - a) * static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  int below(int n) { return std::min(n - 1, static_cast<int>(uniform() * n)); }

 private:
  std::uint64_t state_;
};

struct RandomProblem {
  int family = 0;
  std::deque<Law> laws;
  std::vector<int> sizes;
  SparseRows Wt;
  Factor mass;
  ContactProblem problem;

  void build(Delassus::Form form = Delassus::Form::automatic) { problem.G.build(mass, Wt, sizes, form); }
  bool frictional() const {
    return std::any_of(laws.begin(), laws.end(),
                       [](const Law& l) { return std::holds_alternative<Coulomb>(l); });
  }
  bool polyhedral() const { return std::all_of(laws.begin(), laws.end(), is_polyhedral); }
};

/// What a family asks for.
struct Recipe {
  int tangents = 0;  ///< 0: no friction
  bool redundant = false, joints = false, scaled = false;
};

inline Recipe recipe(int family, int member) {
  if (family == 9) return {member % 3, member % 4 == 0, member % 5 == 0, true};
  return {family / 3, family % 3 == 1, family % 3 == 2, false};
}

class ProblemMaker {
 public:
  ProblemMaker(int family, int member)
      : random_(1000u * static_cast<unsigned>(family) + static_cast<unsigned>(member)),
        recipe_(recipe(family, member)) {
    out_.family = family;
    contacts_ = member < 3        ? member + 1
                : member % 2 == 0 ? static_cast<int>(std::exp(random_.uniform(0, std::log(61.0))))
                                  : 1 + random_.below(60);
    block_ = recipe_.tangents == 2 ? 6 : 3;
    const int rows = contacts_ * (1 + recipe_.tangents) + (recipe_.joints ? contacts_ : 0);
    const double dofs = rows * (recipe_.redundant ? random_.uniform(0.2, 0.9) : random_.uniform(1.2, 2));
    bodies_ = std::max(1, static_cast<int>(std::ceil(dofs / block_)));
  }

  RandomProblem make() {
    draw_masses();
    direction_.resize(dofs());
    for (double& x : direction_) x = random_.uniform(0.2, 1) * (random_.uniform() < 0.5 ? -1 : 1);
    const double mu = random_.uniform(0, member_mu_), e = random_.uniform(0, 0.9);
    for (int i = 0; i < contacts_; ++i) {
      if (recipe_.redundant && i > 0 && random_.uniform() < 0.3)
        repeat(random_.below(static_cast<int>(out_.laws.size())));
      else
        contact(mu, e);
      if (recipe_.joints && random_.uniform() < 0.3) joint(1 + random_.below(3));
      if (recipe_.joints && random_.uniform() < 0.3) relay();
    }
    draw_velocities();
    out_.build();
    return std::move(out_);
  }

 private:
  int dofs() const { return bodies_ * block_; }
  int first_row(int block) const {
    int at = 0;
    for (int i = 0; i < block; ++i) at += out_.sizes[i];
    return at;
  }

  void draw_masses() {
    if (recipe_.scaled) unit_ = std::pow(10, 9 * (random_.uniform() < 0.5 ? -1 : 1));
    Matrix M(dofs(), {Pattern::blocks, block_, nullptr});
    std::vector<double> L(static_cast<std::size_t>(block_) * block_);
    for (int b = 0; b < bodies_; ++b) {
      const double size =
          unit_ * (recipe_.scaled ? std::pow(10, random_.uniform(-3, 3)) : random_.uniform(0.5, 2));
      for (double& x : L) x = random_.uniform(-1, 1);
      for (int i = 0; i < block_; ++i)
        for (int j = 0; j < block_; ++j) {
          double sum = i == j ? 0.3 : 0;
          for (int k = 0; k < block_; ++k) sum += L[i * block_ + k] * L[j * block_ + k];
          M.set(b * block_ + i, b * block_ + j, size * sum);
        }
    }
    if (!out_.mass.factorize(M)) fail("random mass matrix is singular");
  }

  /// A random row on the degrees of freedom `columns_`, with a given product with d.
  void row(double product) {
    std::vector<double> w(columns_.size());
    double wd = 0, dd = 0;
    for (std::size_t k = 0; k < w.size(); ++k) {
      const double d = direction_[columns_[k]];
      w[k] = random_.uniform(-1, 1);
      wd += w[k] * d;
      dd += d * d;
    }
    for (std::size_t k = 0; k < w.size(); ++k)
      out_.Wt.add(columns_[k], w[k] + (product - wd) / dd * direction_[columns_[k]]);
    out_.Wt.end_row();
  }

  void choose_bodies() {
    columns_.clear();
    const int a = random_.below(bodies_), b = random_.below(bodies_);
    for (int k = 0; k < block_; ++k) columns_.push_back(a * block_ + k);
    if (b != a && random_.uniform() < 0.7)
      for (int k = 0; k < block_; ++k) columns_.push_back(b * block_ + k);
  }

  void add(Law law) {
    out_.sizes.push_back(rows(law));
    out_.laws.push_back(std::move(law));
  }

  void contact(double mu, double e) {
    choose_bodies();
    row(random_.uniform(0.1, 1));
    for (int k = 0; k < recipe_.tangents; ++k) row(0);
    if (recipe_.tangents == 0)
      add(Unilateral{e});
    else
      add(Coulomb{mu, e, 0, recipe_.tangents});
  }

  void repeat(int block) {
    const int at = first_row(block);
    for (int k = 0; k < out_.sizes[block]; ++k) {
      const std::vector<SparseRows::Entry> copy(out_.Wt.row(at + k).begin(), out_.Wt.row(at + k).end());
      out_.Wt.append_row(copy);
    }
    add(Law(out_.laws[block]));
  }

  void joint(int size) {
    choose_bodies();
    for (int k = 0; k < size; ++k) row(0);
    add(Equality{size});
  }

  void relay() {
    choose_bodies();
    row(random_.uniform(-1, 1));
    const double limit = random_.uniform(0.1, 2) * unit_;
    add(Relay{-limit, random_.uniform() < 0.5 ? limit : 0.3 * limit});
  }

  void draw_velocities() {
    std::vector<double> before(dofs()), free(dofs());
    for (int k = 0; k < dofs(); ++k) {  // approaching on the whole: against d
      before[k] = random_.uniform(-1, 1) - direction_[k];
      free[k] = before[k] + 0.3 * random_.uniform(-1, 1);
    }
    auto& p = out_.problem;
    p.dt = 0.5;
    for (std::size_t i = 0, at = 0; i < out_.laws.size(); at += out_.sizes[i++]) {
      double gamma[max_block_rows], back[max_block_rows];
      for (int k = 0; k < out_.sizes[i]; ++k) gamma[k] = out_.Wt.dot(static_cast<int>(at) + k, before.data());
      restitution(out_.laws[i], gamma, back);
      for (int k = 0; k < out_.sizes[i]; ++k)
        p.c.push_back(out_.Wt.dot(static_cast<int>(at) + k, free.data()) + back[k]);
      p.laws.push_back(&out_.laws[i]);
    }
  }

  Random random_;
  Recipe recipe_;
  RandomProblem out_;
  int contacts_ = 0, block_ = 0, bodies_ = 0;
  double unit_ = 1, member_mu_ = 1;
  std::vector<double> direction_;
  std::vector<int> columns_;
};

/// Problem `index` of 0 … problem_count − 1.
inline RandomProblem random_problem(int index) {
  return ProblemMaker(index / problems_per_family, index % problems_per_family).make();
}

}  // namespace saltus::testing

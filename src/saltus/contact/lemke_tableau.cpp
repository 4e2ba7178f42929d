#include "saltus/contact/lemke_tableau.hpp"

#include <algorithm>
#include <numbers>

namespace saltus::detail {
namespace {

constexpr double redundant = 1e-11;  // a scaled pivot below this is rounding
constexpr double tie = 1e-11;        // ratios closer than this are equal

// Pairs of a disc of friction beside that of its λ: facets, or the two senses of one row
int directions_of(const FrictionDisc& disc, int facets) {
  return disc.bound == 0 ? 0 : disc.rows == 1 ? 2 : facets;
}

}  // namespace

int LemkeTableau::count_pairs(const ContactProblem& problem, int facets) {
  int count = 0;
  for (int i = 0; i < problem.blocks(); ++i) {
    const Law& law = *problem.laws[i];
    if (std::holds_alternative<Equality>(law)) count += problem.G.block_size(i) - 1;
    count += 1 + (limits_of(law) ? 1 : 0);
    for (const FrictionDisc& d : discs_of(law))
      if (const int k = directions_of(d, facets); k > 0) count += k + 1;
  }
  return count;
}

void LemkeTableau::list_pairs(const ContactProblem& problem, int facets) {
  pair_.clear();
  for (int i = 0; i < problem.blocks(); ++i) {
    const int at = problem.G.offset(i), n = problem.G.block_size(i);
    const Law& law = *problem.laws[i];
    if (std::holds_alternative<Equality>(law)) {
      for (int a = 0; a < n; ++a) pair_.push_back({at + a, {1, 0}, true});
      continue;
    }
    pair_.push_back({at, {1, 0}, false});
    for (const FrictionDisc& d : discs_of(law)) {
      const int count = directions_of(d, facets);
      for (int k = 0; k < count; ++k) {
        const double angle = 2 * std::numbers::pi * k / count;
        pair_.push_back({at + d.at,
                         {d.rows == 1 ? 1.0 - 2 * k : std::cos(angle), d.rows == 2 ? std::sin(angle) : 0},
                         false});
      }
      if (count > 0) pair_.push_back({-1, {0, 0}, false});
    }
    if (limits_of(law)) pair_.push_back({-1, {0, 0}, false});
  }
}

void LemkeTableau::set_scale(const ContactProblem& problem, const Steps& steps) {
  unit_.resize(problem.c.size());
  base_.assign(problem.c.size(), 0.0);
  size_ = 0;
  for (int i = 0; i < problem.blocks(); ++i) {
    const int at = problem.G.offset(i), n = problem.G.block_size(i);
    for (int a = at; a < at + n; ++a) {
      unit_[a] = std::sqrt(steps.rho[i]);
      size_ = std::max(size_, std::abs(problem.c[a]) * unit_[a]);
    }
    if (const auto r = limits_of(*problem.laws[i])) {
      base_[at] = r->lower * problem.dt / unit_[at];
      size_ = std::max(size_, std::abs(base_[at]));
    }
  }
  if (!(size_ > 0)) size_ = 1;
  for (double& b : base_) b /= size_;
}

double LemkeTableau::product(const Pair& a, const Pair& b, int n) const {
  const double* g = G_.data() + static_cast<std::size_t>(a.row) * n + b.row;
  double sum = a.direction[0] * b.direction[0] * g[0];
  if (a.direction[1] != 0) sum += a.direction[1] * b.direction[0] * g[n];
  if (b.direction[1] != 0) sum += a.direction[0] * b.direction[1] * g[1];
  if (a.direction[1] != 0 && b.direction[1] != 0) sum += a.direction[1] * b.direction[1] * g[n + 1];
  return unit_[a.row] * sum * unit_[b.row];
}

// What G and c give: M and q of the pairs that act on rows of P
void LemkeTableau::fill_operator(const ContactProblem& problem) {
  const int n = problem.rows(), m = pairs();
  stride_ = static_cast<std::size_t>(m) + 2;
  table_.assign(m * stride_, 0.0);
  G_.resize(static_cast<std::size_t>(n) * n);
  problem.G.to_dense(G_.data());
  start_.assign(problem.c.begin(), problem.c.end());  // y at z = 0
  for (int i = 0; i < n; ++i) {
    start_[i] /= size_;
    for (int j = 0; j < n; ++j)
      if (base_[j] != 0) start_[i] += G_[static_cast<std::size_t>(i) * n + j] * unit_[j] * base_[j];
  }
  for (int k = 0; k < m; ++k) {
    const Pair& p = pair_[k];
    if (p.row < 0) continue;
    for (int l = 0; l < m; ++l)
      if (pair_[l].row >= 0) at(k, l) = product(p, pair_[l], n);
    at(k, constant()) = unit_[p.row] * p.direction[0] * start_[p.row];
    if (p.direction[1] != 0) at(k, constant()) += unit_[p.row] * p.direction[1] * start_[p.row + 1];
  }
}

// What the laws add
void LemkeTableau::fill_laws(const ContactProblem& problem, int facets) {
  for (int i = 0, k = 0; i < problem.blocks(); ++i) {
    const Law& law = *problem.laws[i];
    if (const auto r = limits_of(law)) {
      at(k, k + 1) = 1;
      at(k + 1, k) = -1;
      at(k + 1, constant()) = (r->upper - r->lower) * problem.dt / (unit_[pair_[k].row] * size_);
      k += 2;
    } else {
      const int normal = k;
      k += std::holds_alternative<Equality>(law) ? problem.G.block_size(i) : 1;
      for (const FrictionDisc& d : discs_of(law)) {
        const int lambda = k + directions_of(d, facets);
        if (lambda == k) continue;
        at(lambda, normal) = d.bound;
        for (int l = k; l < lambda; ++l) {
          at(l, lambda) = 1;
          at(lambda, l) = -1;
        }
        k = lambda + 1;
      }
    }
  }
}

void LemkeTableau::build(const ContactProblem& problem, const Steps& steps, int facets) {
  list_pairs(problem, facets);
  set_scale(problem, steps);
  fill_operator(problem);
  fill_laws(problem, facets);
  const int m = pairs();
  basic_.resize(m);
  nonbasic_.resize(m + 1);
  column_of_w_.assign(m, -1);
  fixed_.assign(m, false);
  for (int k = 0; k < m; ++k) {
    basic_[k] = k;
    nonbasic_[k] = m + k;
    fixed_[k] = pair_[k].is_free;
  }
  nonbasic_[m] = 2 * m;
  eliminate_equalities();
  for (int k = 0; k < m; ++k) at(k, cover()) = fixed_[k] ? 0 : 1;
}

// P_e ↔ y_e, largest pivot first; y_e = 0 from then on. Joints that repeat others keep P = 0.
void LemkeTableau::eliminate_equalities() {
  for (;;) {
    int best = -1;
    for (int k = 0; k < pairs(); ++k)
      if (pair_[k].is_free && basic_[k] == k && (best < 0 || std::abs(at(k, k)) > std::abs(at(best, best))))
        best = k;
    if (best < 0 || !(std::abs(at(best, best)) > redundant)) break;
    exchange(best, best);
    for (int k = 0; k < pairs(); ++k) at(k, best) = 0;
  }
}

void LemkeTableau::exchange(int row, int column) {
  double* p = table_.data() + row * stride_;
  const double inverse = 1 / p[column];
  for (std::size_t l = 0; l < stride_; ++l) p[l] *= -inverse;
  p[column] = inverse;
  for (int r = 0; r < pairs(); ++r) {
    double* t = table_.data() + r * stride_;
    const double f = t[column];
    if (r == row || f == 0) continue;
    t[column] = 0;
    for (std::size_t l = 0; l < stride_; ++l) t[l] += f * p[l];
  }
  if (basic_[row] < pairs()) column_of_w_[basic_[row]] = column;
  if (nonbasic_[column] < pairs()) column_of_w_[nonbasic_[column]] = -1;
  std::swap(basic_[row], nonbasic_[column]);
}

// Whether row a leaves before row b of the same ratio: compare their dependence on perturbations of q_0, q_1,
// …
bool LemkeTableau::comes_before(int a, int b, int column) const {
  const double pa = -at(a, column), pb = -at(b, column);
  for (int k = 0; k < pairs(); ++k) {
    const int w = column_of_w_[k];
    const double va = w >= 0 ? -at(a, w) : basic_[a] == k ? 1 : 0;
    const double vb = w >= 0 ? -at(b, w) : basic_[b] == k ? 1 : 0;
    const double d = va / pa - vb / pb;
    if (std::abs(d) > tie * (std::abs(va) / pa + std::abs(vb) / pb)) return d < 0;
  }
  return false;
}

int LemkeTableau::leaving_row(int column) const {
  double largest = 0, smallest_ratio = infinity;
  for (int r = 0; r < pairs(); ++r)
    if (!fixed_[r]) largest = std::max(largest, std::abs(at(r, column)));
  const double threshold = -redundant * largest;
  for (int r = 0; r < pairs(); ++r)
    if (!fixed_[r] && at(r, column) < threshold)
      smallest_ratio = std::min(smallest_ratio, at(r, constant()) / -at(r, column));
  int best = -1;
  for (int r = 0; r < pairs(); ++r) {
    if (fixed_[r] || !(at(r, column) < threshold)) continue;
    if (at(r, constant()) / -at(r, column) > smallest_ratio + tie * (1 + smallest_ratio)) continue;
    if (basic_[r] == 2 * pairs()) return r;  // z₀ may leave: done
    if (best < 0 || comes_before(r, best, column)) best = r;
  }
  return best;
}

bool LemkeTableau::pivot_to_solution(int max_pivots, int& pivots) {
  int row = -1;
  for (int r = 0; r < pairs(); ++r)
    if (!fixed_[r] && at(r, constant()) < 0 && (row < 0 || at(r, constant()) <= at(row, constant()))) row = r;
  if (row < 0) return true;
  int column = cover();
  while (row >= 0 && pivots < max_pivots) {
    const int left = basic_[row];
    exchange(row, column);
    ++pivots;
    for (int r = 0; r < pairs(); ++r)  // below zero only by rounding: the ratio test forbids it
      if (!fixed_[r]) at(r, constant()) = std::max(0.0, at(r, constant()));
    if (left == 2 * pairs()) return true;
    const int enters = left < pairs() ? left + pairs() : left - pairs();
    column = static_cast<int>(std::find(nonbasic_.begin(), nonbasic_.end(), enters) - nonbasic_.begin());
    row = leaving_row(column);
  }
  return false;
}

void LemkeTableau::impulse(double* P) const {
  std::copy(base_.begin(), base_.end(), P);
  for (int r = 0; r < pairs(); ++r) {
    const int k = basic_[r] - pairs();
    if (k < 0 || k >= pairs() || pair_[k].row < 0) continue;
    P[pair_[k].row] += pair_[k].direction[0] * at(r, constant());
    if (pair_[k].direction[1] != 0) P[pair_[k].row + 1] += pair_[k].direction[1] * at(r, constant());
  }
  for (std::size_t k = 0; k < base_.size(); ++k) P[k] *= unit_[k] * size_;
}

}  // namespace saltus::detail

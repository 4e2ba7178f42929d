#include "saltus/linalg/saddle_factor.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "saltus/linalg/factor.hpp"

namespace saltus {

// visit(i, j, value, of_A) for every term of every entry, always in the same order
template <class Scalar>
template <class Visit>
void SaddleFactor<Scalar>::visit(const Terms& terms, Visit&& visit) const {
  for (const Block& b : terms.A)
    b.matrix->for_each([&](int i, int j, double x) { visit(i, j, b.factor * x, true); });
  if (!terms.Dt) return;
  for (const Rows& rows : terms.Wt)
    for (int r = 0; r < m_; ++r)
      for (const auto& e : rows.rows->row(r)) visit(n_ + r, e.column, rows.factor * e.value, false);
  for (int r = 0; r < m_; ++r)
    for (const auto& e : terms.Dt->row(r)) visit(e.column, n_ + r, Scalar(-e.value), false);
  for (std::size_t r = 0; r < terms.C.size(); ++r)
    visit(n_ + static_cast<int>(r), n_ + static_cast<int>(r), Scalar(-terms.C[r]), false);
}

// Values at known places; false when there are others now.
template <class Scalar>
bool SaddleFactor<Scalar>::fill(const Terms& terms) {
  std::fill(values_.begin(), values_.end(), Scalar{0});
  if (seen_.empty()) return false;
  const Seen *next = seen_.data(), *const last = next + seen_.size() - 1;
  Scalar* const values = values_.data();
  bool same = true;
  visit(terms, [&](int i, int j, Scalar value, bool) {
    if (next->place != place_of(i, j)) {
      same = false;
    } else {
      const int at = next++->at;
      if (at >= 0)
        values[at] += value;
      else if (value != Scalar{0})
        same = false;
    }
  });
  return same && next == last;
}

template <class Scalar>
void SaddleFactor<Scalar>::analyse(const Terms& terms) {
  constexpr int patience = 6;  // with places that come one by one
  ++analyses_;
  const bool all = ++growth_ > patience;
  const int size = n_ + m_;
  std::vector<std::pair<int, int>> used;
  for (int i = 0; i < size && places_.rows() == size; ++i)
    for (int p = places_.first[i]; p < places_.first[i + 1]; ++p) used.emplace_back(i, places_.column[p]);
  for (int i = 0; i < n_; ++i) used.emplace_back(i, i);
  visit(terms, [&](int i, int j, Scalar value, bool of_A) {
    if (all || !of_A || value != Scalar{0}) used.emplace_back(i, j);
  });
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const bool grown = places_.rows() != size || used.size() != places_.column.size();  // they never get fewer
  if (grown) {
    places_.first.assign(1, 0), places_.column.clear();
    for (const auto& [i, j] : used) {
      while (places_.rows() < i) places_.first.push_back(static_cast<int>(places_.column.size()));
      places_.column.push_back(j);
    }
    while (places_.rows() < size) places_.first.push_back(static_cast<int>(places_.column.size()));
    values_.assign(places_.column.size(), Scalar{0});
  }
  seen_.clear();
  visit(terms, [&](int i, int j, Scalar, bool) {
    const auto from = places_.column.begin() + places_.first[i],
               to = places_.column.begin() + places_.first[i + 1];
    const auto at = std::lower_bound(from, to, j);
    seen_.push_back(
        {place_of(i, j), at != to && *at == j ? static_cast<int>(at - places_.column.begin()) : -1});
  });
  seen_.push_back({-1, -1});  // no place: the end
  if (grown) pattern_.analyse(places_, late_);
}

template <class Scalar>
bool SaddleFactor<Scalar>::factorize(const Terms& terms, Rank rank) {
  const int n = terms.A.empty() ? 0 : terms.A.front().matrix->size(), m = terms.Dt ? terms.Dt->rows() : 0;
  if (n != n_ || m != m_ || late_.empty()) {
    n_ = n, m_ = m, growth_ = 0;
    seen_.clear(), places_ = {}, rank = Rank::decide;
    late_.assign(static_cast<std::size_t>(n) + m, 0);
    std::fill(late_.begin() + n, late_.end(), 1);
    dropped_.assign(late_.size(), 0);
  }
  if (!fill(terms)) {
    analyse(terms);
    fill(terms);
  }
  if (rank == Rank::decide) std::fill(dropped_.begin(), dropped_.end(), 0);
  prepared_ = false;
  const bool fine = lu_.factorize(pattern_, places_, values_.data(), late_, dropped_, rank == Rank::decide);
  redundant_ = static_cast<int>(std::count(dropped_.begin() + n_, dropped_.end(), 1));
  return fine && (rank == Rank::keep || exchange_weak_rows());
}

// Rows are dropped in the order of elimination, so a row that says next to nothing new may be kept where one
// that is dropped would say more: the rounding of v is then that of its pivot. With W_J = C W_I, W of unit
// rows, an exchange of rows i and j multiplies the volume of those kept by |C_ji|.
template <class Scalar>
bool SaddleFactor<Scalar>::exchange_weak_rows() {
  if constexpr (std::is_same_v<Scalar, double>) {
    constexpr double weak = 1e-3, gain = 4;
    if (redundant_ == 0 || !(lu_.weakest() < weak)) return true;
    const auto refactorize = [&] {
      prepared_ = false;
      if (!lu_.factorize(pattern_, places_, values_.data(), late_, dropped_, false)) return false;
      redundant_ = static_cast<int>(std::count(dropped_.begin() + n_, dropped_.end(), 1));
      return true;
    };
    const int most = m_;  // the volume grows each time
    for (int count = 0; redundant_ > 0 && lu_.weakest() < weak && count < most; ++count) {
      if (!prepared_) prepare_least_norm();
      double best = gain;
      int in = -1, out = -1;
      for (int d = 0; d < redundant_; ++d)
        for (int r = n_; r < n_ + m_; ++r) {
          const double c = std::abs(depends_[static_cast<std::size_t>(d) * (n_ + m_) + r]) *
                           std::sqrt(weight_[which_[d] - n_] / weight_[r - n_]);
          if (!dropped_[r] && c > best) best = c, in = which_[d], out = r;
        }
      if (in < 0) break;
      dropped_[in] = 0, dropped_[out] = 1;
      if (!refactorize()) return false;
    }
    // Rows that were dropped for rounding behind the weak one may say something after all.
    const double floor = std::max(FilledLu<double>::nothing_new, 4e-15 / lu_.weakest());
    while (redundant_ > 0) {
      if (!prepared_) prepare_least_norm();
      int in = -1;
      double most_new = floor;
      for (int d = 0; d < redundant_; ++d) {
        double left = 0;  // W_j e, e the velocities of a unit force along row j, of w_j
        for (int p = places_.first[which_[d]]; p < places_.first[which_[d] + 1]; ++p)
          if (places_.column[p] < n_)
            left += values_[p] * effect_[static_cast<std::size_t>(d) * (n_ + m_) + places_.column[p]];
        if (const double share = std::abs(left) / weight_[which_[d] - n_]; share > most_new)
          most_new = share, in = which_[d];
      }
      if (in < 0) break;
      dropped_[in] = 0;
      if (!refactorize()) return false;
    }
  }
  return true;
}

// out = right − K x, 0 on rows dropped; returns the largest, relative to the terms of its row
template <class Scalar>
double SaddleFactor<Scalar>::residual(const Scalar* x, const Scalar* right, Scalar* out) const {
  double most = 0;
  for (int i = 0; i < n_ + m_; ++i) {
    Scalar sum = right[i];
    double terms = size_of(right[i]);
    for (int p = places_.first[i]; p < places_.first[i + 1]; ++p) {
      const Scalar term = values_[p] * x[places_.column[p]];
      sum -= term, terms += size_of(term);
    }
    out[i] = dropped_[i] ? Scalar{0} : sum;
    if (size_of(out[i]) > most * terms) most = size_of(out[i]) / terms;
  }
  return most;
}

template <class Scalar>
double SaddleFactor<Scalar>::solve_refined(Scalar* x) {
  constexpr int most = 10;
  right_.assign(x, x + n_ + m_);
  rest_.resize(right_.size());
  solve(x);
  double last = infinity, now = residual(x, right_.data(), rest_.data());
  for (int k = 0; k < most && now > 2e-16 && now < 0.5 * last; ++k) {
    solve(rest_.data());
    for (int i = 0; i < n_ + m_; ++i) x[i] += rest_[i];
    last = now, now = residual(x, right_.data(), rest_.data());
  }
  return now;
}

// With I the rows kept and J those dropped, W_J = C W_I: rows of C by transposed solves. The λ of least norm
// lies in the range of Wᵀ: λ_J = C λ_I (weights apart). What is kept then solves the equations with the
// forces of J on the right: x = x₀ − E λ_J, E the effect of unit forces of J; hence (1 + C E) λ_J = C x₀.
template <class Scalar>
void SaddleFactor<Scalar>::prepare_least_norm() {
  if constexpr (std::is_same_v<Scalar, double>) {
    const int size = n_ + m_, k = redundant_;
    prepared_ = true;
    which_.clear(), weight_.assign(m_, 0.0);
    right_.assign(size, 0.0);  // here: the diagonal of A
    for (int i = 0; i < n_; ++i)
      for (int p = places_.first[i]; p < places_.first[i + 1]; ++p)
        if (places_.column[p] == i) right_[i] = std::abs(values_[p]);
    for (int r = 0; r < m_; ++r) {
      if (dropped_[n_ + r]) which_.push_back(n_ + r);
      for (int p = places_.first[n_ + r]; p < places_.first[n_ + r + 1]; ++p)
        if (const int j = places_.column[p]; j < n_ && right_[j] > 0)
          weight_[r] += values_[p] * values_[p] / right_[j];
      if (!(weight_[r] > 0)) weight_[r] = 1;
    }
    depends_.assign(static_cast<std::size_t>(k) * size, 0.0);
    effect_.assign(static_cast<std::size_t>(k) * size, 0.0);
    small_.assign(static_cast<std::size_t>(k) * k, 0.0);
    pivot_.resize(k);
    for (int d = 0; d < k; ++d) {
      double *c = depends_.data() + static_cast<std::size_t>(d) * size,
             *e = effect_.data() + static_cast<std::size_t>(d) * size;
      const int j = which_[d];
      for (int p = places_.first[j]; p < places_.first[j + 1]; ++p) c[places_.column[p]] = values_[p];
      lu_.solve_transposed(pattern_, c);
      for (int i = 0; i < size; ++i)  // weights: W_i/√w_i are the rows of the norm
        c[i] *= i < n_ ? 0 : weight_[i - n_] / weight_[j - n_];
      for (int i = 0; i < n_; ++i) {
        const auto from = places_.column.begin() + places_.first[i],
                   to = places_.column.begin() + places_.first[i + 1];
        const auto at = std::lower_bound(from, to, j);
        if (at != to && *at == j) e[i] = values_[at - places_.column.begin()];
      }
      lu_.solve(pattern_, e);
    }
    for (int a = 0; a < k; ++a) {
      const double* c = depends_.data() + static_cast<std::size_t>(a) * size;
      used_.clear();  // a row depends on few others
      for (int i = n_; i < size; ++i)
        if (c[i] != 0) used_.push_back(i);
      for (int b = 0; b < k; ++b) {
        const double* e = effect_.data() + static_cast<std::size_t>(b) * size;
        double sum = a == b ? 1 : 0;
        for (const int i : used_) sum += c[i] * e[i];
        small_[static_cast<std::size_t>(b) * k + a] = sum;
      }
    }
    dense_lu(k, small_.data(), pivot_.data());
  }
}

template <class Scalar>
void SaddleFactor<Scalar>::solve_least_norm(double* x) {
  if constexpr (std::is_same_v<Scalar, double>) {
    solve(x);
    if (redundant_ == 0) return;
    if (!prepared_) prepare_least_norm();
    const int size = n_ + m_, k = redundant_;
    y_.resize(k);
    for (int d = 0; d < k; ++d) {
      y_[d] = 0;
      for (int i = n_; i < size; ++i) y_[d] += depends_[static_cast<std::size_t>(d) * size + i] * x[i];
    }
    dense_lu_solve(k, small_.data(), pivot_.data(), y_.data());
    for (int d = 0; d < k; ++d) {
      const double* e = effect_.data() + static_cast<std::size_t>(d) * size;
      for (int i = 0; i < size; ++i) x[i] -= e[i] * y_[d];
      x[which_[d]] = y_[d];
    }
  }
}

// v is a difference of forces, which may cancel (a table at rest): the scale of its rounding is that of its
// terms. Where nothing acts along a row (a rod that fell flat and does not move sideways) they are rounding
// themselves. So they count as a small part, at least, of what forces of the size of all could do to it,
// √(w A⁻¹ w)·√(fᵀA⁻¹f) with the diagonal of A.
template <class Scalar>
double SaddleFactor<Scalar>::left_over(const double* x, const double* right, int* row) {
  double most = 0;
  if constexpr (std::is_same_v<Scalar, double>) {
    constexpr double part = 1e-4;
    y_.resize(n_);
    right_.assign(n_, 0.0);  // here: the diagonal of A
    double all = 0;
    for (int i = 0; i < n_; ++i) {
      double terms = std::abs(right[i]), diagonal = 0;
      for (int p = places_.first[i]; p < places_.first[i + 1]; ++p) {
        terms += std::abs(values_[p] * x[places_.column[p]]);
        if (places_.column[p] == i) diagonal = std::abs(values_[p]);
      }
      y_[i] = diagonal > 0 ? terms / diagonal : std::abs(x[i]);
      if (diagonal > 0) right_[i] = diagonal, all += terms * y_[i];
    }
    for (int i = n_; i < n_ + m_; ++i) {
      if (!dropped_[i]) continue;
      double left = right[i], terms = std::abs(right[i]), mobility = 0;
      for (int p = places_.first[i]; p < places_.first[i + 1]; ++p) {
        const int j = places_.column[p];
        left -= values_[p] * x[j];
        terms += std::abs(values_[p]) * (j < n_ ? y_[j] : std::abs(x[j]));
        if (j < n_ && right_[j] > 0) mobility += values_[p] * values_[p] / right_[j];
      }
      terms = std::max(terms, part * std::sqrt(mobility * all));
      if (!(std::abs(left) > most * terms)) continue;
      most = std::abs(left) / terms;
      if (row) *row = i - n_;
    }
  }
  return most;
}

template <class Scalar>
void SaddleFactor<Scalar>::rows_behind(int row, std::vector<int>& out) {
  out.clear();
  if constexpr (std::is_same_v<Scalar, double>) {
    if (!prepared_) prepare_least_norm();
    for (int d = 0; d < redundant_; ++d) {
      if (which_[d] != n_ + row) continue;
      const double* c = depends_.data() + static_cast<std::size_t>(d) * (n_ + m_);
      for (int r = 0; r < m_; ++r)
        if (std::abs(c[n_ + r]) > 1e-6) out.push_back(r);
    }
  }
}

template class SaddleFactor<double>;
template class SaddleFactor<std::complex<double>>;

}  // namespace saltus

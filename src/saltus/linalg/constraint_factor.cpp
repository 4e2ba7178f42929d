#include "saltus/linalg/constraint_factor.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <cmath>
#include <set>

namespace saltus {
namespace {

constexpr double sigma = 1e-9;  // rank decision: singular values of the scaled S far below are taken as zero

}  // namespace

// Z ← (M⁻¹ D)ᵀ, row by row.
void ConstraintFactor::form_columns(const Factor& M, const SparseRows& Dt) {
  const int w = M.pattern().width;
  Z_.clear();
  work_.assign(static_cast<std::size_t>(M.size()), 0.0);
  for (int i = 0; i < m_; ++i) {
    const auto row = Dt.row(i);
    if (M.pattern().kind == Pattern::diagonal) {
      for (const auto& e : row)
        if (e.value != 0) Z_.add(e.column, e.value * M.reciprocals()[e.column]);
    } else if (M.pattern().kind == Pattern::blocks) {
      for (const auto& e : row) work_[e.column] += e.value;
      for (const auto& e : row) {
        const int first = e.column / w * w;
        double* block = work_.data() + first;
        if (std::all_of(block, block + w, [](double x) { return x == 0; }))
          continue;  // done with another entry
        M.solve_block(first / w, block);
        for (int k = 0; k < w; ++k)
          if (block[k] != 0) Z_.add(first + k, block[k]);
        std::fill_n(block, w, 0.0);
      }
    } else {
      for (const auto& e : row) work_[e.column] += e.value;
      M.solve(work_.data());
      for (int k = 0; k < M.size(); ++k)
        if (work_[k] != 0) Z_.add(k, work_[k]);
      std::fill(work_.begin(), work_.end(), 0.0);
    }
    Z_.end_row();
  }
}

// S_kj = w_k · z_j, with a unit diagonal by scaling both sides alike.
bool ConstraintFactor::form_products(const SparseRows& Wt) {
  const int dofs = static_cast<int>(work_.size());
  user_first_.assign(static_cast<std::size_t>(dofs) + 1, 0);
  for (int j = 0; j < m_; ++j)
    for (const auto& e : Z_.row(j)) ++user_first_[e.column + 1];
  for (int k = 0; k < dofs; ++k) user_first_[k + 1] += user_first_[k];
  user_.resize(user_first_[dofs]), user_value_.resize(user_first_[dofs]);
  for (int j = m_ - 1; j >= 0; --j)
    for (const auto& e : Z_.row(j)) {
      const int at =
          --user_first_[e.column + 1];  // filled from behind: afterwards first[k + 1] begins column k
      user_[at] = j, user_value_[at] = e.value;
    }
  const auto begin = [&](int k) { return user_first_[k + 1]; };
  const auto end = [&](int k) { return k + 2 <= dofs ? user_first_[k + 2] : static_cast<int>(user_.size()); };

  S_.first.assign(1, 0), S_.column.clear(), value_.clear();
  mark_.assign(m_, -1), sum_.assign(m_, 0.0);
  scale_.assign(m_, 1.0);
  for (int i = 0; i < m_; ++i) {
    const auto from = static_cast<std::ptrdiff_t>(S_.column.size());
    mark_[i] = i, sum_[i] = 0, S_.column.push_back(i);
    for (const auto& e : Wt.row(i))
      for (int p = begin(e.column); p < end(e.column); ++p) {
        const int j = user_[p];
        if (mark_[j] != i) mark_[j] = i, sum_[j] = 0, S_.column.push_back(j);
        sum_[j] += e.value * user_value_[p];
      }
    std::sort(S_.column.begin() + from, S_.column.end());
    for (auto p = static_cast<std::size_t>(from); p < S_.column.size(); ++p)
      value_.push_back(sum_[S_.column[p]]);
    S_.first.push_back(static_cast<int>(S_.column.size()));
    if (!std::isfinite(sum_[i])) return false;
    if (sum_[i] > 0) scale_[i] = 1 / std::sqrt(sum_[i]);
  }
  for (int i = 0; i < m_; ++i)
    for (int p = S_.first[i]; p < S_.first[i + 1]; ++p) value_[p] *= scale_[i] * scale_[S_.column[p]];
  return true;
}

// An order with little fill-in, and where fill-in will be: row i of U gets the columns of all rows that are
// eliminated into it.
void ConstraintFactor::analyse() {
  analysed_ = S_;
  Eigen::SparseMatrix<double> pattern(m_, m_);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < m_; ++i)
    for (int p = S_.first[i]; p < S_.first[i + 1]; ++p)
      entries.emplace_back(i, S_.column[p], 1.0), entries.emplace_back(S_.column[p], i, 1.0);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern, permutation);
  order_.assign(m_, 0), place_.assign(m_, 0);
  for (int i = 0; i < m_; ++i) {
    order_[i] = permutation.indices()[i];
    place_[order_[i]] = i;
  }
  std::vector<std::set<int>> upper(m_), lower(m_);
  for (int i = 0; i < m_; ++i)
    for (Eigen::SparseMatrix<double>::InnerIterator it(pattern, order_[i]); it; ++it)
      if (const int j = place_[it.row()]; j > i) upper[i].insert(j);
  for (int i = 0; i < m_; ++i) {
    for (const int j : upper[i]) lower[j].insert(i);
    if (upper[i].empty()) continue;
    const int parent = *upper[i].begin();
    for (const int j : upper[i])
      if (j > parent) upper[parent].insert(j);
  }
  fill_.first.assign(1, 0), fill_.column.clear(), diagonal_.assign(m_, 0);
  for (int i = 0; i < m_; ++i) {
    fill_.column.insert(fill_.column.end(), lower[i].begin(), lower[i].end());
    diagonal_[i] = static_cast<int>(fill_.column.size());
    fill_.column.push_back(i);
    fill_.column.insert(fill_.column.end(), upper[i].begin(), upper[i].end());
    fill_.first.push_back(static_cast<int>(fill_.column.size()));
  }
  lu_.resize(fill_.column.size());
}

// Row by row: what is above is subtracted from a dense copy of the row.
bool ConstraintFactor::eliminate() {
  sum_.assign(m_, 0.0);
  for (int i = 0; i < m_; ++i) {
    const int r = order_[i];
    for (int p = S_.first[r]; p < S_.first[r + 1]; ++p) sum_[place_[S_.column[p]]] = value_[p];
    sum_[i] += sigma;
    for (int p = fill_.first[i]; p < diagonal_[i]; ++p) {
      const int k = fill_.column[p];
      const double factor = sum_[k] *= lu_[diagonal_[k]];  // the reciprocal of the pivot
      if (factor == 0) continue;
      for (int s = diagonal_[k] + 1; s < fill_.first[k + 1]; ++s) sum_[fill_.column[s]] -= factor * lu_[s];
    }
    const double pivot = sum_[i];
    if (!(std::abs(pivot) > 1e-3 * sigma) || !std::isfinite(pivot)) return left_row_ = r, false;
    for (int p = fill_.first[i]; p < fill_.first[i + 1]; ++p)
      lu_[p] = sum_[fill_.column[p]], sum_[fill_.column[p]] = 0;
    lu_[diagonal_[i]] = 1 / pivot;
  }
  return true;
}

bool ConstraintFactor::factorize(const Factor& M, const SparseRows& Wt, const SparseRows& Dt) {
  m_ = Wt.rows();
  left_row_ = -1;
  form_columns(M, Dt);
  if (!form_products(Wt)) return false;
  if (S_.first != analysed_.first || S_.column != analysed_.column) analyse();
  return eliminate();
}

void ConstraintFactor::substitute(double* x) const {
  for (int i = 0; i < m_; ++i)
    for (int p = fill_.first[i]; p < diagonal_[i]; ++p) x[i] -= lu_[p] * x[fill_.column[p]];
  for (int i = m_ - 1; i >= 0; --i) {
    for (int p = diagonal_[i] + 1; p < fill_.first[i + 1]; ++p) x[i] -= lu_[p] * x[fill_.column[p]];
    x[i] *= lu_[diagonal_[i]];
  }
}

double ConstraintFactor::solve(double* x, int sweeps) {
  constexpr int most = 12;
  double size = 0, last = infinity;
  wanted_.resize(m_), rest_.resize(m_), step_.resize(m_);
  for (int i = 0; i < m_; ++i) {
    wanted_[i] = rest_[i] = x[i] * scale_[i];
    size = std::max(size, std::abs(rest_[i]));
    x[i] = 0;
  }
  if (!(size > 0)) return 0;
  double left = 1;
  for (int k = 0; k < (sweeps > 0 ? sweeps : most); ++k) {
    for (int i = 0; i < m_; ++i) step_[i] = rest_[order_[i]];
    substitute(step_.data());
    for (int i = 0; i < m_; ++i) x[order_[i]] += step_[i];
    left = 0;
    for (int i = 0; i < m_; ++i) {
      rest_[i] = wanted_[i];
      for (int p = S_.first[i]; p < S_.first[i + 1]; ++p) rest_[i] -= value_[p] * x[S_.column[p]];
      if (!(std::abs(rest_[i]) <= left)) left = std::abs(rest_[i]), left_row_ = i;
    }
    left /= size;
    if (!(left < 0.5 * last) || left < 1e-16) break;  // it stands still, or nothing is left
    last = left;
  }
  for (int i = 0; i < m_; ++i) x[i] *= scale_[i];
  return left;
}

}  // namespace saltus

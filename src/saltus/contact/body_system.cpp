#include "saltus/contact/body_system.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {
namespace {

constexpr int most_dense = 64;           // up to here dense factors always win
constexpr double fill_for_dense = 0.35;  // and where this part of the places is filled
constexpr double most_error = 1e-9;      // of a solution, relative to its right-hand side

}  // namespace

void BodySystem::prepare(const Delassus& G) {
  if (stamp_ == G.stamp()) return;
  stamp_ = G.stamp();
  contacts_.clear();
  column_.clear();
  value_.clear();
  n_ = 0;
  if (G.has_columns()) {
    number_.clear();
    for (int i = 0; i < G.rows(); ++i)
      for (const SparseRows* rows : {&G.W(), &G.Z()})
        for (const auto& e : rows->row(i)) {
          if (e.column >= static_cast<int>(number_.size())) number_.resize(e.column + 1, -1);
          if (number_[e.column] < 0) number_[e.column] = n_++;
        }
  }
  if (n_ > 0 && bodies_are_fewer(G))
    take_rows(G);
  else
    take_impulses(G);
  find_places();
}

// A drum with many bodies in it couples all of its contacts, a flexible body all of its degrees of freedom.
bool BodySystem::bodies_are_fewer(const Delassus& G) const {
  if (n_ <= G.rows()) return true;
  if (G.form() != Delassus::Form::sparse) return false;
  double entries = 0, of_contacts = 0;
  for (int i = 0; i < G.blocks(); ++i) {
    double z = 0, w = 0;
    for (int a = G.offset(i); a < G.offset(i + 1); ++a) {
      z = std::max(z, static_cast<double>(G.Z().row(a).size()));
      w = std::max(w, static_cast<double>(G.W().row(a).size()));
    }
    entries += z * w;
    G.for_row(i, [&](int j, const double*) { of_contacts += G.block_size(i) * G.block_size(j); });
  }
  return entries + n_ < of_contacts;
}

void BodySystem::add_contact(int row, int size, const SparseRows& Z, const SparseRows& W) {
  Contact c{size, 0, 0, 0, 0, 0, 0, 0};
  const auto take = [&](const SparseRows& rows, int& at, int& count, int& value) {
    at = static_cast<int>(column_.size());
    for (int a = 0; a < size; ++a)
      for (const auto& e : rows.row(row + a))
        if (std::find(column_.begin() + at, column_.end(), number_[e.column]) == column_.end())
          column_.push_back(number_[e.column]);
    count = static_cast<int>(column_.size()) - at;
    value = static_cast<int>(value_.size());
    value_.resize(value_.size() + static_cast<std::size_t>(size) * count, 0.0);
    for (int a = 0; a < size; ++a)
      for (const auto& e : rows.row(row + a)) {
        const auto k =
            std::find(column_.begin() + at, column_.end(), number_[e.column]) - column_.begin() - at;
        value_[value + a * count + k] += e.value;
      }
  };
  take(Z, c.z, c.z_count, c.z_value);
  take(W, c.w, c.w_count, c.w_value);
  contacts_.push_back(c);
}

void BodySystem::take_rows(const Delassus& G) {
  for (int i = 0; i < G.blocks(); ++i) add_contact(G.offset(i), G.block_size(i), G.Z(), G.W());
}

// W = 1, Z = G: column block i of G is what the impulse of contact i moves.
void BodySystem::take_impulses(const Delassus& G) {
  n_ = G.rows();
  contacts_.resize(G.blocks());
  std::vector<std::vector<int>> partners(G.blocks());
  std::vector<std::vector<double>> blocks(G.blocks());
  G.for_each_block([&](int j, int i, const double* g) {  // the block (j, i)
    partners[i].push_back(j);
    blocks[i].insert(blocks[i].end(), g, g + static_cast<std::ptrdiff_t>(G.block_size(j)) * G.block_size(i));
  });
  for (int i = 0; i < G.blocks(); ++i) {
    const int size = G.block_size(i);
    Contact c{size, static_cast<int>(column_.size()), 0, 0, size, static_cast<int>(value_.size()), 0, 0};
    for (int j : partners[i])
      for (int b = 0; b < G.block_size(j); ++b) column_.push_back(G.offset(j) + b);
    c.z_count = static_cast<int>(column_.size()) - c.z;
    for (int a = 0; a < size; ++a) {
      std::size_t at = 0;
      for (int j : partners[i])
        for (int b = 0; b < G.block_size(j); ++b, at += size) value_.push_back(blocks[i][at + a]);
    }
    c.w = static_cast<int>(column_.size());
    c.w_value = static_cast<int>(value_.size());
    for (int a = 0; a < size; ++a) {
      column_.push_back(G.offset(i) + a);
      for (int b = 0; b < size; ++b) value_.push_back(a == b);
    }
    contacts_[i] = c;
  }
}

// The pattern of K, and where each contact adds to it.
void BodySystem::find_places() {
  std::vector<Eigen::Triplet<double>> pattern;
  for (int k = 0; k < n_; ++k) pattern.emplace_back(k, k, 1.0);
  std::size_t places = 0;
  for (Contact& c : contacts_) {
    c.place = static_cast<int>(places);
    places += static_cast<std::size_t>(c.z_count) * c.w_count;
    for (int a = 0; a < c.z_count; ++a)
      for (int b = 0; b < c.w_count; ++b) pattern.emplace_back(column_[c.z + a], column_[c.w + b], 0.0);
  }
  K_.resize(n_, n_);
  K_.setFromTriplets(pattern.begin(), pattern.end());
  dense_ = n_ <= most_dense || static_cast<double>(K_.nonZeros()) > fill_for_dense * n_ * n_;
  place_.resize(places);
  const auto place_of = [&](int row, int column) {
    if (dense_) return column * n_ + row;
    const int *first = K_.innerIndexPtr() + K_.outerIndexPtr()[column],
              *last = K_.innerIndexPtr() + K_.outerIndexPtr()[column + 1];
    return static_cast<int>(std::lower_bound(first, last, row) - K_.innerIndexPtr());
  };
  for (const Contact& c : contacts_)
    for (int a = 0; a < c.z_count; ++a)
      for (int b = 0; b < c.w_count; ++b)
        place_[c.place + a * c.w_count + b] = place_of(column_[c.z + a], column_[c.w + b]);
  diagonal_.resize(n_);
  for (int k = 0; k < n_; ++k) diagonal_[k] = place_of(k, k);
  if (dense_)
    full_.resize(n_, n_);
  else
    frontal_.analyze(K_);
}

void BodySystem::velocity(const double* r, double* v) const {
  std::fill_n(v, n_, 0.0);
  for (const Contact& c : contacts_)
    for (int a = 0; a < c.size; ++a, ++r)
      for (int k = 0; k < c.z_count; ++k) v[column_[c.z + k]] += value_[c.z_value + a * c.z_count + k] * *r;
}

void BodySystem::rows(const double* v, double* y) const {
  for (const Contact& c : contacts_)
    for (int a = 0; a < c.size; ++a, ++y) {
      *y = 0;
      for (int k = 0; k < c.w_count; ++k) *y += value_[c.w_value + a * c.w_count + k] * v[column_[c.w + k]];
    }
}

void BodySystem::clear() {
  double* values = dense_ ? full_.data() : K_.valuePtr();
  std::fill_n(values, dense_ ? full_.size() : K_.nonZeros(), 0.0);
  for (int place : diagonal_) values[place] = 1;
}

void BodySystem::add(int i, const double* D) {
  const Contact& c = contacts_[i];
  double* values = dense_ ? full_.data() : K_.valuePtr();
  const double *Z = value_.data() + c.z_value, *W = value_.data() + c.w_value;
  scratch_.assign(static_cast<std::size_t>(c.size) * c.w_count, 0.0);  // D Wᵀ
  for (int a = 0; a < c.size; ++a)
    for (int k = 0; k < c.size; ++k)
      if (const double d = D[a * c.size + k]; d != 0)
        for (int b = 0; b < c.w_count; ++b) scratch_[a * c.w_count + b] += d * W[k * c.w_count + b];
  const int* place = place_.data() + c.place;
  for (int a = 0; a < c.z_count; ++a)
    for (int b = 0; b < c.w_count; ++b, ++place) {
      double sum = 0;
      for (int k = 0; k < c.size; ++k) sum += Z[k * c.z_count + a] * scratch_[k * c.w_count + b];
      values[*place] += sum;
    }
}

bool BodySystem::factorize() {
  if (dense_) {
    full_lu_.compute(full_);
    sign_ = full_lu_.sign();
    return full_lu_.smallest_pivot() > 0;
  }
  if (!Eigen::Map<const Vec>(K_.valuePtr(), K_.nonZeros()).allFinite()) return false;
  if (!frontal_.factorize(K_)) return false;
  sign_ = frontal_.sign();
  return true;
}

// |right − K x| relative to |right|, left in error_
double BodySystem::miss(const double* x, const double* right) {
  error_.noalias() = K_ * Eigen::Map<const Vec>(x, n_);
  error_ = Eigen::Map<const Vec>(right, n_) - error_;
  const double size = Eigen::Map<const Vec>(right, n_).cwiseAbs().maxCoeff();
  return size > 0 ? error_.cwiseAbs().maxCoeff() / size : 0;
}

void BodySystem::solve(double* v) {
  Eigen::Map<Vec> x(v, n_);
  if (dense_) {
    full_lu_.solve(x);
    return;
  }
  right_ = x;
  frontal_.solve(v);
  if (miss(v, right_.data()) <= most_error) return;
  frontal_.solve(error_.data());
  x += error_;
  if (miss(v, right_.data()) <= most_error) return;
  SparseLu lu;
  if (!lu.factorize(K_)) return;
  x = right_;
  lu.solve(x);
}

}  // namespace saltus::detail

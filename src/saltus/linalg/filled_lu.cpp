#include "saltus/linalg/filled_lu.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <queue>

namespace saltus {
namespace {

// The graph of elimination: neighbours of each unknown, sorted.
using Graph = std::vector<std::vector<int>>;

Graph symmetric_graph(const SparsePlaces& places) {
  Graph graph(places.rows());
  for (int i = 0; i < places.rows(); ++i)
    for (int p = places.first[i]; p < places.first[i + 1]; ++p)
      if (const int j = places.column[p]; j != i) graph[i].push_back(j), graph[j].push_back(i);
  for (auto& neighbours : graph) {
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  }
  return graph;
}

// Without the checks for infinities that complex products have: what is not finite is seen at the pivots.
double product(double a, double b) {
  return a * b;
}
std::complex<double> product(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
// Written out too: the quotients that compilers bring along differ in their last digits.
double reciprocal(double a) {
  return 1 / a;
}
std::complex<double> reciprocal(std::complex<double> a) {
  const bool steep = std::abs(a.real()) < std::abs(a.imag());
  const double ratio = steep ? a.real() / a.imag() : a.imag() / a.real(),
               size = steep ? a.imag() + a.real() * ratio : a.real() + a.imag() * ratio;
  return steep ? std::complex<double>(ratio / size, -1 / size)
               : std::complex<double>(1 / size, -ratio / size);
}

}  // namespace

// Least degree first. `upper[v]` keeps the neighbours v had when it was eliminated: row v of U.
void FilledPattern::analyse(const SparsePlaces& places, const std::vector<char>& late) {
  const int n = places.rows();
  Graph graph = symmetric_graph(places), upper(n);
  std::vector<int> waits(n, 0);  // for how many neighbours a late one does
  // By degree, then by number. An entry of an unknown whose degree has changed since is passed over.
  using Entry = std::pair<int, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  const auto add = [&](int v) { ready.emplace(static_cast<int>(graph[v].size()), v); };
  for (int v = 0; v < n; ++v) {
    if (late[v])
      waits[v] =
          static_cast<int>(std::count_if(graph[v].begin(), graph[v].end(), [&](int w) { return !late[w]; }));
    if (waits[v] == 0) add(v);
  }
  order.clear(), place.assign(n, -1);
  std::vector<int> merged;
  Graph original(n);  // who waits for whom
  for (int v = 0; v < n; ++v)
    if (!late[v])
      for (const int w : graph[v])
        if (late[w]) original[v].push_back(w);
  while (!ready.empty()) {
    const auto [degree, v] = ready.top();
    ready.pop();
    if (place[v] >= 0 || degree != static_cast<int>(graph[v].size())) continue;
    const int left = n - static_cast<int>(order.size());
    if (degree == left - 1 && left > 1) {  // it couples all that is left: what remains is taken as dense
      std::vector<int> rest;
      for (const int when : {0, 1})
        for (int w = 0; w < n; ++w)
          if (place[w] < 0 && late[w] == when) rest.push_back(w);
      for (std::size_t k = 0; k < rest.size(); ++k) {
        place[rest[k]] = static_cast<int>(order.size());
        order.push_back(rest[k]);
        upper[rest[k]].assign(rest.begin() + static_cast<std::ptrdiff_t>(k) + 1, rest.end());
      }
      break;
    }
    place[v] = static_cast<int>(order.size());
    order.push_back(v);
    for (const int w : graph[v]) {
      merged.clear();
      std::set_union(graph[w].begin(), graph[w].end(), graph[v].begin(), graph[v].end(),
                     std::back_inserter(merged));
      merged.erase(
          std::remove_if(merged.begin(), merged.end(), [v = v, w](int x) { return x == v || x == w; }),
          merged.end());
      graph[w] = merged;
      if (waits[w] == 0) add(w);
    }
    for (const int w : original[v])
      if (--waits[w] == 0) add(w);
    upper[v] = std::move(graph[v]);
    graph[v].clear();
  }

  Graph lower(n);  // in the new numbers from here on
  for (int i = 0; i < n; ++i) {
    auto& row = upper[order[i]];
    for (int& w : row) w = place[w];
    std::sort(row.begin(), row.end());
    for (const int j : row) lower[j].push_back(i);
  }
  first.assign(1, 0), diagonal.clear(), column.clear();
  for (int i = 0; i < n; ++i) {
    column.insert(column.end(), lower[i].begin(), lower[i].end());
    diagonal.push_back(static_cast<int>(column.size()));
    column.push_back(i);
    column.insert(column.end(), upper[order[i]].begin(), upper[order[i]].end());
    first.push_back(static_cast<int>(column.size()));
  }
  cross.assign(column.size(), -1);
  std::vector<int> next(n);
  for (int k = 0; k < n; ++k) next[k] = diagonal[k] + 1;
  for (int i = 0; i < n; ++i)  // rows come in order, so do the columns of U
    for (int p = first[i]; p < diagonal[i]; ++p) cross[p] = next[column[p]]++;
}

template <class Scalar>
bool FilledLu<Scalar>::factorize(const FilledPattern& f, const SparsePlaces& places, const Scalar* values,
                                 const std::vector<char>& late, std::vector<char>& dropped, bool decide) {
  const double least = decide ? nothing_new : 1e-14;
  // of other rows: what cancellation left over
  constexpr double vanished = 1e-15, replacement = 1e-8, rounding = 4e-15;
  const int n = f.size();
  lu_.resize(f.column.size());
  work_.assign(n, Scalar{0});
  perturbed_ = 0, bad_row_ = -1, weakest_ = 1;
  Scalar *const w = work_.data(), *const lu = lu_.data();
  const int *const column = f.column.data(), *const place = f.place.data();
  for (int i = 0; i < n; ++i) {
    const int r = f.order[i], begin = f.first[i], middle = f.diagonal[i], end = f.first[i + 1];
    for (int p = places.first[r]; p < places.first[r + 1]; ++p) w[place[places.column[p]]] += values[p];
    const double before = size_of(w[i]);
    for (int p = begin; p < middle; ++p) {
      const int k = column[p];
      if (w[k] == Scalar{0}) continue;
      const int first = f.diagonal[k], last = f.first[k + 1];
      const Scalar factor = w[k] = product(w[k], lu[first]);
      for (int s = first + 1; s < last; ++s) w[column[s]] -= product(factor, lu[s]);
    }
    Scalar pivot = w[i];
    const double left = size_of(pivot);
    if (!std::isfinite(left)) return bad_row_ = r, false;
    if (late[r] || !(left > 1e-3 * before)) {  // how much of it was cancelled?
      double terms = before;
      for (int p = begin; p < middle; ++p) terms += size_of(product(w[column[p]], lu[f.cross[p]]));
      if (late[r]) {
        // behind a weak pivot what is left of a row is known no better than that one's rounding
        const double floor = decide ? std::max(least, rounding / weakest_) : least;
        if (!dropped[r] && !(left > floor * terms)) dropped[r] = 1;
        if (!dropped[r] && left < weakest_ * terms) weakest_ = left / terms;
      } else if (!(left > vanished * terms)) {
        if (perturbed_++ == 0) bad_row_ = r;
        pivot = replacement * (terms > 0 ? terms : 1);
      }
    }
    for (int p = begin; p < end; ++p) lu[p] = w[column[p]], w[column[p]] = Scalar{0};
    lu[middle] = late[r] && dropped[r] ? Scalar{0} : reciprocal(pivot);
  }
  return true;
}

template <class Scalar>
void FilledLu<Scalar>::solve(const FilledPattern& f, Scalar* x) {
  const int n = f.size();
  Scalar* const y = work_.data();
  int begin = 0;  // of what is not zero on the right
  while (begin < n && x[f.order[begin]] == Scalar{0}) y[begin++] = Scalar{0};
  for (int i = begin; i < n; ++i) {
    Scalar sum = x[f.order[i]];
    for (int p = f.first[i]; p < f.diagonal[i]; ++p) sum -= product(lu_[p], y[f.column[p]]);
    y[i] = sum;
  }
  for (int i = n - 1; i >= 0; --i) {
    Scalar sum = y[i];
    for (int p = f.diagonal[i] + 1; p < f.first[i + 1]; ++p) sum -= product(lu_[p], y[f.column[p]]);
    x[f.order[i]] = y[i] = product(sum, lu_[f.diagonal[i]]);
  }
}

template <class Scalar>
void FilledLu<Scalar>::solve_transposed(const FilledPattern& f, Scalar* x) {
  const int n = f.size();
  Scalar* const y = work_.data();
  for (int i = 0; i < n; ++i) y[i] = x[f.order[i]];
  for (int i = 0; i < n; ++i) {
    if (y[i] == Scalar{0}) continue;  // most, where the right side is one row
    y[i] *= lu_[f.diagonal[i]];
    for (int p = f.diagonal[i] + 1; p < f.first[i + 1]; ++p) y[f.column[p]] -= lu_[p] * y[i];
  }
  for (int i = n - 1; i >= 0; --i) {
    x[f.order[i]] = y[i];
    if (y[i] == Scalar{0}) continue;
    for (int p = f.first[i]; p < f.diagonal[i]; ++p) y[f.column[p]] -= lu_[p] * y[i];
  }
}

template class FilledLu<double>;
template class FilledLu<std::complex<double>>;

}  // namespace saltus

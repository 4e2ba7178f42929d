#include "saltus/scheme/first_order/front.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "saltus/linalg/loops.hpp"

namespace saltus {

void Front::begin(State& x, const ChainEnds& ends) {
  static std::atomic<std::uint64_t> starts = 0;
  rest = 1e-20 * largest(x.u);
  const double* q = x.q.data();
  const auto moves = [&](int n) {
    return x.u[n] != 0 || x.aux[n] != 0 || chain_.constant_force(n) != chain_.local(n) * q[n] ||
           chain_.hertz(n, chain_.overlap(n, q, ends)) > 0 ||
           chain_.hertz(n + 1, chain_.overlap(n + 1, q, ends)) > 0 || (n == 0 && chain_.left_moves()) ||
           (n + 1 == chain_.beads() && chain_.right_moves());
  };
  int first = 0, last = chain_.beads();
  while (last > 0 && !moves(last - 1)) --last;
  while (first < last && !moves(first)) ++first;
  x.moved = {++starts, first, last};
}

void Front::carry(const State& x0, State& x1) const {
  const int N = chain_.beads();
  const bool known = x0.moved.start != 0;
  int from = 0, to = N;
  if (known && x1.moved.start == x0.moved.start)
    from = std::min(x0.moved.begin, x1.moved.begin), to = std::max(x0.moved.end, x1.moved.end);
  const auto copy = [](const Vec& a, Vec& b, Eigen::Index i, Eigen::Index j) {
    if (i < j) std::copy(a.data() + i, a.data() + j, b.data() + i);
  };
  const auto copy_all = [&](int i, int j) {
    copy(x0.q, x1.q, i, j), copy(x0.u, x1.u, i, j);
    for (Eigen::Index part = 0; part < x0.aux.size(); part += N) copy(x0.aux, x1.aux, part + i, part + j);
  };
  copy_all(from, std::min(lo, to)), copy_all(std::max(hi, from), to);
  x1.moved =
      known ? Moved{x0.moved.start, std::min(x0.moved.begin, lo), std::max(x0.moved.end, hi)} : Moved{};
}

}  // namespace saltus

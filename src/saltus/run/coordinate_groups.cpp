#include "saltus/run/coordinate_groups.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace saltus {

void CoordinateGroups::make_one(int n) {
  first_of_.assign(n, 0);
  kinetic_ = now_ = Vec::Zero(n);
}

void CoordinateGroups::separate(int n) {
  make_one(n);
  std::iota(first_of_.begin(), first_of_.end(), 0);
}

int CoordinateGroups::find(int i) const {
  while (first_of_[i] != i) i = first_of_[i];
  return i;
}

// Both ways are shortened: later searches take one step.
void CoordinateGroups::join(int i, int j) {
  const int first = std::min(find(i), find(j));
  for (int k : {i, j})
    while (first_of_[k] != first) k = std::exchange(first_of_[k], first);
}

void CoordinateGroups::measure(const Vec& u, const Vec& half_momenta) {
  now_.setZero();
  for (int i = 0; i < u.size(); ++i) now_[find(i)] += u[i] * half_momenta[i];
  kinetic_ = kinetic_.cwiseMax(now_.cwiseAbs());
}

void CoordinateGroups::memory(Memory& m) {
  m(first_of_, kinetic_);
  for (int i = 0; i < std::ssize(first_of_); ++i) m.require(first_of_[i] >= 0 && first_of_[i] <= i);
  now_ = kinetic_;
}

bool CoordinateGroups::fits(Eigen::Index n) const {
  return std::ssize(first_of_) == kinetic_.size() && (empty() || kinetic_.size() == n);
}

}  // namespace saltus

// The blocks of a sparse contact operator in strips, each of which couples with the one before and the one
// after it only, so that several can be swept at the same time.
//
// Strips are runs of levels of a breadth-first search from the first block. Within one, blocks keep their
// order, so that almost every block sees the newest values of its neighbours; and a worker that has the same
// strips in every sweep reads little that others wrote. Used for large problems only, whether or not there is
// a team, so that results do not depend on it.
#pragma once
#include <cmath>
#include <vector>

#include "saltus/contact/delassus.hpp"
#include "saltus/core/team.hpp"

namespace saltus::detail {

/// What a sweep over some of the blocks saw: the largest change, the size to compare it with, and a sum that
/// is not finite where some number was not.
struct Swept {
  double change = 0, scale = 0, sum = 0;
};

class Strips {
 public:
  static constexpr int most = 32;
  static constexpr int most_together = 4;

  /// Does nothing while the operator stays. There are none where it is small, not sparse, or where its levels
  /// are too few.
  void update(const Delassus& G);
  bool empty() const { return order_.empty(); }
  /// Parts of a sweep, each coupled with the part before and the part after it only: even ones may be swept
  /// at the same time, then odd ones. A part is a pair of strips whose blocks alternate: work on the one goes
  /// on while values of the other are waited for. Strips 0 and 2, then 1 and 3, then 4 and 6, 5 and 7 …
  static constexpr int most_parts = most / 2 + 1;
  int parts() const { return static_cast<int>(first_.size()) - 1; }
  /// The block visited at a place: part after part, or where there are no strips, in their order.
  int block_at(int place) const { return empty() ? place : order_[place]; }
  /// visit(place, swept) for all places in that order, `count` times, at most most_together where there are
  /// strips; returns the relative change of the last one, NaN when not finite.
  template <class Visit>
  double sweep(int blocks, int count, Visit&& visit) const;

 private:
  template <class Neighbours>
  void search(int blocks, Neighbours&& of);
  void list_bodies(const BodyRows& rows, int blocks);
  template <class Work>
  int cut(int blocks, Work&& work_of);
  void arrange(int blocks, int strips);
  static double change_of(const Swept* parts, int count);

  std::uint64_t stamp_ = 0;
  std::vector<int> first_, order_;                  // where the blocks of each part begin; the blocks
  std::vector<int> queue_, levels_, strip_;         // blocks by levels, where levels begin, of each block
  std::vector<int> by_dof_first_, by_dof_, place_;  // blocks of each degree of freedom
  std::vector<int> sorted_;                         // blocks by strips
};

template <class Visit>
double Strips::sweep(int blocks, int count, Visit&& visit) const {
  double change = 0;
  if (empty()) {
    for (int k = 0; k < count && !std::isnan(change); ++k) {
      Swept all;
      for (int i = 0; i < blocks; ++i) visit(i, all);
      change = change_of(&all, 1);
    }
    return change;
  }
  Swept swept[most_parts][most_together];
  alternate(parts(), count, [&](int p, int k) {
    Swept part;
    for (int place = first_[p]; place < first_[p + 1]; ++place) visit(place, part);
    swept[p][k] = part;
  });
  for (int k = 0; k < count && !std::isnan(change); ++k) {
    Swept all[most_parts];
    for (int p = 0; p < parts(); ++p) all[p] = swept[p][k];
    change = change_of(all, parts());
  }
  return change;
}

}  // namespace saltus::detail

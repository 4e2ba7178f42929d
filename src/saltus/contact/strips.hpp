// The blocks of a sparse contact operator in strips, each of which couples with the one before and the one
// after it only, so that several can be swept at the same time.
//
// Strips are runs of levels of a breadth-first search from the first block. Within one, blocks keep their
// order, so that almost every block sees the newest values of its neighbours; and a worker that has the same
// strips in every sweep reads little that others wrote. Used for large problems only, whether or not there is
// a team, so that results do not depend on it.
#pragma once
#include <vector>

#include "saltus/contact/delassus.hpp"

namespace saltus::detail {

class Strips {
 public:
  static constexpr int most = 32;

  /// Does nothing while the operator stays. There are none where it is small, not sparse, or where its levels
  /// are too few.
  void update(const Delassus& G);
  bool empty() const { return order_.empty(); }
  /// Parts of a sweep, each coupled with the part before and the part after it only: even ones may be swept
  /// at the same time, then odd ones. A part is a pair of strips whose blocks alternate: work on the one goes
  /// on while values of the other are waited for. Strips 0 and 2, then 1 and 3, then 4 and 6, 5 and 7 …
  static constexpr int most_parts = most / 2 + 1;
  int parts() const { return static_cast<int>(first_.size()) - 1; }
  /// visit(i) for the blocks of a part, in order.
  template <class Visit>
  void for_part(int part, Visit&& visit) const {
    for (int k = first_[part]; k < first_[part + 1]; ++k) visit(order_[k]);
  }

 private:
  template <class Neighbours>
  void search(int blocks, Neighbours&& of);
  void list_bodies(const BodyRows& rows, int blocks);
  template <class Work>
  int cut(int blocks, Work&& work_of);
  void arrange(int blocks, int strips);

  std::uint64_t stamp_ = 0;
  std::vector<int> first_, order_;                  // where the blocks of each part begin; the blocks
  std::vector<int> queue_, levels_, strip_;         // blocks by levels, where levels begin, of each block
  std::vector<int> by_dof_first_, by_dof_, place_;  // blocks of each degree of freedom
  std::vector<int> sorted_;                         // blocks by strips
};

}  // namespace saltus::detail

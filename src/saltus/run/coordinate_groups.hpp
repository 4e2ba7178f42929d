// Coordinates that act on each other form a group: what one of them could move with follows from the energy
// of its group, and not from that of bodies it has nothing to do with.
#pragma once
#include <vector>

#include "saltus/core/types.hpp"
#include "saltus/run/memory.hpp"

namespace saltus {

class CoordinateGroups {
 public:
  bool empty() const { return first_of_.empty(); }
  void make_one(int n);  ///< all n coordinates are one group
  void separate(int n);  ///< each is a group of its own
  void join(int i, int j);
  /// Takes in a velocity, with half the momenta: the largest kinetic energies so far.
  void measure(const Vec& u, const Vec& half_momenta);
  double energy(int i) const { return kinetic_[find(i)]; }
  void memory(Memory& m);
  /// Sizes and indices are those of n coordinates, or there are none yet.
  bool fits(Eigen::Index n) const;

 private:
  int find(int i) const;

  std::vector<int> first_of_;  // another of the group with a smaller number, itself for the first one
  Vec kinetic_, now_;          // by the first one of the group
};

}  // namespace saltus

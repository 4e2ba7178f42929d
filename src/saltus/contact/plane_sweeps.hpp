// Sweeps over contacts with friction in the plane, all of them movable: most planar problems. The same
// arithmetic as in sweeps.cpp, without its choices.
//
// Where there are strips, what a visit needs lies in the order of the visits, impulses too. Memory is read
// from its beginning to its end, and a worker that has the same strips in every sweep shares none of it with
// others, but at the ends of its lane.
#pragma once
#include <vector>

#include "saltus/contact/kernels.hpp"
#include "saltus/contact/strips.hpp"

namespace saltus::detail {

inline constexpr double change_floor = 1e-10;  // of c, in the scale of a change: impulses that die out end

class PlaneSweeps {
 public:
  struct Weights {
    double normal, tangent;  // ω / G_NN and ω / G_TT
    double mu, trace;        // of friction; of the block
  };
  /// weights_of(i) of every block. The problem and the strips stay as they are while there are sweeps.
  template <class WeightsOf>
  void prepare(const ContactProblem& problem, const Strips& strips, WeightsOf&& weights_of);
  void clear() { contacts_.clear(); }
  bool empty() const { return contacts_.empty(); }

  /// The impulses from P; to P. Nothing to do where the order is that of the blocks.
  void load(const double* P);
  void store(double* P) const;
  double sweep(double* P, int count);

 private:
  struct alignas(64) Contact {
    Weights weights;
    double coupling, c[2];
  };
  void order_rows(const Delassus& G);

  const Strips* strips_ = nullptr;
  std::vector<Contact> contacts_;
  PairRows rows_;  // the operator's own, or those in the order of the visits:
  std::uint64_t stamp_ = 0;
  std::vector<int> place_, first_, column_;
  std::vector<double> values_, impulses_;
};

template <class WeightsOf>
void PlaneSweeps::prepare(const ContactProblem& problem, const Strips& strips, WeightsOf&& weights_of) {
  strips_ = &strips;
  contacts_.resize(problem.blocks());
  for_pieces(0, problem.blocks(), blocks_a_piece, [&](int from, int to) {
    for (int place = from; place < to; ++place) {
      const int i = strips.block_at(place);
      const double* c = problem.c.data() + 2 * static_cast<std::ptrdiff_t>(i);
      contacts_[place] = {weights_of(i), problem.G.block(i)[2], {c[0], c[1]}};
    }
  });
  if (strips.empty())
    rows_ = problem.G.pair_rows();
  else
    order_rows(problem.G);
}

}  // namespace saltus::detail

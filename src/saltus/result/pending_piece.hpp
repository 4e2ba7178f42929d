// Dense output on its way to a file: segments in a row may be parts of one piece, which is written when its
// last part is known. Beyond a limit no piece is taken any more.
#pragma once
#include "saltus/run/memory.hpp"
#include "saltus/run/outcome.hpp"

namespace saltus {

class PendingPiece {
 public:
  explicit PendingPiece(std::int64_t most_bytes) : left_(most_bytes) {}

  /// Hands the piece that is complete with this segment, if any, to write(piece, end).
  template <class Write>
  void take(const Segment& s, Write&& write) {
    if (waits_ && s.dense && s.dense->start == piece_.start) {
      end_ = s.end.t;
      return;
    }
    if (s.end.t > s.begin.t) finish(write);
    if (!s.dense || until_ < infinity || !(s.end.t > s.begin.t)) return;
    left_ -= static_cast<std::int64_t>(sizeof(double)) * (s.dense->q.size() + s.dense->u.size());
    if (left_ < 0) {
      until_ = s.dense->start;
      return;
    }
    piece_ = *s.dense, end_ = s.end.t, waits_ = true;
  }
  template <class Write>
  void finish(Write&& write) {
    if (waits_) write(piece_, end_);
    waits_ = false;
  }
  /// Where the limit was reached; infinite if it was not.
  double until() const { return until_; }

  void memory(Memory& m) {
    m(waits_, left_, until_, end_, piece_.start, piece_.length, piece_.terms, piece_.q, piece_.u);
    m.require(piece_.terms >= 0 && piece_.terms <= DensePiece::max_terms);
    m.require(piece_.terms == 0 ||
              (piece_.q.size() % piece_.terms == 0 && piece_.u.size() % piece_.terms == 0));
  }
  bool fits(Eigen::Index nq, Eigen::Index nu) const {
    return !waits_ || (piece_.q.size() == nq * piece_.terms && piece_.u.size() == nu * piece_.terms);
  }

 private:
  DensePiece piece_;
  double end_ = 0, until_ = infinity;
  std::int64_t left_;
  bool waits_ = false;
};

}  // namespace saltus

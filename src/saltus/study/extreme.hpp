// The largest or smallest value that components of q or u take in a run: at the ends of steps, and within
// them where the method has dense output.
#pragma once
#include "saltus/run/run.hpp"

namespace saltus {

class Extreme {
 public:
  /// Of the components [first, last[ of q or of u; of their magnitudes if `absolute`.
  Extreme(bool positions, int first, int last, bool largest, bool absolute);

  void start(double t, In q, In u) { look(t, q, u); }
  void operator()(const Segment& segment);
  double value() const { return value_; }
  double time() const { return t_; }  ///< the first at which it was taken
  template <class Memory>
  void memory(Memory& m) {
    m(value_, t_);
  }

 private:
  void look(double t, In q, In u);
  void take(double t, double x);
  void look_inside(const DensePiece& piece, double begin, double end, int component);

  bool positions_, largest_, absolute_;
  int first_, last_;
  double value_, t_ = 0;
};

}  // namespace saltus

// References made of pieces: on each, every coordinate is a polynomial in the time since the piece began (a
// parabola in free flight, a Taylor polynomial of high degree elsewhere). Velocities are their derivatives.
#pragma once
#include <vector>

#include "saltus/reference/reference.hpp"

namespace saltus {

class PiecewiseReference final : public Reference {
 public:
  struct Piece {
    double t = 0;
    Eigen::MatrixXd c;  ///< column i: coefficients of coordinate i, lowest first
  };

  /// Pieces in increasing time; `new_motion` says that velocity or acceleration may jump here.
  void add(double t, Eigen::MatrixXd coefficients, bool new_motion);
  void set_valid_until(double t) { valid_until_ = t; }

  void state(double t, Side side, Vec& q, Vec& u) const override;
  std::vector<double> breaks(double t0, double t1) const override;
  double valid_until() const override { return valid_until_; }

 private:
  std::vector<Piece> pieces_;
  std::vector<double> breaks_;
  double valid_until_ = infinity;
};

}  // namespace saltus

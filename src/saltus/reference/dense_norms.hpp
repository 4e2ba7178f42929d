// Norms of the error of a trajectory with dense output: integrals over time, not sums over its samples.
#pragma once
#include <functional>
#include <vector>

#include "saltus/run/trajectory.hpp"

namespace saltus {

struct DenseNorms {
  double q_sup = 0, q_l1 = 0, q_l2 = 0, u_sup = 0, u_l1 = 0, u_l2 = 0;  ///< maxima over components
};
using ExactState = std::function<void(double t, Side side, Vec& q, Vec& u)>;
/// By Gauss points between all times where the trajectory or the exact motion (`breaks`) may break.
DenseNorms dense_norms(const Trajectory& trajectory, const std::vector<double>& breaks,
                       const ExactState& exact);

}  // namespace saltus

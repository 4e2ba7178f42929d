// Block Gauss–Seidel, sweep by sweep: PSOR itself, and the help Newton asks for.
#pragma once
#include <algorithm>
#include <vector>

#include "saltus/contact/kernels.hpp"
#include "saltus/contact/plane_sweeps.hpp"
#include "saltus/contact/strips.hpp"

namespace saltus::detail {

/// prepare, begin, sweeps, end; after end, which may be called at any time, sweeps go on.
class Sweeps {
 public:
  void prepare(const ContactProblem& problem, const Steps& steps, double relaxation);
  /// The impulses to sweep from. Until end writes them back, they may be kept in another order than in P.
  void begin(const double* P) { plane_.load(P); }
  void end(double* P) const { plane_.store(P); }
  /// `count` sweeps, at most together(); returns the largest |ΔP_i|/ρ_i of the last one relative to max
  /// |P_i|/ρ_i, NaN when not finite.
  double sweep(ContactProblem& problem, const Steps& steps, double* P, int count = 1);
  /// How many sweeps to do without a look between them, after `done` of them: a small part of those, where
  /// the problem is large.
  int together(int done) const {
    return strips_.empty() ? 1 : std::clamp(done / 16, 1, Strips::most_together);
  }

 private:
  struct Step {
    double normal = 0, disc[3] = {};  // ω / G_NN and ω / λmax of the rows of each disc; 0 where that is zero
    int lu = -1;                      // equality: where its factors are, −1 when singular
  };
  void prepare_block(const ContactProblem& problem, const Steps& steps, double relaxation, int i);
  void prepare_plane(const ContactProblem& problem, const Steps& steps);
  struct SpaceContact {  // friction in space, where sweeps go over velocities: what a visit needs
    double normal, tangent, coupling[2], mu, trace;
  };
  void prepare_space(const ContactProblem& problem, const Steps& steps);
  double sweep_space(ContactProblem& problem, double* P, int count) const;
  void prepare_equality(int size, const double* g, Step& step, double relaxation);
  void update_block(const Law& law, double dt, const Step& step, int n, const double* g, const double* y,
                    double* P) const;

  std::vector<Step> step_;
  PlaneSweeps plane_;                // empty unless all contacts are of that kind
  std::vector<SpaceContact> space_;  // the same
  std::vector<double> lu_;
  std::vector<int> pivot_;
  Strips strips_;
};

}  // namespace saltus::detail

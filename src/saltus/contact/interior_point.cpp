#include "saltus/contact/interior_point.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {
namespace {

constexpr double kappa = 0.1;
constexpr double worth_polishing = 1e-6;  // a residual below this is worth polishing
constexpr double joint_give = 1e-9;       // δ of joints, relative to their trace
constexpr double floor = 1e-8;            // a descent that ends below this met rounding, not a fold
constexpr double to_boundary = 0.99;      // of the way
constexpr double start_impulse = 10, start_velocity = 100;  // relative to those of the problem
constexpr double short_step = 0.1;                          // of this length or less: centre first
constexpr double stalled_step = 0.1;  // four in a row of this length or less: the path has turned back
constexpr int most_stalled = 4, longest_descent = 100;

bool is_open_set(const Law& law) {
  return std::holds_alternative<Unilateral>(law) || std::holds_alternative<Coulomb>(law) ||
         std::holds_alternative<Equality>(law);
}

}  // namespace

bool InteriorPointSolver::can_treat(const ContactProblem& problem) {
  return std::all_of(problem.laws.begin(), problem.laws.end(),
                     [](const Law* law) { return is_open_set(*law); });
}

void InteriorPointSolver::prepare(const ContactProblem& problem) {
  steps_.update(problem);
  bodies_.prepare(problem.G);
  const auto m = problem.c.size();
  for (auto* x : {&r_, &u_, &dr_, &du_, &defect_, &right_, &impulse_, &y_, &best_}) x->resize(m);
  velocity_.resize(bodies_.size());
  change_.resize(bodies_.size());
  blocks_.resize(problem.laws.size());
  cones_ = 0;
  for (int i = 0; i < problem.blocks(); ++i) {
    Block& b = blocks_[i];
    b.at = problem.G.offset(i);
    b.rows = problem.G.block_size(i);
    const auto* friction = std::get_if<Coulomb>(problem.laws[i]);
    b.mu = friction && friction->mu > 0 ? friction->mu : 1;
    b.cone = std::holds_alternative<Equality>(*problem.laws[i]) ? 0
             : friction && friction->mu > 0                     ? b.rows
                                                                : 1;
    cones_ += b.cone > 0;
  }
  double sum = 0;
  for (double c : problem.c) sum += c * c;
  speed_ = std::sqrt(sum / static_cast<double>(m));
}

void InteriorPointSolver::begin(const ContactProblem& problem, bool even) {
  for (auto* x : {&r_, &u_}) std::fill(x->begin(), x->end(), 0.0);
  for (int i = 0; i < problem.blocks(); ++i) {
    Block& b = blocks_[i];
    if (b.cone == 0) continue;
    const double golden = 0.6180339887498949 * (i + 1);  // its multiples fill [0, 1) evenly
    b.share = even ? 1 : 0.95 + 0.1 * (golden - std::floor(golden));
    r_[b.at] = start_impulse * speed_ * steps_.rho[i] * b.mu;
    u_[b.at] = start_velocity * speed_ / b.mu;
  }
}

// y and the residual of impulse_, which is kept when it is the best so far
double InteriorPointSolver::note(const ContactProblem& problem, SolveReport& report) {
  evaluate(problem, impulse_.data(), y_.data());
  int worst = -1;
  const double residual = detail::residual(problem, steps_, impulse_.data(), y_.data(), &worst);
  if (residual < report.residual) {
    report.residual = residual;
    report.worst_block = worst;
    best_ = impulse_;
  }
  return residual;
}

// The same for the scaled impulses; a good one is polished.
double InteriorPointSolver::examine(const ContactProblem& problem, SolveReport& report) {
  const auto unscale = [&] {
    for (const Block& b : blocks_)
      for (int a = 0; a < b.rows; ++a) impulse_[b.at + a] = r_[b.at + a] / (a == 0 ? b.mu : 1);
  };
  unscale();
  const double residual = note(problem, report);
  if (residual <= polish_at_ && report.residual > spec_.tolerance) {
    polish_at_ = std::min(polish_at_, residual) / 100;
    polish(problem, report);
    unscale();
    evaluate(problem, impulse_.data(), y_.data());
  }
  return residual;
}

// E and the defect of û − s(û) = y_N/μ, û_T = y_T at the present point
void InteriorPointSolver::linearise(const ContactProblem& problem) {
  for (int i = 0; i < problem.blocks(); ++i) {
    Block& b = blocks_[i];
    double *u = u_.data() + b.at, *defect = defect_.data() + b.at;
    const double* y = y_.data() + b.at;
    for (int a = 0; a < b.rows; ++a) defect[a] = y[a] - u[a];
    b.E[0] = 1;
    if (b.cone == 0) std::copy_n(y, b.rows, defect);
    if (b.cone < 2) continue;
    const double tail = lorentz::tail_norm(b.cone, u);
    const double s = std::sqrt((1 - kappa) * tail * tail + kappa * u[0] * u[0]);
    const double slope = 1 - kappa * u[0] / s;
    b.E[0] = 1 / slope;
    defect[0] = (y[0] / b.mu - u[0] + s) / slope;
    for (int a = 1; a < b.cone; ++a) {
      b.E[a] = (1 - kappa) * u[a] / (s * slope);
      defect[0] += b.E[a] * defect[a];
    }
  }
}

bool InteriorPointSolver::factorize() {
  bodies_.clear();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    Block& b = blocks_[i];
    const int n = b.cone;
    double D[max_block_rows * max_block_rows] = {};
    if (n == 0) {
      for (int a = 0; a < b.rows; ++a) D[a * b.rows + a] = steps_.rho[i] / joint_give;
    } else {
      b.scaling = lorentz::scale(n, r_.data() + b.at, u_.data() + b.at);
      const double* F = b.scaling.inverse;
      for (int a = 0; a < n; ++a) {
        double row[3];  // of F⁻²
        for (int k = 0; k < n; ++k) {
          row[k] = F[a * n] * F[k];
          for (int l = 1; l < n; ++l) row[k] += F[a * n + l] * F[l * n + k];
        }
        const double scale = a == 0 ? 1 / b.mu : 1;  // P = r̂ scaled, and so is y
        D[a * b.rows] = scale * row[0] * b.E[0] / b.mu;
        for (int k = 1; k < n; ++k) D[a * b.rows + k] = scale * (row[0] * b.E[k] + row[k]);
      }
    }
    bodies_.add(static_cast<int>(i), D);
  }
  return bodies_.factorize();
}

// The step towards r̂∘û = target·e; the corrector takes the product of the step before into account.
void InteriorPointSolver::direction(double target, double weight, bool corrector) {
  double a[3], b[3], c[3], d[3];
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const int n = block.cone, at = block.at;
    double* right = right_.data() + at;
    std::fill_n(right, block.rows, 0.0);
    if (n == 0) {
      for (int k = 0; k < block.rows; ++k)
        impulse_[at + k] = -weight * defect_[at + k] * steps_.rho[i] / joint_give;
      continue;
    }
    const lorentz::Scaling& s = block.scaling;
    lorentz::product(n, s.lambda, s.lambda, c);
    for (int k = 0; k < n; ++k) c[k] = (k == 0 ? target * block.share : 0) - weight * c[k];
    if (corrector) {
      lorentz::multiply(n, s.F, dr_.data() + at, a);
      lorentz::multiply(n, s.inverse, du_.data() + at, b);
      lorentz::product(n, a, b, d);
      for (int k = 0; k < n; ++k) c[k] -= d[k];
    }
    lorentz::divide(n, s.lambda, c, a);
    lorentz::multiply(n, s.inverse, a, right);
    lorentz::multiply(n, s.inverse, defect_.data() + at, a);
    lorentz::multiply(n, s.inverse, a, b);
    std::fill_n(impulse_.data() + at, block.rows, 0.0);
    for (int k = 0; k < n; ++k) impulse_[at + k] = (right[k] - weight * b[k]) / (k == 0 ? block.mu : 1);
  }
  bodies_.velocity(impulse_.data(), change_.data());
  bodies_.solve(change_.data());
  bodies_.rows(change_.data(), du_.data());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const int n = block.cone, at = block.at;
    double *du = du_.data() + at, *dr = dr_.data() + at;
    if (n == 0) {
      for (int k = 0; k < block.rows; ++k)
        dr[k] = -(du[k] + weight * defect_[at + k]) * steps_.rho[i] / joint_give;
      continue;
    }
    du[0] *= block.E[0] / block.mu;
    for (int k = 1; k < n; ++k) du[0] += block.E[k] * du[k];
    for (int k = 0; k < block.rows; ++k) du[k] += weight * defect_[at + k], dr[k] = 0;
    lorentz::multiply(n, block.scaling.inverse, du, a);
    lorentz::multiply(n, block.scaling.inverse, a, b);
    for (int k = 0; k < n; ++k) dr[k] = right_[at + k] - b[k];
  }
}

double InteriorPointSolver::longest_step() const {
  double step = infinity;
  for (const Block& b : blocks_)
    if (b.cone > 0)
      step = std::min({step, lorentz::longest_step(b.cone, r_.data() + b.at, dr_.data() + b.at),
                       lorentz::longest_step(b.cone, u_.data() + b.at, du_.data() + b.at)});
  return step;
}

// r̂·û per contact after a step
double InteriorPointSolver::gap(double step) const {
  double sum = 0;
  for (const Block& b : blocks_)
    for (int k = b.at; k < b.at + b.cone; ++k) sum += (r_[k] + step * dr_[k]) * (u_[k] + step * du_[k]);
  return sum / std::max(1, cones_);
}

void InteriorPointSolver::advance(double step) {
  for (std::size_t k = 0; k < r_.size(); ++k) {
    r_[k] += step * dr_[k];
    u_[k] += step * du_[k];
  }
}

// Lowers τ as fast as it goes; false when steps become tiny: there is a fold, or rounding is all that is
// left.
bool InteriorPointSolver::descend(const ContactProblem& problem, SolveReport& report) {
  int stalled = 0;
  for (int k = 0; k <= longest_descent && stalled < most_stalled; ++k) {
    examine(problem, report);
    if (!(report.residual > spec_.tolerance)) return true;
    if (report.iterations >= spec_.max_iterations) return false;
    ++report.iterations;
    linearise(problem);
    if (!factorize()) return false;
    const double tau = gap(0);
    direction(0);
    const double ahead = gap(std::min(1.0, longest_step())) / tau;
    const double centring = std::clamp(ahead * ahead * ahead, 1e-4, 1.0);
    direction(centring * tau, 1, true);
    double step = std::min(1.0, to_boundary * longest_step());
    if (step < short_step) {
      direction(std::max(0.5, centring) * tau);
      step = std::min(1.0, to_boundary * longest_step());
    }
    if (!std::isfinite(step)) return false;
    advance(step);
    stalled = step < stalled_step ? stalled + 1 : 0;
  }
  return false;
}

SolveReport InteriorPointSolver::solve(ContactProblem& problem, Out P) {
  SolveReport report;
  for (const Law* law : problem.laws)
    if (!is_open_set(*law))
      fail("interior-point treats unilateral contacts, Coulomb friction and joints, not the law '{}'",
           std::visit([](const auto& l) { return l.name; }, *law));
  if (solve_trivial(problem, P, spec_.tolerance, report)) return report;
  prepare(problem);
  report.residual = infinity;
  // The guess may be the answer already.
  if (P.allFinite()) {
    std::copy_n(P.data(), P.size(), best_.data());
    evaluate(problem, best_.data(), y_.data());
    report.residual = detail::residual(problem, steps_, best_.data(), y_.data(), &report.worst_block);
    if (std::isnan(report.residual)) return report;
    if (report.residual <= worth_polishing) polish(problem, report);
  }
  on_path_ = {};
  polish_at_ = worth_polishing;
  begin(problem, true);
  bool done = report.residual <= spec_.tolerance || descend(problem, report);
  for (double low = infinity; traces_ && !done && report.residual > floor;) {
    const int before = report.iterations;
    low = std::min(low, gap(0));
    if (on_path_.r.empty())
      begin(problem, false);
    else
      r_ = on_path_.r, u_ = on_path_.u;
    if (!trace(problem, 0.1 * low, report)) break;
    done = descend(problem, report);
    if (report.iterations == before) break;  // spent, or not finite: nothing would ever change
  }
  if (report.residual <= worth_polishing) polish(problem, report);
  std::copy_n(best_.data(), P.size(), P.data());
  report.solved = report.residual <= spec_.tolerance;
  return report;
}

}  // namespace saltus::detail

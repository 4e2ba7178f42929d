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

bool is_treated(const Law& law) {
  return std::holds_alternative<Unilateral>(law) || is_frictional(law) ||
         std::holds_alternative<Equality>(law);
}

}  // namespace

bool InteriorPointSolver::can_treat(const ContactProblem& problem) {
  return std::all_of(problem.laws.begin(), problem.laws.end(),
                     [](const Law* law) { return is_treated(*law); });
}

void InteriorPointSolver::prepare(const ContactProblem& problem) {
  steps_.update(problem);
  bodies_.prepare(problem.G);
  const auto m = problem.c.size();
  blocks_.resize(problem.laws.size());
  cones_.clear();
  int at = 0;
  const auto add = [&](int size, int tail, double mu) {
    cones_.push_back({at, size, tail, mu, 1, {1, 0, 0}, {}, 0, {}});
    at += size;
  };
  for (int i = 0; i < problem.blocks(); ++i) {
    Block& b = blocks_[i];
    b = {problem.G.offset(i), problem.G.block_size(i), static_cast<int>(cones_.size()), 0, at, 0};
    if (std::holds_alternative<Equality>(*problem.laws[i])) {
      at += b.rows;
      continue;
    }
    for (const FrictionDisc& d : discs_of(*problem.laws[i]))
      if (d.bound > 0) add(1 + d.rows, b.at + d.at, d.bound);
    if (static_cast<int>(cones_.size()) == b.first) add(1, b.at + 1, 1);
    b.cones = static_cast<int>(cones_.size()) - b.first;
  }
  for (auto* x : {&r_, &u_, &dr_, &du_, &defect_, &right_}) x->resize(at);
  for (auto* x : {&impulse_, &y_, &best_, &centre_}) x->resize(m);
  velocity_.resize(bodies_.size());
  change_.resize(bodies_.size());
  double sum = 0;
  for (double c : problem.c) sum += c * c;
  speed_ = std::sqrt(sum / static_cast<double>(m));
}

void InteriorPointSolver::begin(const ContactProblem& problem) {
  for (auto* x : {&r_, &u_}) std::fill(x->begin(), x->end(), 0.0);
  for (int i = 0; i < problem.blocks(); ++i) {
    const double golden = 0.6180339887498949 * (i + 1);  // its multiples fill [0, 1) evenly
    const double share = 1 - spread_ / 2 + spread_ * (golden - std::floor(golden));
    for (int j = blocks_[i].first; j < blocks_[i].first + blocks_[i].cones; ++j) {
      Cone& c = cones_[j];
      c.share = share;
      r_[c.at] = start_impulse * speed_ * steps_.rho[i] * c.mu;
      u_[c.at] = start_velocity * speed_ / c.mu;
    }
  }
}

// The impulses of the scaled ones; rows without a cone have none.
void InteriorPointSolver::unscale() {
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  for (const Block& b : blocks_) {
    if (b.cones == 0) std::copy_n(r_.data() + b.joint, b.rows, impulse_.data() + b.at);
    for (int j = b.first; j < b.first + b.cones; ++j) {
      const Cone& c = cones_[j];
      impulse_[b.at] = r_[c.at] / c.mu;
      std::copy_n(r_.data() + c.at + 1, c.size - 1, impulse_.data() + c.tail);
    }
  }
}

// y and the residual of impulse_, which is kept when it is the best so far
double InteriorPointSolver::note(const ContactProblem& problem, SolveReport& report) {
  int worst = -1;
  const double residual = evaluate_residual(problem, steps_, impulse_.data(), y_.data(), &worst);
  if (residual < report.residual) {
    report.residual = residual;
    report.worst_block = worst;
    best_ = impulse_;
  }
  return residual;
}

// The same for the scaled impulses; a good one is polished.
double InteriorPointSolver::examine(const ContactProblem& problem, SolveReport& report) {
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

// E and the defect of û − s(û) = σ, û_T = y_T at the present point. That of Σ μ σ = y_N is split evenly: how,
// makes no difference, for the shares σ are free.
void InteriorPointSolver::linearise() {
  for (const Block& b : blocks_) {
    if (b.cones == 0) std::copy_n(y_.data() + b.at, b.rows, defect_.data() + b.joint);
    double missing = y_[b.at];
    for (int j = b.first; j < b.first + b.cones; ++j) {
      Cone& c = cones_[j];
      double *u = u_.data() + c.at, *defect = defect_.data() + c.at;
      double s = 0, slope = 1;
      if (c.size > 1) {
        const double tail = lorentz::tail_norm(c.size, u);
        s = std::sqrt((1 - kappa) * tail * tail + kappa * u[0] * u[0]);
        slope = 1 - kappa * u[0] / s;
      }
      missing -= c.mu * (u[0] - s);
      c.E[0] = 1 / slope;
      defect[0] = 0;
      for (int a = 1; a < c.size; ++a) {
        c.E[a] = (1 - kappa) * u[a] / (s * slope);
        defect[a] = y_[c.tail + a - 1] - u[a];
        defect[0] += c.E[a] * defect[a];
      }
    }
    for (int j = b.first; j < b.first + b.cones; ++j)
      defect_[cones_[j].at] += cones_[j].E[0] * missing / (b.cones * cones_[j].mu);
  }
}

// Of each cone dr_j = … − A_j (dσ_j, dy_j) with A = D E. That all dr_j0/μ_j are dP_N and Σ μ_j dσ_j = dy_N
// gives dσ_j; with one cone it is dy_N/μ.
void InteriorPointSolver::fill_block(const Block& b, double* D) const {
  const auto at = [&](int row, int column) -> double& { return D[(row - b.at) * b.rows + column - b.at]; };
  const double whole = 1 / b.compliance;
  at(b.at, b.at) = whole;
  for (int j = b.first; j < b.first + b.cones; ++j) {
    const Cone& c = cones_[j];
    for (int k = 1; k < c.size; ++k) at(b.at, c.tail + k - 1) = whole * (c.mu / c.A[0]) * c.A[k];
  }
  for (int j = b.first; j < b.first + b.cones; ++j) {
    const Cone& c = cones_[j];
    for (int a = 1; a < c.size; ++a) {
      const int row = c.tail + a - 1;
      const double lever = c.A[a * c.size] / c.A[0];
      for (int column = b.at; column < b.at + b.rows; ++column)
        at(row, column) = lever * c.mu * at(b.at, column);
      for (int k = 1; k < c.size; ++k) {
        if (b.cones == 1)
          at(row, c.tail + k - 1) = c.A[a * c.size + k];  // the two terms in A_0k cancel
        else
          at(row, c.tail + k - 1) += c.A[a * c.size + k] - lever * c.A[k];
      }
    }
  }
}

bool InteriorPointSolver::factorize() {
  bodies_.clear();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    Block& b = blocks_[i];
    double D[max_block_rows * max_block_rows] = {};
    if (b.cones == 0)
      for (int a = 0; a < b.rows; ++a) D[a * b.rows + a] = steps_.rho[i] / joint_give;
    b.compliance = 0;
    for (int j = b.first; j < b.first + b.cones; ++j) {
      Cone& c = cones_[j];
      const int n = c.size;
      c.scaling = lorentz::scale(n, r_.data() + c.at, u_.data() + c.at);
      const double* F = c.scaling.inverse;
      for (int a = 0; a < n; ++a) {
        double row[3];  // of F⁻²
        for (int k = 0; k < n; ++k) {
          row[k] = F[a * n] * F[k];
          for (int l = 1; l < n; ++l) row[k] += F[a * n + l] * F[l * n + k];
        }
        c.A[a * n] = row[0] * c.E[0];
        for (int k = 1; k < n; ++k) c.A[a * n + k] = row[0] * c.E[k] + row[k];
      }
      b.compliance += c.mu * c.mu / c.A[0];
    }
    if (b.cones > 0) fill_block(b, D);
    bodies_.add(static_cast<int>(i), D);
  }
  return bodies_.factorize();
}

// The step towards r̂∘û = target·e; the corrector takes the product of the step before into account.
void InteriorPointSolver::direction(double target, double weight, bool corrector) {
  double a[3], b[3], c[3], d[3];
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    if (block.cones == 0)
      for (int k = 0; k < block.rows; ++k)
        impulse_[block.at + k] = -weight * defect_[block.joint + k] * steps_.rho[i] / joint_give;
    double normal = 0;
    for (int j = block.first; j < block.first + block.cones; ++j) {
      Cone& cone = cones_[j];
      const lorentz::Scaling& s = cone.scaling;
      const int n = cone.size, at = cone.at;
      double* right = right_.data() + at;
      lorentz::product(n, s.lambda, s.lambda, c);
      for (int k = 0; k < n; ++k) c[k] = (k == 0 ? target * cone.share : 0) - weight * c[k];
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
      cone.f = right[0] - weight * b[0];
      for (int k = 1; k < n; ++k) impulse_[cone.tail + k - 1] = right[k] - weight * b[k];
      normal += cone.f * cone.mu / cone.A[0];
    }
    if (block.cones > 0) normal /= block.compliance, impulse_[block.at] = normal;
    for (int j = block.first; block.cones > 1 && j < block.first + block.cones; ++j) {
      const Cone& cone = cones_[j];
      for (int k = 1; k < cone.size; ++k)
        impulse_[cone.tail + k - 1] -= cone.A[k * cone.size] / cone.A[0] * (cone.f - cone.mu * normal);
    }
  }
  bodies_.velocity(impulse_.data(), change_.data());
  bodies_.solve(change_.data());
  bodies_.rows(change_.data(), impulse_.data());  // from here on dy
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const double* dy = impulse_.data();
    if (block.cones == 0)
      for (int k = 0; k < block.rows; ++k) {
        du_[block.joint + k] = dy[block.at + k];
        dr_[block.joint + k] =
            -(dy[block.at + k] + weight * defect_[block.joint + k]) * steps_.rho[i] / joint_give;
      }
    const auto along = [&](const Cone& cone) {  // what the tangents leave of f
      double f = cone.f;
      for (int k = 1; k < cone.size; ++k) f -= cone.A[k] * dy[cone.tail + k - 1];
      return f;
    };
    double normal = -dy[block.at];  // dP_N
    for (int j = block.first; block.cones > 1 && j < block.first + block.cones; ++j)
      normal += along(cones_[j]) * cones_[j].mu / cones_[j].A[0];
    normal /= block.compliance;
    for (int j = block.first; j < block.first + block.cones; ++j) {
      const Cone& cone = cones_[j];
      const int n = cone.size;
      double *du = du_.data() + cone.at, *dr = dr_.data() + cone.at;
      const double part = block.cones == 1 ? dy[block.at] / cone.mu  // dσ
                                           : (along(cone) - cone.mu * normal) / cone.A[0];
      du[0] = cone.E[0] * part;
      for (int k = 1; k < n; ++k) {
        du[k] = dy[cone.tail + k - 1];
        du[0] += cone.E[k] * du[k];
      }
      for (int k = 0; k < n; ++k) du[k] += weight * defect_[cone.at + k];
      lorentz::multiply(n, cone.scaling.inverse, du, a);
      lorentz::multiply(n, cone.scaling.inverse, a, b);
      for (int k = 0; k < n; ++k) dr[k] = right_[cone.at + k] - b[k];
    }
  }
}

double InteriorPointSolver::longest_step() const {
  double step = infinity;
  for (const Cone& c : cones_)
    step = std::min({step, lorentz::longest_step(c.size, r_.data() + c.at, dr_.data() + c.at),
                     lorentz::longest_step(c.size, u_.data() + c.at, du_.data() + c.at)});
  return step;
}

// r̂·û per cone after a step
double InteriorPointSolver::gap(double step) const {
  double sum = 0;
  for (const Cone& c : cones_)
    for (int k = c.at; k < c.at + c.size; ++k) sum += (r_[k] + step * dr_[k]) * (u_[k] + step * du_[k]);
  return sum / std::max(1, static_cast<int>(cones_.size()));
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
    linearise();
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

// Around the folds of the path, and down from there, until it is solved or cannot go on.
bool InteriorPointSolver::follow(const ContactProblem& problem, double low, SolveReport& report) {
  on_path_ = {};
  for (bool done = false; !done && report.residual > floor;) {
    const int before = report.iterations;
    if (on_path_.r.empty())
      begin(problem);
    else
      r_ = on_path_.r, u_ = on_path_.u;
    if (!trace(problem, 0.1 * low, report)) return false;
    done = descend(problem, report);
    if (done || report.iterations == before) return done;  // else spent: nothing would ever change
    low = std::min(low, gap(0));
  }
  return true;
}

SolveReport InteriorPointSolver::solve(ContactProblem& problem, Out P) {
  SolveReport report;
  for (const Law* law : problem.laws)
    if (!is_treated(*law))
      fail("interior-point treats unilateral contacts, friction and joints, not the law '{}'",
           std::visit([](const auto& l) { return l.name; }, *law));
  if (solve_trivial(problem, P, spec_.tolerance, report)) return report;
  prepare(problem);
  report.residual = infinity;
  // The guess may be the answer already.
  if (P.allFinite()) {
    std::copy_n(P.data(), P.size(), best_.data());
    report.residual = evaluate_residual(problem, steps_, best_.data(), y_.data(), &report.worst_block);
    if (std::isnan(report.residual)) return report;
    if (report.residual <= worth_polishing) polish(problem, report);
  }
  polish_at_ = worth_polishing;
  spread_ = 0;
  begin(problem);
  bool done = report.residual <= spec_.tolerance || descend(problem, report);
  // a path that leads nowhere is left for one of other shares, unless polishing serves
  double enough = floor;
  const double low = gap(0);
  for (const double spread : {0.1, 0.6, 1.2}) {
    if (!traces_ || done || !(report.residual > enough)) break;
    spread_ = spread, enough = worth_polishing;
    done = follow(problem, low, report);
  }
  if (report.residual <= worth_polishing) polish(problem, report);
  std::copy_n(best_.data(), P.size(), P.data());
  report.solved = report.residual <= spec_.tolerance;
  return report;
}

}  // namespace saltus::detail

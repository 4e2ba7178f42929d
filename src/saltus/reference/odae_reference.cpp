#include "saltus/reference/odae_reference.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reference/gbs.hpp"
#include "saltus/run/odae_events.hpp"
#include "saltus/scheme/symplectic/odae_stepper.hpp"

namespace saltus {
namespace {
constexpr int cells = 64, few = 50;  // of a table between two samples; asked so often, a sample gets one
constexpr int most_steps = 3000;  // in one; more are needed where the right-hand side has a singularity only
}  // namespace

// The exact flow, to the tolerance, as a stepper: one step is as many of Gbs as needed.
class OdaeReference::Flow final : public OdaeStepper {
 public:
  Flow(std::shared_ptr<const OdaeSystem> system, double tolerance)
      : OdaeStepper(std::move(system), 0, false),
        ny_(system_->ny()),
        nz_(system_->nz()),
        tolerance_(tolerance),
        gbs_(ny_ + nz_),
        rhs_([this](double t, const Vec& x, Vec& dx) { rate(t, x, dx); }),
        x_(ny_ + nz_),
        next_(ny_ + nz_),
        f_(nz_) {}

  int order() const override { return 2 * Gbs::columns; }
  StepReport take_step(const State& x0, double h, State& x1) override { return locked_step(x0, h, x1); }

  // Between two samples that are asked for again and again (figures, distances of graphs) cubic pieces are as
  // good, where they are: each is compared with the flow at its middle.
  bool interpolate(std::size_t sample, const State& from, double end, double t, Vec& q, Vec& u) {
    if (tables_.size() <= sample) tables_.resize(sample + 1);
    Table& table = tables_[sample];
    if (++table.asked < few) return false;
    if (table.good.empty()) tabulate(table, from, (end - from.t) / cells);
    const double s = (t - from.t) / table.d;
    const int i = std::clamp(static_cast<int>(s), 0, cells - 1);
    if (!table.good[i]) return false;
    const Vec x = table.at(i, s - i);
    q = x.head(ny_), u = x.tail(nz_);
    return true;
  }

  StepReport take_locked_step(const State& x0, double h, State& x1) override {
    prepare(x0);
    x_.head(ny_) = x0.q, x_.tail(nz_) = x0.u;
    StepReport report;
    double t = x0.t;
    const double end = x0.t + h, last = 1e-15 * std::max(std::abs(end), std::abs(h));
    if (!(h_ > 0)) h_ = h;
    for (int steps = 0; end - t > last; ++steps) {
      double length = std::min(h_, end - t);
      const bool cut = length < h_;
      const double wanted = length, taken = gbs_.adaptive_step(rhs_, t, x_, length, tolerance_, next_);
      if (taken == 0 || steps > most_steps) {
        report.status = StepStatus::not_finite;
        break;
      }
      if (!cut || taken < wanted) h_ = length;
      t += taken;
      x_.swap(next_);
      y_ = x_.head(ny_), z_ = x_.tail(nz_);
      if (!hidden_.project(t, y_, z_, closed_)) {  // rounding would drift off
        report.status = StepStatus::singular;
        break;
      }
      x_ << y_, z_;
    }
    x1.q = x_.head(ny_), x1.u = x_.tail(nz_), x1.aux = x0.aux;
    finish_locked(x0, h, x1, report);
    return report;
  }

 private:
  struct Table {
    int asked = 0;
    double d = 0;  // length of a cell
    std::vector<Vec> x, dx;
    std::vector<char> good;
    Vec at(int i, double w) const {  // Hermite's cubic
      const double v = 1 - w;
      return v * v * (1 + 2 * w) * x[i] + w * w * (1 + 2 * v) * x[i + 1] +
             d * w * v * (v * dx[i] - w * dx[i + 1]);
    }
  };

  void prepare(const State& x0) {
    const auto now = active(x0);
    closed_.assign(now.begin(), now.end());
    guess_ = x0.aux;
    for (int i : closed_)
      if (guess_[i] == 0) guess_[i] = system_->first_multiplier(i);
  }

  void tabulate(Table& table, const State& from, double d) {
    State a = from, b = from, middle = from;
    Vec x(ny_ + nz_), dx;
    table.d = d;
    table.good.assign(cells, 0);
    for (int i = 0; i <= cells; ++i) {
      x << a.q, a.u;
      prepare(a);
      rate(a.t, x, dx);
      table.x.push_back(x), table.dx.push_back(dx);
      if (i > 0) {
        x << middle.q, middle.u;
        const double off = (table.at(i - 1, 0.5) - x).lpNorm<Eigen::Infinity>();
        table.good[i - 1] = off <= 1e-12 * x.lpNorm<Eigen::Infinity>();
      }
      if (i == cells || locked_step(a, d / 2, middle).status != StepStatus::ok ||
          locked_step(a, d, b).status != StepStatus::ok)
        return;
      std::swap(a, b);
    }
  }

  void rate(double t, const Vec& x, Vec& dx) {
    y_ = x.head(ny_), z_ = x.tail(nz_);
    dx.resize(ny_ + nz_);
    psi_now_ = guess_;
    if (!hidden_.multipliers(t, y_, z_, closed_, psi_now_)) {
      dx.setConstant(std::nan(""));
      return;
    }
    guess_ = psi_now_;
    checked_.velocity(t, y_, z_, dx.head(ny_));
    checked_.force(t, y_, z_, f_);
    checked_.reaction(t, y_, z_, psi_now_, dx.tail(nz_));
    dx.tail(nz_) += f_;
  }

  int ny_, nz_;
  double tolerance_, h_ = 0;
  Gbs gbs_;
  Gbs::Rhs rhs_;
  Vec x_, next_, f_, y_, z_, guess_, psi_now_;
  std::vector<int> closed_;
  std::vector<Table> tables_;
};

OdaeReference::OdaeReference(std::shared_ptr<const OdaeSystem> system, double t0, In y0, In z0, double t_end,
                             double tolerance)
    : system_(std::move(system)),
      t0_(t0),
      t_end_(t_end),
      y0_(y0),
      z0_(z0),
      jumps_(system_->has_unilateral()),
      flow_(std::make_unique<Flow>(system_, tolerance)) {}

OdaeReference::~OdaeReference() = default;

void OdaeReference::compute() const {
  if (!samples_.empty()) return;
  Problem problem;
  problem.t0 = t0_, problem.t_end = t_end_, problem.q0 = y0_, problem.u0 = z0_;
  const EventLocation steps{std::max((t_end_ - t0_) / 64, 1e-300), 1e-6};
  RunResult result;
  run_located(
      steps, problem, *flow_,
      [&](const Segment& s) {
        if (samples_.empty()) samples_.push_back(s.begin);
        samples_.push_back(s.end);
        for (const Event& e : s.events) events_.push_back(e);
      },
      {}, {}, result);
  if (samples_.empty()) samples_.push_back(result.final);
  reached_ = result.status == RunStatus::finished ? t_end_ : result.final.t;
}

double OdaeReference::valid_until() const {
  const std::lock_guard lock(mutex_);
  compute();
  return reached_;
}

const State& OdaeReference::at(double t, Side side) const {
  compute();
  const auto later = side == Side::right ? std::upper_bound(samples_.begin(), samples_.end(), t,
                                                            [](double a, const State& s) { return a < s.t; })
                                         : std::lower_bound(samples_.begin(), samples_.end(), t,
                                                            [](const State& s, double a) { return s.t < a; });
  const State& from = later == samples_.begin() ? *later : *(later - 1);
  if (t <= from.t) return from;
  if (t > reached_) fail("the reference is good up to t = {:.9g} only, not {:.9g}", reached_, t);
  if (flow_->locked_step(from, t - from.t, now_).status != StepStatus::ok)
    fail("the reference could not be computed beyond t = {}", from.t);
  return now_;
}

void OdaeReference::state(double t, Side side, Vec& q, Vec& u) const {
  const std::lock_guard lock(mutex_);
  compute();
  const auto next =
      std::upper_bound(samples_.begin(), samples_.end(), t, [](double a, const State& s) { return a < s.t; });
  if (next != samples_.begin() && next != samples_.end() && (next - 1)->t < t &&
      flow_->interpolate(next - samples_.begin() - 1, *(next - 1), next->t, t, q, u))
    return;
  const State& x = at(t, side);
  q = x.q, u = x.u;
}

Vec OdaeReference::multipliers(double t) const {
  const std::lock_guard lock(mutex_);
  return at(t, Side::right).aux.head(system_->m());
}

std::vector<Event> OdaeReference::events() const {
  const std::lock_guard lock(mutex_);
  compute();
  return events_;
}

std::vector<double> OdaeReference::breaks(double t0, double t1) const {
  std::vector<double> out;
  for (const Event& e : events())
    if (e.t > t0 && e.t < t1 && (out.empty() || e.t > out.back())) out.push_back(e.t);
  return out;
}

}  // namespace saltus

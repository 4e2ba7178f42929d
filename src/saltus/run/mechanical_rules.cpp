#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/family_rules.hpp"
#include "saltus/run/stability.hpp"
#include "saltus/scheme/kit/gap_report.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/gap_rounding.hpp"

namespace saltus {
namespace {

GapRounding weighed(const CheckedSystem& system, const State& x) {
  const Shape shape = system->shape();
  Matrix M(shape.nu, shape.mass);
  system.mass(x.t, x.q, M);
  GapRounding out(shape);
  out.weigh(M);
  return out;
}

// How far the motion reached, in the metric of M. Where nothing moved from zero, its rounding is that of what
// forces could have done.
double extent(const CheckedSystem& system, const State& x, const GapRounding& metric, double moved) {
  Vec force = Vec::Zero(x.u.size());
  system.force(x.t, x.q, x.u, force);
  double fall = 0;
  for (Eigen::Index i = 0; i < force.size(); ++i)
    fall = std::max(fall, std::abs(force[i]) / metric.root_mass()[i] * x.t * x.t / 2);
  return moved > 1e-9 * fall ? moved : fall;
}

// A step goes into a contact by h times its speed at most, however it is solved. Runs that end a hundred
// times as deep went through it step by step; the last line of defence, should a wrong solution pass for one.
// On curved surfaces velocities that are right leave a gap in every step, which adds up over a run: there the
// depth counts beside that, and how far coordinates are, or were at the start (what fell on a floor at zero
// keeps the rounding of the height it came from), and where the ledger tells it beside the thickness of the
// bodies.
void refuse_depth(const CheckedSystem& system, const Vec& start, double h, double fastest,
                  RunResult& result) {
  constexpr double room = 100, curved = 1e-3, straight = 1e-9;
  const State& x = result.final;
  ContactSet set;
  system.list(x.t, x.q, set);
  const auto laws = system.laws();
  const Contact* deepest = nullptr;
  for (const Contact& c : set.contacts)
    if (needs_closed_gap(laws[c.law]) && (!deepest || set.gap[c.row] < set.gap[deepest->row])) deepest = &c;
  if (!deepest) return;
  const double depth = -set.gap[deepest->row];
  if (!(depth > room * h * fastest)) return;
  system.directions(x.t, x.q, set);
  const GapRounding metric = weighed(system, x);
  const double far = extent(system, x, metric, std::max(metric.size(start), metric.size(x.q))) *
                     metric.mobility(set, deepest->row);
  const bool fixed = system->shape().constant_directions;
  double told = 0;
  if (!fixed) {
    system.bias(x.t, x.q, x.u, set);
    const double left = x.t * h * std::abs(set.bias[deepest->row]);  // by all steps, each h²/2 of the bias
    told = std::max(left, Trust{}.penetration * system->thickness(deepest->id));
  }
  if (depth <= std::max((fixed ? straight : curved) * far, told)) return;
  result.status = RunStatus::failed;
  result.message = fmt::format(
      "ended {:.3g} deep in contact {}, more than {:.0f} steps at the largest speed of a contact, {:.3g}: "
      "the "
      "contacts were not satisfied on the way; try another --solver or a smaller step",
      depth, system.contact_name(deepest->id), room, fastest);
}

class MechanicalRules final : public FamilyRules {
 public:
  explicit MechanicalRules(const Problem& problem)
      : MechanicalRules(static_cast<const System&>(*problem.system), problem.q0, problem.penetration) {}
  MechanicalRules(const System& system, Vec start, Penetration penetration)
      : FamilyRules(system.shape().tells_passages),
        system_(system),
        start_(std::move(start)),
        penetration_(penetration),
        flat_(system.shape().flat) {}
  void check_start(const Problem& p, const Method& method) const override {
    saltus::check_start(system_, p.t0, p.t_end, p.q0, p.u0, p.penetration);
    refuse_unstable_step(p, method);
  }
  double energy(const State& x) const override { return system_.energy(x.t, x.q, x.u); }
  Powers powers() const override { return system_->powers(); }
  Power power(const State& x, bool) const override {
    return system_->power(x.t, VectorArgument(x.q), VectorArgument(x.u), system_.workspace());
  }
  double stored(const State& x) const override {
    const auto laws = system_.laws();
    if (std::none_of(laws.begin(), laws.end(), on_position_level)) return 0;
    ContactSet set;
    system_.list(x.t, x.q, set);
    double sum = 0;
    for (const Contact& c : set.contacts)
      if (const auto* s = std::get_if<PrestressedSpring>(&laws[c.law]))
        sum += s->limit * std::abs(set.gap[c.row]);
    return sum;
  }
  // The motion of a row: how far its gap could have moved with the coordinates, Σ |W| |q|. What a contact is
  // deep is no part of its own measure.
  Lengths measure(const State& x, const Vec& start, const Vec& reach, Ledger& out) const override {
    Lengths lengths;
    if (!finite(x.q)) return lengths;
    const GapRounding metric = weighed(system_, x);
    const double far = extent(system_, x, metric, metric.size(reach));
    ContactSet set;
    system_.list(x.t, x.q, set);
    system_.directions(x.t, x.q, set);
    const auto laws = system_.laws();
    for (const Contact& c : set.contacts) {
      const bool joint = std::holds_alternative<Equality>(laws[c.law]);
      if (!joint && !needs_closed_gap(laws[c.law])) continue;
      for (int r = c.row; r < c.row + (joint ? rows(laws[c.law]) : 1); ++r) {
        double motion = 0, first = 0;
        if (flat_)
          for (const auto& e : set.Wt.row(r))
            motion += std::abs(e.value) * reach[e.column], first += std::abs(e.value) * start[e.column];
        const double off = joint ? std::abs(set.gap[r]) : -set.gap[r];
        if (const double outside = std::max(first, motion - off); !joint && outside > 0) motion = outside;
        const double thick = joint ? 0 : system_->thickness(c.id), size = thick > 0 ? thick : motion;
        if (!(off > 1e-12 * far * metric.mobility(set, r) && size > 0)) continue;
        if (joint && off > out.drift * size) out.drift = off / size, lengths.gap = off, out.loosest = c.id;
        if (joint && set.drift[r] != 0 && off > out.motion * size)
          out.motion = off / size, lengths.stray = off, out.strayed = c.id;
        if (!joint && off > out.penetration * size)
          out.penetration = off / size, lengths.depth = off, lengths.thickness = thick, out.deepest = c.id;
      }
    }
    return lengths;
  }
  std::string failure(const Method& method, const State& x0, double h,
                      const StepReport& report) const override {
    return failure_message(system_, method, x0, h, report);
  }
  // contacts that contradict each other do so in shorter steps too
  bool is_cut(StepStatus status) const override { return status == StepStatus::newton_diverged; }
  bool looks_wrong(const State& x0, const State& x1, double share, std::string& why) const override {
    return went_through(system_, x0, x1, why, share);
  }
  void judge_end(double h, double fastest, RunResult& result) const override {
    if (h > 0 && penetration_ == Penetration::refuse && result.status == RunStatus::finished)
      refuse_depth(system_, start_, h, fastest, result);
    ContactSet set;
    system_.list(result.final.t, result.final.q, set);
    StepReport last;
    report_gaps(system_, set, last);
    accumulate(result, last);
  }

 private:
  CheckedSystem system_;
  Vec start_;
  Penetration penetration_;
  bool flat_;
};

}  // namespace

std::unique_ptr<FamilyRules> mechanical_rules(const Problem& problem) {
  return std::make_unique<MechanicalRules>(problem);
}

}  // namespace saltus

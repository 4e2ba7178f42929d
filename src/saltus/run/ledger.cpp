#include "saltus/run/ledger.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/run/method.hpp"

namespace saltus {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t samples_a_stride = 256;

// Whether the order of a method is 2 at most, so that the trapezoidal rule is good enough.
bool is_plain(const Method& method) {
  if (std::holds_alternative<SwitchingSteps>(method.stepping)) return false;
  const auto* symplectic = std::get_if<SymplecticEuler>(&method.scheme);
  return std::holds_alternative<GeneralizedAlpha>(method.scheme) ||
         std::holds_alternative<MoreauJean>(method.scheme) ||
         std::holds_alternative<MoreauMidpoint>(method.scheme) ||
         std::holds_alternative<MoreauProjected>(method.scheme) ||
         std::holds_alternative<SchatzmanPaoli>(method.scheme) ||
         (symplectic && symplectic->composition <= SymplecticEuler::Composition::strang);
}

// A mean of two powers with an error of second order. Where damping is stiff a step may begin with a power
// that lasts for a small part of it only; the geometric mean, unlike the arithmetic one, is small then.
double mean(double a, double b) {
  return a > 0 && b > 0 ? std::sqrt(a) * std::sqrt(b) : 0.5 * (a + b);
}

}  // namespace

Bookkeeper::Bookkeeper(const Problem& problem, const Method& method, const FamilyRules& rules)
    : problem_(problem),
      method_(method),
      rules_(rules),
      metered_(rules.powers() == Powers::known),
      simpson_(!is_plain(method) && problem.system->family() != Family::odae),  // z need not be ẏ
      last_t_(nan),
      reach_(problem.q0.cwiseAbs()) {
  if (const System* system = as_mechanical(problem.system.get())) {
    const Shape shape = system->shape();
    bodies_.emplace(*system);
    mass_ = Matrix(shape.nu, shape.mass);
    constant_mass_ = shape.constant_mass;
    if (constant_mass_) bodies_->mass(problem.t0, problem.q0, mass_);
  }
  sample({problem.t0, problem.q0, problem.u0, {}, {}, {}});
  first_kinetic_ = most_kinetic_;
}

void Bookkeeper::memory(Memory& m) {
  m(loss_, walls_, friction_, ideal_, work_, damping_, rubbing_);
  m(last_.work, last_.damping, last_.friction, last_t_);
  const auto n = reach_.size();
  m(until_sample_, stride_, samples_, most_kinetic_, reach_);
  m.require(reach_.size() == n && until_sample_ > 0 && stride_ > 0);
}

double Bookkeeper::kinetic(const State& x) {
  if (bodies_) {
    if (!constant_mass_) bodies_->mass(x.t, x.q, mass_);
    return 0.5 * mass_.bilinear(VectorArgument(x.u), VectorArgument(x.u));
  }
  middle_.t = x.t, middle_.q = x.q;
  middle_.u.setZero(x.u.size());
  return rules_.energy(x) - rules_.energy(middle_);
}

void Bookkeeper::sample(const State& x) {
  if (++samples_ > samples_a_stride) samples_ = 1, stride_ *= 2;
  until_sample_ = stride_;
  most_kinetic_ = std::max(most_kinetic_, kinetic(x));
  for (Eigen::Index i = 0, n = reach_.size(); i < n; ++i) reach_[i] = std::max(reach_[i], std::abs(x.q[i]));
}

// A damper that would take all the motion within a part of the step: nothing is known of it in between.
bool Bookkeeper::resolved(const Segment& s, const Power& a, const Power& b) {
  const double peak = std::max(a.damping, b.damping), low = std::min(a.damping, b.damping);
  if (low > 1e-2 * peak) return true;
  return (s.end.t - s.begin.t) * peak < kinetic(a.damping > b.damping ? s.begin : s.end);
}

void Bookkeeper::meter(const Segment& s) {
  const double h = s.end.t - s.begin.t;
  if (!(h > 0)) {  // an event changed the velocities
    last_t_ = nan;
    return;
  }
  const Power a = last_t_ == s.begin.t ? last_ : rules_.power(s.begin, false), b = rules_.power(s.end, false);
  last_ = b, last_t_ = s.end.t;
  if (!simpson_ || !resolved(s, a, b)) {
    work_ += h * 0.5 * (a.work + b.work);
    damping_ += h * mean(a.damping, b.damping);
    rubbing_ += h * mean(a.friction, b.friction);
    return;
  }
  middle_.t = s.begin.t + h / 2;
  middle_.q = 0.5 * (s.begin.q + s.end.q) + h / 8 * (s.begin.u - s.end.u);
  middle_.u = 1.5 / h * (s.end.q - s.begin.q) - 0.25 * (s.begin.u + s.end.u);
  middle_.aux = s.end.aux;
  middle_.contacts = s.end.contacts;
  const Power m = rules_.power(middle_, true);
  work_ += h / 6 * (a.work + 4 * m.work + b.work);
  damping_ += h / 6 * (a.damping + 4 * m.damping + b.damping);
  rubbing_ += h / 6 * (a.friction + 4 * m.friction + b.friction);
}

void Bookkeeper::close(const Trust& trust, RunResult& result) const {
  Ledger& l = result.ledger;
  const State start{problem_.t0, problem_.q0, problem_.u0, {}, {}, {}};
  l.energy_start = result.energy_initial + rules_.stored(start);
  l.energy_end = result.energy_final + rules_.stored(result.final);
  l.friction = friction_ + rubbing_;
  l.impacts = loss_ - friction_ - ideal_;
  l.work = walls_ + work_, l.damping = damping_;
  if (rules_.powers() == Powers::unknown) l.work = l.damping = nan;
  l.remainder = (l.energy_end - l.energy_start) - l.work + (l.damping + l.friction + l.impacts);
  l.scale = std::max({most_kinetic_, std::abs(l.energy_end - l.energy_start), std::abs(l.work),
                      std::abs(l.damping), std::abs(l.friction), std::abs(l.impacts)});
  if (result.status == RunStatus::failed || !(result.final.t > problem_.t0)) return;
  const auto lengths = rules_.measure(result.final, reach_.cwiseMax(result.final.q.cwiseAbs()), l);
  judge(trust, lengths, result);
}

// Beyond what is trusted a run is warned of. Nobody can use one whose bodies are inside of each other, whose
// joints are torn, or whose energy came from nowhere: it fails.
void Bookkeeper::judge(const Trust& trust, const FamilyRules::Lengths& lengths, RunResult& result) const {
  // deeper than half of the bodies, or than the whole motion where bodies have no size
  const double inside = lengths.thickness > 0 ? 0.5 : 1;
  constexpr double torn = 0.1, nowhere = 10;
  const Ledger& l = result.ledger;
  const DynamicSystem& system = *problem_.system;
  const double h = step_of(method_.stepping);
  const auto say = [&](bool fails, const std::string& text) {
    if (!fails || result.status != RunStatus::finished) return result.warnings.push_back(text);
    result.status = RunStatus::failed;
    result.message = text;
  };
  // what there was to spend: not counting what the motion grew to
  const double budget = std::max(
      {first_kinetic_, std::abs(l.work), std::abs(l.damping), std::abs(l.friction), std::abs(l.impacts)});
  const double rounding = 1e-12 * (std::abs(l.energy_start) + std::abs(l.energy_end));
  if (const double part = std::abs(l.remainder) / l.scale;
      part > trust.energy && std::abs(l.remainder) > rounding)
    say(part > 0.5 && l.remainder > nowhere * budget,
        fmt::format("the scheme itself {} {:.3g} of energy, {:.2g} of the largest energy that moved: the "
                    "motion is not resolved; try steps below {:.1e}, or another --scheme",
                    l.remainder > 0 ? "made" : "lost", std::abs(l.remainder), part, h / 2));
  if (l.penetration > trust.penetration && problem_.penetration == Penetration::refuse)
    say(l.penetration > inside,
        fmt::format("contact {} ends {:.3g} deep, {:.2g} of {}; try steps below {:.1e}, or a scheme that "
                    "corrects positions (moreau-projected) or locates impacts (event capturing)",
                    system.contact_name(l.deepest), lengths.depth, l.penetration,
                    lengths.thickness > 0 ? "the thickness of its bodies" : "the extent of the motion",
                    h / 2));
  if (l.drift > trust.drift)
    say(l.drift > torn,
        fmt::format(
            "joint {} is off by {:.3g} at the end, {:.2g} of the extent of the motion; try steps below "
            "{:.1e}, or a scheme that holds joints on position level (moreau-projected, "
            "generalized-alpha)",
            system.contact_name(l.loosest), lengths.gap, l.drift, h / 2));
}

}  // namespace saltus

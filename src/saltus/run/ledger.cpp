#include "saltus/run/ledger.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/run/method.hpp"

namespace saltus {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t samples_a_stride = 256;

// Whether the order of a method is 2 at most, so that the midpoint rule is good enough.
bool is_plain(const Method& method) {
  if (std::holds_alternative<SwitchingSteps>(method.stepping)) return false;
  return family_of(method.scheme) != Family::first_order && smooth_motion(method.scheme).order <= 2;
}

// Energy that friction makes and impacts take, or the other way round, cancels: impulses that are rubbish are
// large in both, and next to them nothing else would show.
double taken_by_contacts(const Ledger& l) {
  if (std::signbit(l.friction) != std::signbit(l.impacts)) return std::abs(l.friction + l.impacts);
  return std::max(std::abs(l.friction), std::abs(l.impacts));
}

}  // namespace

Bookkeeper::Bookkeeper(const Problem& problem, const Method& method, const FamilyRules& rules)
    : problem_(problem),
      method_(method),
      rules_(rules),
      metered_(rules.powers() == Powers::known),
      odae_(problem.system->family() == Family::odae),
      // z of an ODAE need not be ẏ
      fine_(!is_plain(method) && !odae_ &&
            (as_mechanical(problem.system.get()) || problem.q0.size() == problem.u0.size())),
      reach_(problem.system->family() == Family::first_order ? Vec() : problem.q0.cwiseAbs().eval()),
      between_(as_mechanical(problem.system.get())),
      momentum_(MomentumBooks::of(problem, fine_)) {
  if (const System* system = as_mechanical(problem.system.get())) {
    const Shape shape = system->shape();
    bodies_.emplace(*system);
    mass_ = Matrix(shape.nu, shape.mass);
    flat_ = shape.flat;
    if (LoadShareWatch::has_use(*system)) shares_.emplace(*system);
    constant_mass_ = shape.constant_mass;
    if (constant_mass_) bodies_->mass(problem.t0, problem.q0, mass_);
    plain_ = flat_ && !fine_;
    middle_.q = problem.q0, middle_.u = problem.u0;
  }
  sample({problem.t0, problem.q0, problem.u0, {}, {}, {}});
  first_kinetic_ = most_kinetic_;
  if (!bodies_) return;
  Vec f(problem.u0.size());
  bodies_->force(problem.t0, problem.q0, problem.u0, f);
  // steps that vary: a time that is short for any motion
  const double own = step_of(method.stepping), h = own > 0 ? own : 1e-6 * (problem.t_end - problem.t0);
  mass_.for_each([&](int i, int j, double m) {
    if (i == j && m > 0) push_ += 0.5 * h * h * f[i] * f[i] / m;
  });
}

void Bookkeeper::memory(Memory& m) {
  m(loss_, walls_, friction_, ideal_, work_, damping_, rubbing_);
  const auto n = reach_.size();
  m(until_sample_, stride_, samples_, most_kinetic_, reach_, deepest_, deep_at_, deep_from_, deep_to_);
  m.require(deepest_ <= 0 && deep_from_.size() == deep_to_.size() &&
            (deep_from_.size() == 0 || deep_from_.size() == n));
  m.require(reach_.size() == n && until_sample_ > 0 && stride_ > 0);
  if (momentum_) momentum_->memory(m);
  if (shares_) shares_->memory(m);
}

double Bookkeeper::kinetic(const State& x) {
  if (constant_mass_ && mass_.pattern().kind == Pattern::diagonal) {  // no calls; the same sum
    const double *m = mass_.values().data(), *u = x.u.data();
    double sum = 0;
    for (Eigen::Index i = 0, n = x.u.size(); i < n; ++i) sum += u[i] * m[i] * u[i];
    return 0.5 * sum;
  }
  if (bodies_) {
    if (!constant_mass_) bodies_->mass(x.t, x.q, mass_);
    return 0.5 * mass_.bilinear(VectorArgument(x.u), VectorArgument(x.u));
  }
  if (const auto known = rules_.kinetic(x)) return *known;
  middle_.t = x.t, middle_.q = x.q;
  middle_.u.setZero(x.u.size());
  return rules_.energy(x) - rules_.energy(middle_);
}

void Bookkeeper::sample(const State& x) {
  if (++samples_ > samples_a_stride) samples_ = 1, stride_ *= 2;
  until_sample_ = stride_;
  most_kinetic_ = std::max(most_kinetic_, kinetic(x));
  double* reach = reach_.data();
  const double* q = x.q.data();
  for (Eigen::Index i = 0, n = reach_.size(); i < n; ++i) reach[i] = std::max(reach[i], std::abs(q[i]));
}

void Bookkeeper::remember_depth(const Segment& s) {
  constexpr double deeper = 1.1;
  deepest_ = deeper * s.report.min_gap, deep_at_ = s.begin.t;
  deep_from_ = s.begin.q, deep_to_ = s.end.q;
}

void Bookkeeper::go_to_middle(const Segment& s) {
  middle_.t = 0.5 * (s.begin.t + s.end.t);
  between_.half_way(s.begin.q, s.end.q, middle_.q);
  if (!flat_) return combine(0.5, s.begin.u, 0.5, s.end.u, middle_.u);
  const double h = s.end.t - s.begin.t, *from = s.begin.q.data(), *to = s.end.q.data();
  for (Eigen::Index i = 0, n = middle_.u.size(); i < n; ++i) middle_.u.data()[i] = (to[i] - from[i]) / h;
}

[[gnu::always_inline]] inline void Bookkeeper::add(double h, const Power& rate) {
  work_ += h * rate.work, damping_ += h * rate.damping, rubbing_ += h * rate.friction;
}

Power Bookkeeper::power() const {
  if (!bodies_) return rules_.power(middle_, true);
  return (*bodies_)->power(middle_.t, VectorArgument(middle_.q), VectorArgument(middle_.u),
                           bodies_->workspace());
}

Power Bookkeeper::power_within(const Segment& s, double part) {
  if (!bodies_)
    if (const auto known = rules_.power_within(s, part)) return *known;
  between_.on_cubic(s.begin, s.end, part, middle_);
  return power();
}

// Powers on the dense output of a step, at Gauss' points: four, and eight over all parts of a step that is
// shown in several. Eight are exact for the damping of a linear damper, whose u has up to eight terms.
void Bookkeeper::meter_dense(const Segment& s) {
  struct Point {
    double at, weight;
  };
  static constexpr Point four[] = {{0.069431844202973712, 0.17392742256872693},
                                   {0.33000947820757187, 0.32607257743127307},
                                   {0.66999052179242813, 0.32607257743127307},
                                   {0.93056815579702629, 0.17392742256872693}};
  static constexpr Point eight[] = {
      {0.019855071751231912, 0.050614268145188344}, {0.10166676129318664, 0.11119051722668717},
      {0.2372337950418355, 0.15685332293894352},    {0.4082826787521751, 0.18134189168918088},
      {0.5917173212478248, 0.18134189168918088},    {0.7627662049581645, 0.15685332293894352},
      {0.8983332387068134, 0.11119051722668717},    {0.9801449282487681, 0.050614268145188344}};
  const bool parts = !std::isnan(shown_from_);
  if (s.inside) {
    if (!parts) shown_from_ = s.begin.t;
    return;
  }
  const double begin = parts ? shown_from_ : s.begin.t, h = s.end.t - begin;
  shown_from_ = nan;
  const DensePiece& p = *s.dense;
  const auto nq = static_cast<int>(s.end.q.size()), nu = static_cast<int>(s.end.u.size());
  middle_.q.resize(nq), middle_.u.resize(nu);
  for (const Point& k : parts ? std::span<const Point>(eight) : std::span<const Point>(four)) {
    middle_.t = begin + k.at * h;
    const double x = (middle_.t - p.start) / p.length;
    dense_value(p.q.data(), nq, p.terms, x, middle_.q.data());
    dense_value(p.u.data(), nu, p.terms, x, middle_.u.data());
    add(k.weight * h, power());
  }
}

void Bookkeeper::meter(const Segment& s) {
  const double h = s.end.t - s.begin.t;
  if (!(h > 0)) return;
  if (s.dense && bodies_) return meter_dense(s);
  if (odae_) middle_.aux = s.end.aux, middle_.contacts = s.end.contacts;  // its multipliers
  if (fine_) {
    constexpr double gauss = 0.28867513459481288;  // ½/√3
    const Power a = power_within(s, 0.5 - gauss), b = power_within(s, 0.5 + gauss);
    // a damper that takes all the motion within a part of the step: the cubic knows nothing of it
    const double peak = h * std::max(a.damping, b.damping);
    if (!(peak > 0) || peak < std::max(kinetic(s.begin), kinetic(s.end))) {
      add(0.5 * h, a), add(0.5 * h, b);
      return;
    }
  }
  middle_.q.resize(s.end.q.size()), middle_.u.resize(s.end.u.size());
  go_to_middle(s);
  add(h, power());
}

// The same as meter() of such steps, at once: every step of a small system comes through here.
[[gnu::flatten]] void Bookkeeper::meter_plainly(const Segment& s) {
  const double h = s.end.t - s.begin.t;
  if (!(h > 0)) return;
  middle_.t = 0.5 * (s.begin.t + s.end.t);
  const double *from = s.begin.q.data(), *to = s.end.q.data();
  double *q = middle_.q.data(), *u = middle_.u.data();
  for (Eigen::Index i = 0, n = middle_.q.size(); i < n; ++i)
    q[i] = 0.5 * from[i] + 0.5 * to[i], u[i] = (to[i] - from[i]) / h;
  add(h, (*bodies_)->power(middle_.t, VectorArgument(middle_.q), VectorArgument(middle_.u),
                           bodies_->workspace()));
}

void Bookkeeper::close(const Trust& trust, RunResult& result) {
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
                      std::abs(l.damping), taken_by_contacts(l)});
  if (momentum_) l.momentum = momentum_->close(start, result.final);
  if (result.status == RunStatus::failed || !(result.final.t > problem_.t0)) return;
  const bool has_lengths = reach_.size() == result.final.q.size();
  const Vec first = has_lengths ? problem_.q0.cwiseAbs().eval() : Vec();
  const Vec reach = has_lengths ? reach_.cwiseMax(result.final.q.cwiseAbs()).eval() : Vec();
  auto lengths = rules_.measure(result.final, first, reach, l);
  lengths.t = result.final.t;
  for (const Vec* q : {&deep_from_, &deep_to_}) {
    if (q->size() == 0) continue;
    Ledger then;
    const auto deep = rules_.measure({deep_at_, *q, problem_.u0, {}, {}, {}}, first, reach, then);
    if (!(then.penetration > l.penetration)) continue;
    l.penetration = then.penetration, l.deepest = then.deepest;
    lengths.depth = deep.depth, lengths.thickness = deep.thickness, lengths.t = deep_at_;
  }
  judge(trust, lengths, result);
  if (shares_) shares_->close(result);
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
  const std::string finer = h > 0 ? fmt::format("steps below {:.1e}", h / 2) : "a smaller rtol";
  const auto say = [&](bool fails, const std::string& text) {
    if (!fails || result.status != RunStatus::finished) return result.warnings.push_back(text);
    result.status = RunStatus::failed;
    result.message = text;
  };
  // what there was to spend: not counting what the motion grew to
  const double budget =
      std::max({first_kinetic_, std::abs(l.work), std::abs(l.damping), taken_by_contacts(l)});
  // in every step, what the solver leaves of the velocities that contacts press back
  constexpr double pressed = 10;
  const double left = std::isfinite(result.residuals.contact) ? result.residuals.contact : 0,
               unsolved = pressed * left * static_cast<double>(result.stats.steps);
  const double rounding =
      std::max(1e-12 * (std::abs(l.energy_start) + std::abs(l.energy_end)), std::max(1e-9, unsolved) * push_);
  if (const double part = std::abs(l.remainder) / l.scale;
      part > trust.energy && std::abs(l.remainder) > rounding)
    say(part > 0.5 && l.remainder > nowhere * budget,
        fmt::format("the scheme itself {} {:.3g} of energy, {:.2g} of the largest energy that moved: the "
                    "motion is not resolved; try {}, or another --scheme",
                    l.remainder > 0 ? "made" : "lost", std::abs(l.remainder), part, finer));
  // Contacts do not make energy, but for what the laws of impact with friction may bring (Kane's paradox).
  constexpr double shown = 0.1;  // of what a remainder may be: impacts have no error of the scheme
  if (const double part = -l.impacts / l.scale; part > shown * trust.energy && -l.impacts > rounding)
    say(part > 0.5 &&
            -l.impacts > nowhere * std::max({first_kinetic_, std::abs(l.work), l.damping, l.friction}),
        fmt::format(
            "impacts made {:.3g} of energy, {:.2g} of the largest energy that moved: contacts that act "
            "together, or with friction and restitution, are not resolved; try {}, or "
            "--scheme moreau-jean, and compare",
            -l.impacts, part, finer));
  if (l.penetration > trust.penetration && problem_.penetration == Penetration::refuse)
    say(l.penetration > inside && lengths.t == result.final.t,
        fmt::format("contact {} {} {:.3g} deep, {:.2g} of {}; try {}, or a scheme that "
                    "corrects positions (moreau-projected) or locates impacts (event capturing)",
                    system.contact_name(l.deepest),
                    lengths.t == result.final.t ? "ends" : fmt::format("at t = {:.6g} is", lengths.t),
                    lengths.depth, l.penetration,
                    lengths.thickness > 0 ? "the thickness of its bodies" : "the extent of the motion",
                    finer));
  const auto off = [&](const char* what, std::uint64_t id, double gap, double part) {
    say(part > torn,
        fmt::format("{}{} is off by {:.3g} at the end, {:.2g} of the extent of the motion; try {}, "
                    "or a scheme that holds joints on position level (moreau-projected, "
                    "generalized-alpha)",
                    what, system.contact_name(id), gap, part, finer));
  };
  if (l.motion > trust.motion) off("", l.strayed, lengths.stray, l.motion);
  if (l.drift > std::max(trust.drift, l.motion)) off("joint ", l.loosest, lengths.gap, l.drift);
}

}  // namespace saltus

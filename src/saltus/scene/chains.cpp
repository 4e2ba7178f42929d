#include "saltus/scene/chains.hpp"

#include <cmath>

#include "saltus/catalog/bead_collision.hpp"
#include "saltus/core/error.hpp"
#include "saltus/formula/time_formula.hpp"
#include "saltus/scene/chain_beads.hpp"
#include "saltus/scene/chain_beside.hpp"

namespace saltus {
namespace {

using Of = ChainValues::Of;
using Use = SceneCompiler::Use;

constexpr double most_beads = 1e7;

double contact_force(double k, double overlap) {
  return overlap > 0 ? k * overlap * std::sqrt(overlap) : 0.0;
}

class ChainCompiler {
 public:
  explicit ChainCompiler(SceneCompiler& compiler)
      : c_(compiler), scene_(compiler.scene()), s_(*compiler.scene().chain) {}

  ChainOfScene run() {
    goes_with_others();
    N_ = whole_number(s_.beads);
    if (N_ < 1) return {};
    ChainBeads beads(c_, s_, N_);
    ChainData d;
    ChainOfScene out;
    d.m = beads.masses();
    d.k = beads.stiffness();
    laws(beads, d);
    local(beads, d);
    arrangement(beads, d);
    ends(d);
    out.q0 = beads.values(s_.position, &SceneDefect::position, {"position", Of::beads, {}, "m"}, 0);
    out.u0 = beads.values(s_.velocity, &SceneDefect::velocity, {"velocity", Of::beads, {}, "m/s"}, 0);
    d.radius = beads.radius();
    if (s_.formulation.given()) {
      if (s_.formulation.text != "x" && s_.formulation.text != "y")
        c_.complain(s_.formulation, fmt::format("found '{}', expected x or y", s_.formulation.text));
      d.formulation = s_.formulation.text == "x" ? Formulation::x : Formulation::y;
    }
    if (!c_.complaints().only_in(about_the_run)) return {};
    try {
      out.chain = std::make_shared<const Chain>(std::move(d));
      check_start(out);
    } catch (const Error& e) {
      c_.complaints().add(scene_.place_of("chain"), "chain", e.what());
    }
    if (!c_.complaints().only_in(about_the_run)) return {};
    out.h = usual_step(out);
    return out;
  }

 private:
  // Bodies and formulas go with a chain (chain_beside.hpp); what is no mechanical system, or another one that
  // is ready, does not.
  void goes_with_others() {
    const auto refuse = [&](bool there, std::string_view section) {
      if (there)
        c_.complaints().add(
            scene_.place_of(section), std::string(section),
            "this does not go with a chain; bodies, beams, coordinates, contacts and forces do "
            "(docs/how-to/scenes.md)");
    };
    refuse(!scene_.rates.empty(), "rates"), refuse(!scene_.velocities.empty(), "velocities");
    refuse(!scene_.constraints.empty(), "constraints"), refuse(scene_.ready.has_value(), "ready");
    if (has_parts_beside(scene_)) return;
    refuse(scene_.kinetic.given(), "kinetic"), refuse(scene_.gravity.given(), "gravity");
    for (const auto& e : scene_.materials.list)
      for (const Value* v : {&e.value.mu, &e.value.e_n, &e.value.e_t, &e.value.rolling})
        if (v->given()) c_.complain(*v, "of bodies; beads of a chain have young, poisson and density");
    for (const auto& e : scene_.materials.list)
      if (e.value.law.given())
        c_.complain(e.value.law.name, "of bodies; the law of a chain is in chain.beta and chain.damping");
  }

  int whole_number(const Value& v) {
    if (!v.given()) return 0;  // reported already
    const double x = c_.number_in(Range::closed(1, most_beads), v, 0);
    if (x == std::floor(x)) return static_cast<int>(x);
    c_.complain(v, fmt::format("found {}, expected a whole number", v.text));
    return 0;
  }

  // ---- damping laws
  void laws(ChainBeads& beads, ChainData& d) {
    d.betas = beads.values(s_.beta, &SceneDefect::beta, {"beta", Of::contacts, Range::at_least(1)}, 1.5);
    of_ends(d.betas, &SceneChainEnd::beta, Range::at_least(1), {});
    const bool one = (d.betas.array() == d.betas[0]).all();
    if (one) d.beta = d.betas[0];
    // the unit depends on the power; where that differs from contact to contact numbers are in SI
    const std::string unit =
        !one ? std::string()
             : with_powers("s*m^(1.5-beta)", [&](std::string_view) { return std::optional(d.beta); });
    if (s_.restitution.given()) {
      if (s_.damping.given()) c_.complain(s_.restitution.e, "damping is given too: leave one of them out");
      d.gamma = Vec::Constant(N_ + 1, from_restitution(d));
      if (!one)
        c_.complain(s_.restitution.e, "restitution needs the same beta in all contacts: give damping");
    } else {
      d.gamma = beads.values(s_.damping, &SceneDefect::damping,
                             {"damping", Of::contacts, Range::non_negative(), unit}, 0);
    }
    of_ends(d.gamma, &SceneChainEnd::damping, Range::non_negative(), unit);
    if (one) d.betas.resize(0);
  }
  // What an end says of its contact.
  void of_ends(Vec& values, Value SceneChainEnd::*field, const Range& range, std::string_view unit) {
    const auto set = [&](const SceneChainEnd& end, int n) {
      Value v = end.*field;
      v.unit = unit;
      values[n] = c_.number_in(range, v, values[n]);
      if (end.has_wall() && !range.contains(values[n]))  // of a formula, or a random number
        c_.complaints().add(end.place, n == 0 ? "chain.left" : "chain.right",
                            fmt::format("{} at contact {}: expected {}", values[n], n, to_string(range)));
      else if (!end.has_wall())
        values[n] = N_ > 1 ? values[n == 0 ? 1 : N_ - 1] : values[n];  // there is no contact
    };
    set(s_.left, 0), set(s_.right, N_);
  }
  // γ of two beads with the mean reduced mass and stiffness.
  double from_restitution(const ChainData& d) {
    const double e = c_.number_in(Range{0, 1, false, true}, s_.restitution.e, 1);
    const double speed = c_.number_in(Range::positive(), s_.restitution.at, 1);
    if (c_.complaints().about("chain")) return 0;
    double mass = 0, stiffness = 0;
    int contacts = 0;
    for (int n = 0; n <= N_; ++n) {
      if (!(d.k[n] > 0)) continue;
      const double before = n > 0 ? 1 / d.m[n - 1] : 0, after = n < N_ ? 1 / d.m[n] : 0;
      mass += 1 / (before + after), stiffness += d.k[n], ++contacts;
    }
    if (contacts == 0) return 0;
    mass /= contacts, stiffness /= contacts;
    try {
      return gamma_of(e, d.beta) / gamma_tilde_of(1, stiffness, 2 * mass, 2 * mass, speed, d.beta);
    } catch (const Error& trouble) {
      c_.complain(s_.restitution.e, trouble.what());
      return 0;
    }
  }

  // ---- what acts on single beads
  void local(ChainBeads& beads, ChainData& d) {
    d.K =
        beads.values(s_.spring, &SceneDefect::spring, {"spring", Of::beads, Range::non_negative(), "N/m"}, 0);
    d.C = beads.values(s_.drag, &SceneDefect::drag, {"drag", Of::beads, Range::non_negative(), "N s/m"}, 0);
    d.F = beads.values(s_.force, &SceneDefect::force, {"force", Of::beads, {}, "N"}, 0);
    if (const double gravity = c_.number(s_.gravity); gravity != 0) d.F += gravity * d.m;
    if (!s_.spring.given() && !beads.has_defect(&SceneDefect::spring)) d.K.resize(0);
    if (!s_.drag.given() && !beads.has_defect(&SceneDefect::drag)) d.C.resize(0);
  }

  // ---- gaps and precompression
  void arrangement(ChainBeads& beads, ChainData& d) {
    const Formula* given = nullptr;
    for (const SceneAlong* f : {&s_.gap, &s_.precompression})
      if (f->given()) note_one(given, *f);
    if (s_.preload.given()) {
      if (given) c_.complain(s_.preload, "gap or precompression is given too: leave one of them out");
      preload(d);
    } else {
      const bool gaps = s_.gap.given();
      d.a = beads.values(gaps ? s_.gap : s_.precompression,
                         gaps ? &SceneDefect::gap : &SceneDefect::precompression, offsets(gaps), 0);
      if (gaps) d.a = -d.a;
      // the other kind, of single contacts
      const Vec other =
          beads.values({}, gaps ? &SceneDefect::precompression : &SceneDefect::gap, offsets(!gaps), 0);
      for (int n = 0; n <= N_; ++n)
        if (other[n] != 0) d.a[n] = gaps ? other[n] : -other[n];
    }
    for (const auto& [end, n] : {std::pair{&s_.left, 0}, {&s_.right, N_}}) {
      if (end->gap.given() && end->precompression.given())
        c_.complain(end->gap, "the wall has either a gap or a precompression");
      if (end->gap.given()) d.a[n] = -c_.number_in(Range::non_negative(), end->gap, 0, offsets(true).hint);
      if (end->precompression.given())
        d.a[n] = c_.number_in(Range::non_negative(), end->precompression, 0, offsets(false).hint);
      if (!(d.k[n] > 0)) d.a[n] = 0;
    }
    if (s_.hold) {
      if (!s_.precompression.given())
        c_.complaints().add(scene_.place_of("chain"), "chain.hold", "there is no precompression to hold");
      if (N_ > 1 && d.k[0] == 0) d.F[0] += contact_force(d.k[1], d.a[1]);
      if (N_ > 1 && d.k[N_] == 0) d.F[N_ - 1] -= contact_force(d.k[N_ - 1], d.a[N_ - 1]);
    }
    too_deep(beads, d);
  }
  void note_one(const Formula*& known, const SceneAlong& f) {
    if (known)
      c_.complaints().add(
          f.place, f.path,
          "gap and precompression: give one of them, the other to single contacts in defects");
    known = &f.value;
  }
  static ChainValues::Quantity offsets(bool gap) {
    return {gap ? "gap" : "precompression", Of::contacts, Range::non_negative(), "m",
            gap ? "beads that overlap have a precompression" : "beads that are apart have a gap"};
  }
  // Static equilibrium: contact n carries the force at the left end and what pushes the beads before it.
  void preload(ChainData& d) {
    const double force = c_.number_in(Range::non_negative(), s_.preload, 0);
    d.a = Vec::Zero(N_ + 1);
    double sum = force;
    for (int n = 0; n <= N_; ++n) {
      if (sum < 0 && d.k[n] > 0) {
        c_.complain(s_.preload,
                    fmt::format("contact {} would be pulled with {:.4g} N: give a larger preload", n, -sum));
        return;
      }
      if (d.k[n] > 0) d.a[n] = std::pow(sum / d.k[n], 2.0 / 3);
      if (n < N_) sum += d.F[n];
    }
    if (d.k[0] == 0) d.F[0] += force;
    if (d.k[N_] == 0) d.F[N_ - 1] -= sum;
  }
  // Hertz' law is for overlaps much smaller than the beads.
  void too_deep(ChainBeads& beads, const ChainData& d) {
    const Vec& r = beads.radius();
    if (r.size() == 0) return;
    for (int n = 0; n <= N_; ++n) {
      const double least = std::min(n > 0 ? r[n - 1] : infinity, n < N_ ? r[n] : infinity);
      if (!(d.a[n] >= least)) continue;
      c_.complaints().add(
          scene_.place_of("chain"), "chain",
          fmt::format("contact {} overlaps by {:.4g} m at the start, more than the radius {:.4g} m of a bead",
                      n, d.a[n], least));
      return;
    }
  }

  // ---- ends
  /// A force that does not vary joins the constant ones, which every scheme knows.
  std::shared_ptr<const TimeFunction> push(const Formula& f, double& constant) {
    return function(f, energy_dimension / length_dimension, "the force on a bead", &constant);
  }
  std::shared_ptr<const TimeFunction> function(const Formula& f, const Dimension& dimension,
                                               std::string_view what, double* constant = nullptr) {
    if (!f.given()) return nullptr;
    const Term x = c_.compile(f, Use::positions);
    if (!x.ok) return nullptr;
    c_.expect(x, dimension, f, what);
    if (constant && c_.graph().is_number(x.node) && std::isfinite(c_.graph().node(x.node).value)) {
      *constant += c_.graph().node(x.node).value;
      return nullptr;
    }
    auto out = std::make_shared<const TimeFormula>(c_.graph(), x.node);
    if (const auto start = out->at(0); !std::isfinite(start.value) || !std::isfinite(start.rate))
      c_.complain(
          f, fmt::format("{} at the start, with the rate {}: both must be finite", start.value, start.rate));
    return out;
  }
  void ends(ChainData& d) {
    d.left_motion = function(s_.left.motion, length_dimension, "the motion of a wall");
    d.right_motion = function(s_.right.motion, length_dimension, "the motion of a wall");
    d.left_push = push(s_.left.force, d.F[0]);
    d.right_push = push(s_.right.force, d.F[N_ - 1]);
  }

  // ---- the start
  void check_start(const ChainOfScene& s) {
    if (scene_.run.accept_penetration) return;
    const ChainEnds ends = s.chain->ends(0);
    for (int n = 0; n <= N_; ++n) {
      if (s.chain->data().k[n] == 0) continue;
      const double d = s.chain->overlap(n, s.q0.data(), ends), known = std::max(s.chain->offset(n), 0.0);
      if (!(d > known * (1 + 1e-12))) continue;
      c_.complaints().add(
          s_.position.given() ? s_.position.place : scene_.place_of("chain"), "chain.position",
          fmt::format("the start overlaps by {:.4g} m at contact {}{}: write it as precompression, or set "
                      "run.accept_penetration: true",
                      d, n, known > 0 ? fmt::format(", with a precompression of {:.4g} m", known) : ""));
      return;
    }
  }
  // A tenth of the shortest time in which something happens: collisions at the largest speed of the start, or
  // vibrations about the precompression.
  double usual_step(const ChainOfScene& s) const {
    const ChainData& d = s.chain->data();
    double speed = s.u0.cwiseAbs().maxCoeff(), least = infinity;
    const double end = c_.number(scene_.run.t_end, 1);
    for (int i = 0; i <= 100; ++i) {
      const ChainEnds e = s.chain->ends(end * i / 100);
      speed = std::max({speed, std::abs(e.left_rate), std::abs(e.right_rate)});
    }
    for (int n = 0; n <= N_; ++n) {
      if (!(d.k[n] > 0)) continue;
      const double m = 1 / ((n > 0 ? 1 / d.m[n - 1] : 0) + (n < N_ ? 1 / d.m[n] : 0));
      if (speed > 0) least = std::min(least, std::pow(m / d.k[n], 0.4) * std::pow(speed, -0.2));
      if (const double a = s.chain->offset(n); a > 0)
        least = std::min(least, std::sqrt(m / (1.5 * d.k[n] * std::sqrt(a))));
    }
    return std::isfinite(least) && least > 0 ? 0.1 * least : end > 0 ? 1e-3 * end : 1e-3;
  }

  SceneCompiler& c_;
  const Scene& scene_;
  const SceneChain& s_;
  int N_ = 0;
};

}  // namespace

ChainOfScene compile_chain(SceneCompiler& compiler) {
  return ChainCompiler(compiler).run();
}

}  // namespace saltus

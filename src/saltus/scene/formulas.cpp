#include "saltus/scene/formulas.hpp"

#include "saltus/core/error.hpp"
#include "saltus/scene/bodies.hpp"
#include "saltus/scene/driven_start.hpp"
#include "saltus/scene/space.hpp"
#include "saltus/system/sum_system.hpp"

namespace saltus {
namespace {

using Id = Graph::Id;
using Use = SceneCompiler::Use;

constexpr int most_coordinates = 30000;  // of a scene

class SystemCompiler {
 public:
  explicit SystemCompiler(SceneCompiler& compiler)
      : c_(compiler), scene_(compiler.scene()), g_(compiler.graph()) {}

  SceneSystem run() {
    SceneSystem out;
    if (scene_.space && !c_.space()) return out;  // reported
    if (c_.space() && !has_space_formulas(c_))
      return {c_.space()->system, c_.space()->q0, c_.space()->u0, nullptr, {}};
    d_.in = c_.in();
    n_ = d_.in.n, nq_ = d_.in.nq(), own_ = c_.own();
    out.q0.resize(nq_), out.u0.setZero(n_);
    for (int i = 0; i < nq_; ++i) out.q0[i] = c_.coordinates()[i].start;
    for (int i = 0; i < (c_.space() ? own_ : n_); ++i) out.u0[i] = c_.coordinates()[i].velocity;
    if (c_.space()) out.u0.tail(n_ - own_) = c_.space()->u0;
    if (n_ == 0 && c_.complaints().only_in(about_the_run)) {
      const bool bodies = !scene_.bodies.empty() || !scene_.groups.empty();
      c_.complaints().add(scene_.place_of(scene_.bodies.empty() ? "groups" : "bodies"),
                          bodies ? "bodies" : "",
                          bodies ? "none of the bodies can move"
                                 : "the scene has no system: give coordinates, bodies, beams or ready");
      return out;
    }
    if (n_ > most_coordinates && !c_.space()) {
      c_.complaints().add({1, 1}, "",
                          fmt::format("{} coordinates are too many: at most {}", n_, most_coordinates));
      return out;
    }
    if (c_.is_odae()) return compile_odae(c_, std::move(out));
    if (!scene_.rates.empty()) return compile_ode(c_, std::move(out));
    if (!scene_.reactions.empty())
      c_.complaints().add(scene_.reactions.list[0].place, "reactions",
                          "reactions belong to an overdetermined DAE: give velocities and constraints");
    mass();
    energies();
    forces();
    if (c_.space()) add_space_pushes(c_, d_);
    contacts();
    if (powered_) out.friction_power = power_;
    joints();
    motions(out.q0);
    auto linked = add_body_formulas(c_, d_);
    if (!c_.complaints().only_in(about_the_run)) return out;
    try {
      const auto bodies = rigid_system(c_, std::move(linked));
      if (!c_.complaints().only_in(about_the_run)) return out;
      auto system = assembled(bodies, out.soft);
      fit_start(*system, out);
      out.system = std::move(system);
    } catch (const Error& e) {
      const std::string_view section = !scene_.bodies.empty()   ? "bodies"
                                       : !scene_.groups.empty() ? "groups"
                                       : !scene_.beams.empty()  ? "beams"
                                                                : "";
      c_.complaints().add(scene_.place_of(section), std::string(section), e.what());
    }
    return out;
  }

 private:
  void fit_start(const System& system, SceneSystem& out) {
    std::vector<char> given;
    for (const auto& x : c_.coordinates()) given.push_back(x.velocity_given);
    given.resize(n_);  // bodies in space have all of theirs
    try {
      fit_start_velocities(system, 0, out.q0, given, out.u0);
    } catch (const Error& e) {
      const std::string_view drives = scene_.motions.empty() ? "motors" : "motions";
      c_.complaints().add(scene_.place_of(drives), std::string(drives), e.what());
    }
  }

  // Formulas or bodies alone, or formulas added to the bodies and the ready system.
  std::shared_ptr<const System> assembled(const std::shared_ptr<const RigidSystem>& bodies,
                                          const ViscoelasticSystem*& soft) {
    const auto space = c_.space() ? c_.space()->system : nullptr;
    if (bodies && !c_.ready() && bodies->coordinates() == n_ && !has_formulas())
      return soft = bodies->viscoelastic(), bodies;
    d_.graph = g_;  // settings of the run are read with the other one
    d_.parameters = c_.parameter_values();
    auto formulas = std::make_shared<const FormulaSystem>(std::move(d_));
    soft = formulas->viscoelastic();
    if (!bodies && !c_.ready() && c_.beams().empty() && !space) return formulas;
    std::vector<SystemPart> parts = {{std::move(formulas), 0, -1, soft, space != nullptr}};
    if (space) parts.push_back({space, own_});
    if (const auto& ready = c_.ready())
      parts.push_back({std::static_pointer_cast<const System>(ready->problem.problem.system), ready->first});
    parts.insert(parts.end(), c_.beams().begin(), c_.beams().end());
    if (bodies) parts.push_back({bodies, n_ - bodies->coordinates(), -1, bodies->viscoelastic()});
    auto sum = std::make_shared<SumSystem>(nq_, n_, std::move(parts));
    soft = sum->viscoelastic();
    return sum;
  }

  bool has_formulas() const {
    return !d_.mass.empty() || !g_.is_zero(d_.kinetic) || !d_.potentials.empty() || !d_.contacts.empty() ||
           !d_.compliances.empty() ||
           !std::all_of(d_.forces.begin(), d_.forces.end(), [&](Id f) { return g_.is_zero(f); });
  }

  int coordinate(const std::string& name, Place place, const std::string& path) {
    return c_.find(c_.coordinates(), "coordinate", name, place, path);
  }
  std::string rate_name(int j) const {
    return c_.space() && j >= own_ ? c_.space()->velocities[j - own_] : c_.coordinates()[j].name + "'";
  }
  // a over the dimension of the coordinate, where that is known
  std::optional<Dimension> over(const std::optional<Dimension>& a, int i) const {
    const auto& b = c_.coordinates()[i].dimension;
    return a && b ? std::optional(*a / *b) : std::nullopt;
  }

  // The coordinate, with a hint where its unit may have been forgotten.
  std::string named(int i) const {
    const std::string& name = c_.coordinates()[i].name;
    const auto& dimension = c_.coordinates()[i].dimension;
    const bool pure =
        i < own_ && dimension && dimension->is_number() && c_.units() == SceneCompiler::Units::all;
    return pure ? fmt::format("{} (a pure number, as its start has no unit)", name) : name;
  }

  void mass() {
    const auto& m = scene_.mass;
    if (own_ == 0) {
      constexpr auto text = "bodies have their masses; there are no other coordinates";
      if (m.given()) c_.complaints().add(m.place, "mass", text);
      if (scene_.kinetic.given()) c_.complain(scene_.kinetic, text);
      return;
    }
    if (m.given() && scene_.kinetic.given())
      c_.complain(scene_.kinetic, "give either a mass matrix or a kinetic energy, not both");
    if (!m.given() && !scene_.kinetic.given())
      c_.complaints().add(scene_.coordinates.list[0].place, "mass",
                          "the inertia is missing: give mass (a matrix) or kinetic (an energy)");
    if (!m.given()) return;
    const auto entry = [&](const Formula& f, int i, int j) {
      const Term x = c_.compile(f, Use::positions);
      const Dimension action = energy_dimension * time_dimension.power(2);
      c_.expect(x, over(over(action, i), j), f,
                i == j ? "the mass of " + named(i) : fmt::format("the mass of {}, {}", named(i), named(j)));
      d_.mass.push_back({i, j, x.node});
    };
    std::vector<char> seen(n_, 0);
    for (const auto& [name, place, f] : m.diagonal.list) {
      const int i = coordinate(name, place, "mass." + name);
      if ((c_.space() && i >= own_) ||
          std::any_of(c_.rigids().begin(), c_.rigids().end(),
                      [&](const SceneRigid& r) { return r.first >= 0 && i >= r.first; }))
        c_.complaints().add(place, "mass." + name, "a body has its mass: give it there");
      if (i >= 0) entry(f, i, i), seen[i] = 1;
    }
    if (m.rows.empty()) {
      const bool reported = c_.complaints().about("mass");  // a misspelt name, say
      for (int i = 0; i < own_; ++i)
        if (!seen[i] && !reported)
          c_.complaints().add(m.place, "mass",
                              fmt::format("the mass of {} is missing", c_.coordinates()[i].name));
      return;
    }
    if (static_cast<int>(m.rows.size()) != own_)
      c_.complaints().add(m.place, "mass", fmt::format("{} rows for {} coordinates", m.rows.size(), own_));
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
      if (static_cast<int>(m.rows[i].size()) != own_)
        c_.complaints().add(m.place, fmt::format("mass.{}", i),
                            fmt::format("{} entries for {} coordinates", m.rows[i].size(), own_));
      for (std::size_t j = 0; j < m.rows[i].size(); ++j)
        if (static_cast<int>(std::max(i, j)) < own_)
          entry(m.rows[i][j], static_cast<int>(i), static_cast<int>(j));
    }
    check_symmetry(own_);
  }

  // At the start: two formulas may be equal without looking alike.
  void check_symmetry(int own) {
    std::vector<double> x(static_cast<std::size_t>(own) * own, 0.0);
    std::vector<Id> nodes;
    for (const auto& e : d_.mass) nodes.push_back(e.node);
    TapeRoom room;
    Tape(g_, nodes).evaluate(
        [&](int k) { return k == 0 || k > nq_ ? 0.0 : c_.coordinates()[k - 1].start; },
        [&](int k, double value) { x[d_.mass[k].row * own + d_.mass[k].column] = value; }, room);
    for (int i = 0; i < own; ++i)
      for (int j = 0; j < i; ++j)
        if (const double a = x[i * own + j], b = x[j * own + i];
            std::abs(a - b) > 1e-12 * (std::abs(a) + std::abs(b)))
          c_.complaints().add(
              scene_.mass.place, "mass",
              fmt::format("the matrix is not symmetric: entries [{}][{}] = {} and [{}][{}] = {} at the start",
                          i, j, a, j, i, b));
  }

  void energies() {
    if (scene_.kinetic.given()) {
      const Term x = c_.compile(scene_.kinetic, Use::velocities);
      c_.expect(x, energy_dimension, scene_.kinetic, "an energy");
      d_.kinetic = x.node;
      if (x.ok && !c_.complaints().about("kinetic")) check_kinetic(x.node);
    }
    if (scene_.potential.given()) {
      const Term x = c_.compile(scene_.potential, Use::positions);
      c_.expect(x, energy_dimension, scene_.potential, "an energy");
      d_.potentials.push_back(x.node);
    }
  }

  void check_kinetic(Id energy) {
    const auto problem = [&](std::string text) { c_.complain(scene_.kinetic, std::move(text)); };
    const auto inputs = g_.inputs_of(energy);
    for (const int i : inputs)
      for (const int j : inputs)
        if (std::min(i, j) >= d_.in.u(0) &&
            g_.depends(g_.derivative(g_.derivative(energy, i), j), d_.in.u(0), d_.in.u(n_)))
          return problem(fmt::format("the kinetic energy is not quadratic in {}", rate_name(j - d_.in.u(0))));
    if (c_.space() && g_.depends(energy, d_.in.u(own_), d_.in.u(n_)))
      return problem(
          "bodies in space have their kinetic energy: this one is of the other coordinates' velocities");
    for (int i = 0; i < own_; ++i)
      if (!g_.depends(energy, d_.in.u(i), d_.in.u(i) + 1))
        problem(fmt::format("{0}' does not occur: {0} would have no mass", c_.coordinates()[i].name));
  }

  void forces() {
    d_.forces.assign(n_, g_.number(0));
    for (const auto& e : scene_.forces.list) {
      const int i = coordinate(e.name, e.place, "forces." + e.name);
      const Term x = c_.compile(e.value, Use::velocities);
      if (i < 0) continue;
      c_.expect(x, over(energy_dimension, i), e.value, "the force on " + named(i));
      if (c_.space() && i >= own_)
        push_along(c_, i, x.node, {e.name, "forces." + e.name, e.place}, d_);
      else
        d_.forces[i] = x.node;
    }
  }

  void contacts() {
    for (const auto& e : scene_.contacts.list) {
      const SceneContact& contact = e.value;
      const Term gap = contact.gap.given() ? c_.compile(contact.gap, Use::positions) : Term{};
      if (gap.ok && !g_.depends(gap.node, d_.in.q(0), d_.in.q(nq_)))
        c_.complain(contact.gap, "a gap is a formula of coordinates: none occurs here");
      std::vector<Term> slip_terms;
      for (const Formula& f : contact.slip.list) slip_terms.push_back(slip(f));
      for (std::size_t i = 0; i < slip_terms.size(); ++i)  // friction is mu times the force of the gap
        if (gap.dimension)
          c_.expect(slip_terms[i], *gap.dimension / time_dimension, contact.slip.list[i],
                    "a slip beside this gap");
      if (!contact.law.given()) continue;  // reported already
      std::optional<Dimension> length = gap.dimension;
      if (!contact.gap.given() && !slip_terms.empty() && slip_terms[0].dimension)
        length = *slip_terms[0].dimension * time_dimension;
      const SceneLaw law = c_.choose(contact.law, length);
      if (const auto* relay = std::get_if<Relay>(&law); relay && relay->lower > relay->upper)
        c_.complain(contact.law.name,
                    fmt::format("lower = {} exceeds upper = {}", relay->lower, relay->upper));
      const auto problem = [&](std::string message) {
        c_.complaints().add(e.place, "contacts." + e.name, std::move(message));
      };
      const bool power = std::holds_alternative<PowerFrictionContact>(law);
      const bool wants_gap = law.index() >= 6 || law.index() <= 2 || law.index() == 5;
      const int slips = std::holds_alternative<Coulomb>(law) ? std::get<Coulomb>(law).tangents
                        : std::holds_alternative<RollingFriction>(law)
                            ? FrictionDiscs(std::get<RollingFriction>(law)).rows() - 1
                        : std::holds_alternative<Tresca>(law)         ? std::get<Tresca>(law).tangents
                        : std::holds_alternative<Relay>(law) || power ? 1
                                                                      : 0;
      if (c_.complaints().about("contacts." + e.name + ".law")) continue;
      if (wants_gap != contact.gap.given() && !c_.complaints().about_field("contacts." + e.name, "gap"))
        problem(fmt::format("the law {} {}", contact.law.name.text,
                            wants_gap ? "needs a gap" : "has no gap: leave it out"));
      if (static_cast<int>(contact.slip.list.size()) != slips &&
          !c_.complaints().about_field("contacts." + e.name, "slip"))
        problem(fmt::format("the law {} needs {} slip{}, found {}", contact.law.name.text, slips,
                            slips == 1 ? "" : "s", contact.slip.list.size()));
      if (power || std::holds_alternative<Coulomb>(law))
        note_power(contact.law.name, power ? std::get<PowerFrictionContact>(law).p : 1, power);
      FormulaContact out{e.name, {}, {}};
      if (contact.gap.given()) out.rows.push_back(gap.node);
      for (const Term& t : slip_terms) out.rows.push_back(t.node);
      std::visit(
          [&]<class L>(const L& l) {
            if constexpr (std::is_constructible_v<Law, L>)
              out.law = l, d_.contacts.push_back(std::move(out));
            else if constexpr (std::is_same_v<L, PowerFrictionContact>)
              out.law = Coulomb{l.mu, l.e_n, 0, 1}, d_.contacts.push_back(std::move(out));
            else
              d_.compliances.push_back({gap.ok ? gap.node : g_.number(0), compliance_of(l)});
          },
          law);
    }
  }

  // One power of all contacts with friction.
  void note_power(const Word& law, double p, bool own) {
    if (power_ != 0 && p != power_)
      c_.complain(
          law, fmt::format("friction with the powers {} and {} of the normal force does not go together in "
                           "one scene",
                           power_, p));
    power_ = p, powered_ |= own;
  }

  Term slip(const Formula& f) {
    Term x = c_.compile(f, Use::velocities);
    const auto problem = [&](std::string text) { c_.complain(f, std::move(text)), x.ok = false; };
    if (x.ok && !g_.depends(x.node, d_.in.u(0), d_.in.u(n_)))
      problem("a slip is a velocity: no velocity occurs here (that of x is written x')");
    for (const int k : g_.inputs_of(x.node))
      if (x.ok && k >= d_.in.u(0) && g_.depends(g_.derivative(x.node, k), d_.in.u(0), d_.in.u(n_)))
        problem(fmt::format("a slip is linear in the velocities; this one is not in {}",
                            rate_name(k - d_.in.u(0))));
    return x;
  }

  void joints() {
    for (const auto& e : scene_.joints.list) {
      FormulaContact out{e.name, Equality{static_cast<int>(e.value.list.size())}, {}};
      if (e.value.list.empty() || e.value.list.size() > max_block_rows) {
        c_.complaints().add(
            e.place, "joints." + e.name,
            fmt::format("{} formulas; a joint has 1 to {}", e.value.list.size(), max_block_rows));
        continue;
      }
      for (const Formula& f : e.value.list) {
        const Term x = c_.compile(f, Use::positions);
        if (x.ok && !g_.depends(x.node, d_.in.q(0), d_.in.q(nq_)))
          c_.complain(f, "a joint holds a formula of coordinates at zero: none occurs here");
        out.rows.push_back(x.node);
      }
      d_.contacts.push_back(std::move(out));
    }
  }

  // q_i = f(t), and f(0) is where it starts unless the scene says so
  void motions(Vec& q0) {
    for (const auto& e : scene_.motions.list) {
      const int i = coordinate(e.name, e.place, "motions." + e.name);
      const Term x = c_.compile(e.value, Use::positions);
      if (i < 0 || !x.ok) continue;
      c_.expect(x, c_.coordinates()[i].dimension, e.value, "the motion of " + e.name);
      if (g_.depends(x.node, d_.in.q(0), d_.in.u(0)))
        c_.complain(e.value, "a prescribed motion is a formula of t and parameters");
      else if (TapeRoom room; !c_.coordinates()[i].start_given)
        Tape(g_, {&x.node, 1})
            .evaluate([](int) { return 0.0; }, [&](int, double start) { q0[i] = start; }, room);
      d_.contacts.push_back(
          {"motion of " + e.name, Equality{1}, {g_.subtract(g_.input(d_.in.q(i)), x.node)}});
    }
  }

  SceneCompiler& c_;
  const Scene& scene_;
  Graph& g_;
  FormulaData d_;
  int n_ = 0, nq_ = 0, own_ = 0;  // velocities, coordinates; those of the section, without the refused
  double power_ = 0;              // of the friction
  bool powered_ = false;
};

}  // namespace

SceneSystem compile_system(SceneCompiler& compiler) {
  return SystemCompiler(compiler).run();
}

}  // namespace saltus

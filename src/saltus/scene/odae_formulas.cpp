// Overdetermined DAEs of scenes: rates of coordinates and velocities, reactions of multipliers, constraints.
#include "saltus/core/error.hpp"
#include "saltus/scene/formulas.hpp"

namespace saltus {
namespace {

using Id = Graph::Id;
using Use = SceneCompiler::Use;

class OdaeCompiler {
 public:
  explicit OdaeCompiler(SceneCompiler& c) : c_(c), scene_(c.scene()), g_(c.graph()) {
    d_.in = c.odae_inputs();
  }

  SceneSystem run(SceneSystem out) {
    alone();
    rates();
    reactions();
    constraints();
    energy();
    out.u0.resize(d_.in.nz);
    for (std::size_t i = 0; i < c_.velocities().size(); ++i) out.u0[i] = c_.velocities()[i].start;
    if (!c_.complaints().only_in(about_the_run)) return out;
    d_.graph = g_;
    d_.parameters = c_.parameter_values();
    try {
      out.system = std::make_shared<FormulaOdae>(std::move(d_));
    } catch (const Error& e) {
      c_.complaints().add(scene_.constraints.list[0].place, "constraints", e.what());
    }
    return out;
  }

 private:
  void alone() {
    const Place place =
        scene_.velocities.empty() ? scene_.constraints.list[0].place : scene_.velocities.list[0].place;
    if (scene_.velocities.empty())
      c_.complaints().add(place, "velocities", "constraints act on velocities, and there are none");
    if (scene_.constraints.empty())
      c_.complaints().add(place, "constraints",
                          "velocities of their own belong to a system with constraints; for an ordinary "
                          "differential equation put them under coordinates");
    if (scene_.mass.given() || !scene_.forces.empty() || !scene_.contacts.empty() || !scene_.joints.empty() ||
        !scene_.bodies.empty() || !scene_.groups.empty() || !scene_.beams.empty() ||
        !scene_.motions.empty() || scene_.ready)
      c_.complaints().add(place, "velocities",
                          "an overdetermined DAE stands alone: no mass, forces, contacts, joints or bodies");
    for (const auto& x : scene_.coordinates.list)
      if (x.value.velocity.given())
        c_.complain(x.value.velocity, "here velocities are variables of their own, under `velocities`");
  }

  // Of one formula per name among coordinates or velocities.
  void put(const Named<Formula>::Entry& e, const std::string& path, Use use, std::vector<Id>* y,
           std::vector<Id>& z) {
    std::vector<SceneCompiler::Coordinate> all;
    if (y) all = c_.coordinates();
    all.insert(all.end(), c_.velocities().begin(), c_.velocities().end());
    const int i = c_.find(all, y ? "coordinate or velocity" : "velocity", e.name, e.place, path);
    const Term x = c_.compile(e.value, use);
    if (i < 0) return;
    if (path.find("impact") == std::string::npos)
      if (const auto& d = all[i].dimension)
        c_.expect(x, *d / time_dimension, e.value, "the rate of " + e.name);
    const int first = y ? d_.in.ny : 0;
    (i < first ? (*y)[i] : z[i - first]) = x.node;
  }

  void rates() {
    d_.v.assign(d_.in.ny, -1), d_.f.assign(d_.in.nz, g_.number(0));
    for (const auto& e : scene_.rates.list) put(e, "rates." + e.name, Use::velocities, &d_.v, d_.f);
    const bool reported = c_.complaints().about("rates");
    for (int i = 0; i < d_.in.ny; ++i)
      if (d_.v[i] < 0 && !reported)
        c_.complaints().add(scene_.place_of(!scene_.rates.empty()        ? "rates"
                                            : scene_.constraints.empty() ? "velocities"
                                                                         : "constraints"),
                            "rates", fmt::format("the rate of {} is missing", c_.coordinates()[i].name));
  }

  void reactions() {
    d_.r.assign(d_.in.nz, g_.number(0));
    for (const auto& e : scene_.reactions.list)
      put(e, "reactions." + e.name, Use::multipliers, nullptr, d_.r);
    const bool reported = c_.complaints().about("reactions");
    for (int k = 0; k < d_.in.m && !reported; ++k) {
      bool used = false;
      for (const Id r : d_.r) used = used || g_.depends(r, d_.in.psi(k), d_.in.psi(k) + 1);
      const auto& e = scene_.constraints.list[k];
      if (!used && e.value.multiplier.given() && !c_.complaints().about(e.value.multiplier.path))
        c_.complain(e.value.multiplier, fmt::format("no reaction uses '{}'", e.value.multiplier.text));
    }
  }

  void constraints() {
    bool directions = false;
    for (const auto& e : scene_.constraints.list) directions = directions || !e.value.impact.empty();
    if (directions) d_.impact.assign(static_cast<std::size_t>(d_.in.nz) * d_.in.m, g_.number(0));
    for (int k = 0; k < d_.in.m; ++k) {
      const auto& [name, place, c] = scene_.constraints.list[k];
      d_.g.push_back(c.gap.given() ? c_.compile(c.gap, Use::positions).node : g_.number(0));
      const double e = c_.number_in(Range::closed(0, 1), c.e, 0);
      if (c.e.given() && !c.unilateral) c_.complain(c.e, "only a unilateral constraint has restitution");
      d_.constraints.push_back({name, c.unilateral, e});
      d_.first.push_back(c_.number(c.first, 1));
      if (!directions) continue;
      std::vector<Id> column(d_.in.nz, g_.number(0));
      for (const auto& entry : c.impact.list)
        put(entry, fmt::format("constraints.{}.impact.{}", name, entry.name), Use::velocities, nullptr,
            column);
      if (c.unilateral && c.impact.empty())
        c_.complaints().add(place, "constraints." + name,
                            "its impact is missing: other constraints give theirs");
      for (int i = 0; i < d_.in.nz; ++i) d_.impact[i * d_.in.m + k] = column[i];
    }
  }

  void energy() {
    for (const Formula* f : {&scene_.kinetic, &scene_.potential}) {
      if (!f->given()) continue;
      const Term x = c_.compile(*f, Use::velocities);
      c_.expect(x, energy_dimension, *f, "an energy");
      d_.energy = d_.energy ? g_.add(*d_.energy, x.node) : x.node;
    }
  }

  SceneCompiler& c_;
  const Scene& scene_;
  Graph& g_;
  OdaeFormulas d_;
};

}  // namespace

SceneSystem compile_odae(SceneCompiler& compiler, SceneSystem start) {
  return OdaeCompiler(compiler).run(std::move(start));
}

}  // namespace saltus

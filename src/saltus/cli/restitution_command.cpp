// From a measured coefficient of restitution to the damping of the contact law, and back.
#include <CLI/CLI.hpp>
#include <cmath>
#include <ostream>

#include "saltus/catalog/bead_collision.hpp"
#include "saltus/chain/sphere_materials.hpp"
#include "saltus/cli/commands.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/scene/units.hpp"

namespace saltus::cli {
namespace {

struct RestitutionOptions {
  std::string e, gamma, output, material, radius, velocity_text;
  double beta = 1.5;
  std::optional<double> k, m1, m2, velocity;
  bool json = false;
};

double with_unit(const std::string& text, std::string_view unit, const char* option) {
  const auto n = parse_unit_number(text);
  if (!n) fail("{} {}: not a number", option, text);
  if (n->has_unit && !(n->dimension == parse_unit(unit).dimension))
    fail("{} {}: found {}, expected a value in {}", option, text, described(n->dimension), unit);
  return n->value;
}

// Two equal beads of a material that has a name.
void use_material(RestitutionOptions& o) {
  if (!o.velocity_text.empty()) o.velocity = with_unit(o.velocity_text, "m/s", "--velocity");
  if (o.material.empty() != o.radius.empty()) fail("--material and --radius belong together: give both");
  if (o.material.empty()) return;
  if (o.k || o.m1 || o.m2)
    fail("--material and --radius give stiffness and masses: leave out --k, --m1 and --m2");
  if (!o.velocity) fail("--material and --radius need --velocity too");
  const NamedMaterial* known = find_sphere_material(o.material);
  if (!known) {
    std::vector<std::string> names;
    for (const NamedMaterial& m : sphere_materials()) names.emplace_back(m.name);
    fail("unknown material '{}'{}; known: {}", o.material, suggestion(o.material, names), listed(names));
  }
  const Sphere bead{with_unit(o.radius, "m", "--radius"), known->material};
  if (!(bead.radius > 0)) fail("--radius {}: must be above 0", o.radius);
  o.k = hertz_stiffness(bead, bead), o.m1 = o.m2 = mass_of(bead);
}

std::vector<double> numbers(const std::string& list, const char* name) {
  std::vector<double> out;
  std::string rest = list + ",";
  for (std::size_t end; (end = rest.find(',')) != std::string::npos; rest.erase(0, end + 1))
    out.push_back(parse_number(rest.substr(0, end), name));
  return out;
}

int execute(RestitutionOptions o, Console& io) {
  io.json = o.json;
  use_material(o);
  if (o.e.empty() == o.gamma.empty())
    fail("give either --e (restitution) or --gamma (damping), one value or several");
  const bool units = o.k || o.m1 || o.m2 || o.velocity;
  if (units && !(o.k && o.m1 && o.m2 && o.velocity))
    fail("damping and duration with units need all of --k, --m1, --m2 and --velocity");
  if (!o.output.empty()) check_writable(o.output);
  const bool from_e = !o.e.empty();
  std::string text = fmt::format(
      "{:>12} {:>18} {:>18} {:>14} {:>14}{}\n", "e", "gamma_tilde", "duration/T", "depth/(T V)",
      "force T/(m V)",
      units ? fmt::format(" {:>18} {:>14} {:>14} {:>14}", "gamma", "duration [s]", "depth [m]", "force [N]")
            : "");
  std::string csv = units ? "e,gamma_tilde,duration,gamma_s,duration_s,depth,force,depth_m,force_N\n"
                          : "e,gamma_tilde,duration,depth,force\n";
  Json rows = Json::array();
  for (double x : numbers(from_e ? o.e : o.gamma, from_e ? "--e" : "--gamma")) {
    const double g = from_e ? gamma_of(x, o.beta) : x;
    const BeadCollision c = collide(g, o.beta);
    const double e = from_e ? x : restitution_of(g, o.beta);  // exactly 1 without damping
    Json row = {{"e", number(e)},
                {"gamma_tilde", number(g)},
                {"duration", number(c.duration)},
                {"depth", number(c.depth)},
                {"force", number(c.force)}};
    text += fmt::format("{:>12.8g} {:>18.12g} {:>18.12g} {:>14.8g} {:>14.8g}", e, g, c.duration, c.depth,
                        c.force);
    csv += fmt::format("{},{},{}", e, g, c.duration);
    if (!units) csv += fmt::format(",{},{}", c.depth, c.force);
    if (units) {
      const double gamma = g / gamma_tilde_of(1, *o.k, *o.m1, *o.m2, *o.velocity, o.beta);
      const double duration = c.duration * collision_time_unit(*o.k, *o.m1, *o.m2, *o.velocity);
      const double T = collision_time_unit(*o.k, *o.m1, *o.m2, *o.velocity), length = T * *o.velocity;
      const double depth = c.depth * length, force = c.force * *o.k * length * std::sqrt(length);
      for (double value : {gamma, duration, depth, force})
        if (std::isnan(value) || (std::isinf(value) && std::isfinite(c.duration)))
          fail(
              "--k {}, --m1 {}, --m2 {}, --velocity {}: the time unit is beyond what numbers hold; check the "
              "units",
              *o.k, *o.m1, *o.m2, *o.velocity);
      row["gamma_s"] = number(gamma), row["duration_s"] = number(duration);
      row["depth_m"] = number(depth), row["force_N"] = number(force);
      text += fmt::format(" {:>18.12g} {:>14.8g} {:>14.8g} {:>14.8g}", gamma, duration, depth, force);
      csv += fmt::format(",{},{},{},{},{},{}", gamma, duration, c.depth, c.force, depth, force);
    }
    rows.push_back(std::move(row));
    text += "\n", csv += "\n";
  }
  Json out = {{"beta", o.beta}, {"status", "finished"}, {"rows", std::move(rows)}};
  if (!o.output.empty()) {
    write_file(o.output, csv);
    out["files"] = {o.output};
    text += fmt::format("wrote {}\n", o.output);
  }
  io.out << (o.json ? json_text(out) + "\n" : text);
  return success;
}

}  // namespace

void add_restitution(CLI::App& app, Action& action) {
  auto options = std::make_shared<RestitutionOptions>();
  CLI::App* c = app.add_subcommand(
      "restitution", "two beads collide: restitution, duration, depth and force from damping, and back");
  c->add_option("--e", options->e, "coefficients of restitution, e1,e2,…: prints the damping");
  c->add_option("--gamma", options->gamma, "dimensionless damping, g1,g2,…: prints restitution and duration");
  c->add_option("--beta", options->beta,
                "damping law: 1 dashpot, 3/2 Kuwabara-Kono (default), 5/2 Simon-Hunt-Crossley");
  c->add_option("--k", options->k, "stiffness of the contact, force = k d^(3/2), for values with units");
  c->add_option("--m1", options->m1, "mass of one bead");
  c->add_option("--m2", options->m2, "mass of the other");
  c->add_option("--velocity", options->velocity_text, "with which they approach");
  c->add_option("--material", options->material,
                "of two equal beads (saltus list materials), instead of --k, --m1 and --m2");
  c->add_option("--radius", options->radius, "of the two beads, as 9.5mm");
  c->add_option("-o,--output", options->output, "write the rows as CSV");
  c->add_flag("--json", options->json, "print one JSON object");
  c->callback([options, &action] { action = [options](Console& io) { return execute(*options, io); }; });
}

}  // namespace saltus::cli

#include "saltus/scene/chain_beside.hpp"

#include <algorithm>
#include <map>

namespace saltus {
namespace {

constexpr int most_beads_beside = 2000;

class Expansion {
 public:
  Expansion(const SceneNode& tree, const ChainOfScene& chain, SceneCompiler& c)
      : tree_(tree), chain_(chain), d_(chain.chain->data()), c_(c), place_(c.scene().place_of("chain")) {}

  SceneNode run() {
    const auto k = std::find(tree_.keys.begin(), tree_.keys.end(), "chain") - tree_.keys.begin();
    tree_.items.erase(tree_.items.begin() + k), tree_.keys.erase(tree_.keys.begin() + k);
    if (k < std::ssize(tree_.key_places)) tree_.key_places.erase(tree_.key_places.begin() + k);
    drop_bead_materials();
    const int n = chain_.chain->beads();
    for (int i = 0; i < n; ++i) add_bead(i);
    for (int i = 0; i <= n; ++i)
      if (d_.k[i] > 0) add_contact(i);
    return std::move(tree_);
  }

 private:
  static std::string bead(int i) { return fmt::format("bead{}", i); }

  SceneNode scalar(std::string text) const {
    SceneNode out;
    out.kind = SceneNode::Kind::scalar, out.place = place_, out.text = std::move(text);
    return out;
  }
  SceneNode number(double x, std::string_view unit) const {
    return scalar(unit.empty() ? fmt::format("{}", x) : fmt::format("{} {}", x, unit));
  }
  SceneNode map() const {
    SceneNode out;
    out.kind = SceneNode::Kind::map, out.place = place_;
    return out;
  }
  static void put(SceneNode& map, const std::string& key, SceneNode value) {
    map.entry(key) = std::move(value);
  }
  SceneNode& section(const std::string& name) {
    SceneNode& out = tree_.entry(name);
    if (out.kind == SceneNode::Kind::null) out.kind = SceneNode::Kind::map, out.place = place_;
    return out;
  }
  // Sections of the scene that would not go with entries for beads.
  bool is_map(const std::string& name) {
    if (section(name).kind == SceneNode::Kind::map) return true;
    c_.complaints().add(c_.scene().place_of(name), name,
                        "beside a chain this must be entries by coordinates");
    return false;
  }
  void add(const std::string& of, const std::string& key, SceneNode value) {
    if (!is_map(of)) return;
    if (section(of).find(key))
      c_.complaints().add(c_.scene().place_of(of), of + "." + key,
                          "this name is of the chain: choose another one");
    else
      put(section(of), key, std::move(value));
  }
  // A number with a unit that formulas can use.
  std::string parameter(const char* what, double value, std::string_view unit) {
    const auto [at, fresh] =
        names_.try_emplace({what, value}, fmt::format("chain_{}{}", what, names_.size()));
    if (fresh) add("parameters", at->second, number(value, unit));
    return at->second;
  }

  void drop_bead_materials() {
    SceneNode* materials = tree_.find("materials");
    if (!materials || materials->kind != SceneNode::Kind::map) return;
    SceneNode kept = map();
    kept.place = materials->place;
    for (std::size_t k = 0; k < materials->items.size(); ++k) {
      const SceneNode& one = materials->items[k];
      SceneNode rest = map();
      rest.place = one.place;
      for (std::size_t i = 0; i < one.items.size(); ++i)
        if (one.keys[i] != "young" && one.keys[i] != "poisson" && one.keys[i] != "density")
          put(rest, one.keys[i], one.items[i]);
      if (!rest.items.empty() || one.items.empty()) put(kept, materials->keys[k], std::move(rest));
    }
    *materials = std::move(kept);
  }
  void add_bead(int i) {
    SceneNode x = map();
    put(x, "start", number(chain_.q0[i], "m"));
    put(x, "velocity", number(chain_.u0[i], "m/s"));
    add("coordinates", bead(i), std::move(x));
    add("mass", bead(i), number(d_.m[i], "kg"));
    std::string force;
    const Chain& chain = *chain_.chain;
    if (const double F = chain.constant_force(i); F != 0) force += parameter("force", F, "N");
    if (const double K = chain.local(i); K != 0)
      force += fmt::format(" - {}*{}", parameter("spring", K, "N/m"), bead(i));
    if (const double C = chain.dashpot(i); C != 0)
      force += fmt::format(" - {}*{}'", parameter("drag", C, "N s/m"), bead(i));
    if (force.empty() || !is_map("forces")) return;
    SceneNode* own = section("forces").find(bead(i));
    if (own && own->kind == SceneNode::Kind::scalar)
      own->text = fmt::format("({}) + ({})", own->text, force);
    else
      put(section("forces"), bead(i), scalar(force));
  }
  void add_contact(int n) {
    const int N = chain_.chain->beads();
    const std::string after = n < N           ? bead(n)
                              : d_.right != 0 ? parameter("wall", d_.right, "m")
                                              : "",
                      before = n > 0          ? bead(n - 1)
                               : d_.left != 0 ? parameter("wall", d_.left, "m")
                                              : "";
    std::string gap = after.empty() ? "-" + before : before.empty() ? after : after + " - " + before;
    if (const double a = chain_.chain->offset(n); a != 0) gap += " - " + parameter("overlap", a, "m");
    const double beta = d_.betas.size() > 0 ? d_.betas[n] : d_.beta, gamma = d_.gamma[n];
    SceneNode law = map(), contact = map();
    put(law, "name", scalar(gamma > 0 ? "kuwabara-kono" : "hertz"));
    put(law, "k", number(d_.k[n], "N/m^1.5"));
    if (gamma > 0) {
      put(law, "gamma", number(gamma, beta == 1.5 ? "s" : beta == 1 ? "s m^0.5" : beta == 2.5 ? "s/m" : ""));
      if (beta != 1.5) put(law, "beta", number(beta, ""));
    }
    put(contact, "gap", scalar(std::move(gap)));
    put(contact, "law", std::move(law));
    add("contacts", fmt::format("chain{}", n), std::move(contact));
  }

  SceneNode tree_;
  const ChainOfScene& chain_;
  const ChainData& d_;
  SceneCompiler& c_;
  Place place_;
  std::map<std::pair<std::string, double>, std::string> names_;
};

}  // namespace

bool has_parts_beside(const Scene& s) {
  return !s.coordinates.empty() || !s.bodies.empty() || !s.groups.empty() || !s.beams.empty() ||
         !s.contacts.empty() || !s.forces.empty() || !s.walls.empty() || !s.joints.empty() ||
         !s.motions.empty() || !s.links.empty() || !s.springs.empty() || !s.motors.empty() ||
         s.mass.given() || s.potential.given();
}

std::optional<SceneNode> beads_as_coordinates(const SceneNode& tree, SceneCompiler& c) {
  const ChainOfScene chain = compile_chain(c);
  if (!chain.chain || !c.complaints().empty()) return {};
  const auto complain = [&](const char* field, std::string text) {
    c.complaints().add(c.scene().place_of("chain"), field, std::move(text));
  };
  const ChainData& d = chain.chain->data();
  if (chain.chain->beads() > most_beads_beside)
    complain("chain.beads",
             fmt::format("a chain beside other parts is computed by the general engine, with up to {} "
                         "beads; a longer one stands alone, with a striker or a layer as a bead of "
                         "chain.defects",
                         most_beads_beside));
  if (d.left_motion || d.right_motion || d.left_push || d.right_push)
    complain(d.left_motion || d.left_push ? "chain.left" : "chain.right",
             "beside other parts an end is free or a wall that stands still; write a force as forces.bead0 "
             "and a moving "
             "wall as a contact with a gap of t");
  if (c.scene().kinetic.given()) complain("chain", "beside a chain the scene has mass, not kinetic");
  if (!c.complaints().empty()) return {};
  SceneNode out = Expansion(tree, chain, c).run();
  if (!c.complaints().empty()) return {};
  return out;
}

}  // namespace saltus

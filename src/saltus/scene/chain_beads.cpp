#include "saltus/scene/chain_beads.hpp"

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

constexpr std::string_view no_stiffness =
    "beads that never touch are two chains, or have a gap that is large enough";

}  // namespace

ChainBeads::ChainBeads(SceneCompiler& compiler, const SceneChain& chain, int beads)
    : c_(compiler), s_(chain), values_(compiler, beads), N_(beads) {
  find_defects();
  read_spheres();
}

// Which beads and contacts the defects speak about.
void ChainBeads::find_defects() {
  for (std::size_t k = 0; k < s_.defects.size(); ++k) {
    const SceneDefect& d = s_.defects[k];
    const auto complain = [&](const Formula& f, std::string text) { c_.complain(f, std::move(text)); };
    const bool of_bead = !d.at.list.empty();
    if (of_bead == d.contact.given()) {
      c_.complaints().add(d.place, fmt::format("chain.defects.{}", k),
                          "give either at, the number of a bead, or contact, that of a contact");
      continue;
    }
    for (const Value* v : {&d.radius, &d.mass, &d.position, &d.velocity, &d.spring, &d.drag, &d.force})
      if (v->given() && !of_bead) complain(*v, "belongs to a bead: give at instead of contact");
    for (const Value* v : {&d.stiffness, &d.damping, &d.beta, &d.gap, &d.precompression})
      if (v->given() && of_bead) complain(*v, "belongs to a contact: give contact instead of at");
    if (d.gap.given() && d.precompression.given())
      complain(d.gap, "a contact has either a gap or a precompression");
    for (const Value& v : d.at.list)
      if (const int i = values_.index(v, N_, "bead"); i >= 0) beads_.push_back({i, &d});
    if (d.contact.given())
      if (const int i = values_.index(d.contact, N_ + 1, "contact"); i >= 0) contacts_.push_back({i, &d});
  }
}

bool ChainBeads::has_defect(Value SceneDefect::*of_defect) const {
  for (const auto* list : {&beads_, &contacts_})
    for (const Place& p : *list)
      if ((p.defect->*of_defect).given()) return true;
  return false;
}

Vec ChainBeads::values(const SceneAlong& along, Value SceneDefect::*of_defect, const Quantity& quantity,
                       double missing) {
  Vec out = values_.values(along, quantity, missing);
  for (const Place& p : quantity.of == ChainValues::Of::beads ? beads_ : contacts_) {
    Value v = p.defect->*of_defect;
    if (!v.given()) continue;
    v.unit = quantity.unit;
    out[p.index] = c_.number_in(quantity.range, v, out[p.index], quantity.hint);
  }
  return out;
}

std::optional<SphereMaterial> ChainBeads::material(const Word& name) {
  for (const auto& e : c_.scene().materials.list) {
    if (e.name != name.text) continue;
    const SceneMaterial& m = e.value;
    if (m.young.given() && m.poisson.given() && m.density.given()) {
      const SphereMaterial usual;
      return SphereMaterial{c_.number_in(Range::positive(), m.young, usual.E),
                            c_.number_in(Range{-1, 0.5, false, true}, m.poisson, usual.nu),
                            c_.number_in(Range::positive(), m.density, usual.density)};
    }
    c_.miss(
        e.place, "materials." + e.name, "young",
        fmt::format("a material of beads needs young, poisson and density (chain.material is {})", e.name));
    return {};
  }
  if (const NamedMaterial* known = find_sphere_material(name.text)) return known->material;
  if (c_.complaints().about("materials." + name.text)) return {};
  std::vector<std::string> known;
  for (const auto& e : c_.scene().materials.list) known.push_back(e.name);
  for (const NamedMaterial& m : sphere_materials()) known.emplace_back(m.name);
  c_.complain(name,
              fmt::format("unknown material '{}'{}; known: {}; others are given in the section materials",
                          name.text, suggestion(name.text, known), listed(known)));
  return {};
}

void ChainBeads::read_spheres() {
  using Of = ChainValues::Of;
  if (s_.radius.given()) {
    radius_ = values(s_.radius, &SceneDefect::radius, {"radius", Of::beads, Range::positive(), "m"}, 1);
  } else {
    for (const Place& p : beads_)
      if (p.defect->radius.given())
        c_.complain(p.defect->radius, "the other beads have no radius: give chain.radius");
  }
  if (!s_.material.given()) {
    for (const Place& p : beads_)
      if (p.defect->material.given())
        c_.complain(p.defect->material, "the other beads have no material: give chain.material");
    return;
  }
  std::vector<Word> names;
  name_ = values_.names(s_.material, "material", names);
  for (const Place& p : beads_) {
    const Word& w = p.defect->material;
    if (!w.given()) continue;
    const auto at = std::find_if(names.begin(), names.end(), [&](const Word& n) { return n.text == w.text; });
    name_[static_cast<std::size_t>(p.index)] = static_cast<int>(at - names.begin());
    if (at == names.end()) names.push_back(w);
  }
  for (const Word& w : names) materials_.push_back(material(w).value_or(SphereMaterial{}));
}

bool ChainBeads::need_spheres(std::string_view what) {
  if (has_spheres()) return true;
  std::string_view lacks = radius_.size() > 0   ? "material"
                           : materials_.empty() ? "radius and material"
                                                : "radius";
  c_.miss(c_.scene().place_of("chain"), "chain", what,
          fmt::format("a chain needs {}, or {} to compute it from", what, lacks));
  return false;
}

Vec ChainBeads::masses() {
  const bool given = s_.mass.given();
  if (!given && !need_spheres("mass")) return Vec::Ones(N_);
  Vec out(N_);
  if (!given)
    for (int i = 0; i < N_; ++i) out[i] = mass_of(sphere(i));
  const Vec own =
      values(s_.mass, &SceneDefect::mass, {"mass", ChainValues::Of::beads, Range::positive(), "kg"}, 0);
  for (int i = 0; i < N_; ++i)
    if (own[i] > 0) out[i] = own[i];
  return given ? own : out;
}

SphereMaterial ChainBeads::wall_material(const SceneChainEnd& end, int bead) {
  return end.material.given() ? material(end.material).value_or(of_bead(bead)) : of_bead(bead);
}

Vec ChainBeads::stiffness() {
  using Of = ChainValues::Of;
  const Quantity quantity{"stiffness", Of::contacts, Range::positive(), "N/m^1.5", no_stiffness};
  const bool given = s_.stiffness.given();
  if (!given && N_ > 1 && !need_spheres("stiffness")) return Vec::Ones(N_ + 1);
  Vec out = Vec::Zero(N_ + 1);
  if (given)
    out = values_.values(s_.stiffness, quantity, 0);
  else
    for (int n = 1; n < N_; ++n) out[n] = hertz_stiffness(sphere(n - 1), sphere(n));
  const auto wall = [&](const SceneChainEnd& end, int contact, int bead, std::string_view path) {
    if (!end.has_wall()) {
      out[contact] = 0;
      return;
    }
    if (end.stiffness.given()) {
      Value v = end.stiffness;
      if (end.material.given()) c_.complain(v, "the wall has a material already: leave one of them out");
      out[contact] = c_.number_in(Range::positive(), v, 1, "an end without a contact is free");
    } else if (has_spheres() && (!given || end.material.given())) {
      out[contact] = hertz_stiffness(sphere(bead), wall_material(end, bead));
    } else if (end.material.given()) {
      c_.complain(end.material, "without radius and material of the beads the wall needs a stiffness");
    } else if (!(out[contact] > 0) && !c_.complaints().about("chain.stiffness")) {
      c_.complaints().add(end.place, std::string(path),
                          "the contact with the wall has no stiffness: give it here, or radius and material");
      out[contact] = 1;
    }
  };
  wall(s_.left, 0, 0, "chain.left"), wall(s_.right, N_, N_ - 1, "chain.right");
  for (const Place& p : contacts_)
    if (p.defect->stiffness.given())
      out[p.index] = c_.number_in(quantity.range, p.defect->stiffness, 1, quantity.hint);
  return out;
}

}  // namespace saltus

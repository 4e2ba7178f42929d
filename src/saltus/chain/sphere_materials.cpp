#include "saltus/chain/sphere_materials.hpp"

namespace saltus {
namespace {

constexpr std::string_view gere =
    "J. M. Gere, Mechanics of Materials, 5th ed., Brooks/Cole 2001, tables H-1 and H-2 (ranges: the middle)";

const NamedMaterial materials[] = {
    {"steel",
     "stainless steel 316",
     {193e9, 0.30, 8000},
     "C. Daraio, V. F. Nesterenko, E. B. Herbold, S. Jin, Phys. Rev. E 73 (2006) 026610"},
    {"carbon-steel", "structural and machine steels", {200e9, 0.285, 7850}, gere},
    {"glass", "glass", {65.5e9, 0.22, 2600}, gere},
    {"brass", "brass", {103e9, 0.34, 8500}, gere},
    {"bronze", "bronze", {108e9, 0.34, 8500}, gere},
    {"aluminium", "aluminium alloy 6061-T6", {70e9, 0.33, 2700}, gere},
    {"copper", "copper and its alloys", {115e9, 0.345, 8900}, gere},
    {"titanium", "titanium alloys", {110e9, 0.33, 4500}, gere},
    {"PTFE",
     "polytetrafluoroethylene",
     {1.46e9, 0.46, 2170},
     "C. Daraio, V. F. Nesterenko, E. B. Herbold, S. Jin, Phys. Rev. E 72 (2005) 016603"},
    {"nylon", "nylon", {2.75e9, 0.4, 990}, gere},
    {"rubber", "rubber", {2.35e6, 0.475, 1130}, gere},
    {"cork",
     "cork, along the radius of the trunk",
     {20e6, 0.05, 170},
     "L. J. Gibson, K. E. Easterling, M. F. Ashby, Proc. R. Soc. Lond. A 377 (1981) 99"},
};

}  // namespace

std::span<const NamedMaterial> sphere_materials() {
  return materials;
}

const NamedMaterial* find_sphere_material(std::string_view name) {
  for (const NamedMaterial& m : materials)
    if (m.name == name) return &m;
  return nullptr;
}

}  // namespace saltus

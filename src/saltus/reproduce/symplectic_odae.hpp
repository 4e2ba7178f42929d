// "Consistent extensions of the symplectic Euler method for a class of overdetermined DAEs": Figures 4.1
// to 4.4, and what its remarks on compositions and inequalities come to.
#pragma once
#include "saltus/catalog/catalog.hpp"
#include "saltus/reproduce/drawing.hpp"
#include "saltus/reproduce/reproduce.hpp"

namespace saltus::symplectic_odae {

std::vector<Study> studies();

}  // namespace saltus::symplectic_odae

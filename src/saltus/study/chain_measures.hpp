// The quantities of measures that only chains have: what a name means, what has to be followed for it, and
// what it came to.
#pragma once
#include "saltus/study/chain_watch.hpp"
#include "saltus/study/quantity.hpp"

namespace saltus {

inline constexpr std::string_view chain_quantity_names[] = {
    "max.force[i]", "argmax.force[i]", "max.overlap[i]", "arrival(i)", "front.speed", "transmitted"};

/// Fills the quantity, whose formula and name are given; false: the name is no quantity of chains. Throws
/// Error with a caret where an index is missing or too many.
bool look_up_chain_quantity(Quantity& quantity);
/// Throws Error where the problem is no chain, or has no such bead or contact.
void check_chain_quantity(const Quantity& quantity, const Problem& problem);
/// Asks the watch for what a quantity needs; returns where chain_quantity() finds it.
int follow_chain_quantity(const Quantity& quantity, const Problem& problem, ChainWatch& watch);
double chain_quantity(const Quantity& quantity, int at, const ChainWatch& watch, const State& end);

}  // namespace saltus

// Several runs in one figure.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "saltus/figure/figure.hpp"

namespace saltus {

/// The panels of several runs, the same list for each, as those of one figure: curves of one kind share a
/// panel, titled with the name of their run; strips of contacts stand below each other. Runs differ in colour
/// where each has one curve, else in the pattern of their lines. Throws Error when the lists do not fit.
std::vector<Panel> together(std::span<const std::string> names, std::vector<std::vector<Panel>> runs);

}  // namespace saltus

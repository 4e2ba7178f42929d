// Units of the coordinates and velocities of the catalog's problems, for figures.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

struct CoordinateUnits {
  std::vector<std::string> q, u;  ///< one per coordinate, one per velocity or momentum; "1": a pure number
};
/// Empty for a name that the catalog does not have.
CoordinateUnits coordinate_units(std::string_view problem, int nq, int nu);

}  // namespace saltus

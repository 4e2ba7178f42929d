// Every try of stepping switching in a file: CSV, or HDF5 by the name.
#pragma once
#include <span>
#include <string>

#include "saltus/run/outcome.hpp"

namespace saltus {

/// Columns t, h, order, outcome, taken, drops of Attempt. HDF5: a dataset each in /tries, the names of the
/// outcomes in its attribute `outcomes`. Throws Error.
void write_tries(const std::string& file, std::span<const Attempt> tries);

}  // namespace saltus

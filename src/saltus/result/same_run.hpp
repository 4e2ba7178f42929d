// A run that is resumed continues its own file only.
#pragma once
#include "saltus/result/result.hpp"

namespace saltus {

/// What the file says of its run. Throws Error if it is of another run, or cannot be read.
ResultInfo check_same_run(const std::string& file_name, const ResultInfo& info);

}  // namespace saltus

// A run that is resumed continues its own file only.
#pragma once
#include "saltus/result/result.hpp"

namespace saltus {

/// Throws Error if the file is of another run.
void check_same_run(const std::string& file_name, const ResultInfo& info);

}  // namespace saltus

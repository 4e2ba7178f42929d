// resume --t-end: a run goes on beyond its end.
#pragma once
#include "saltus/cli/run_files.hpp"

namespace saltus::cli {

/// Gives the run that is resumed a later end. The problem gets a breakpoint at the old end unless the steps
/// of a run to the new end would be the same without it. Throws Error for an end that is not later than the
/// old one.
void extend(RunOptions& o, const std::string& t_end);

}  // namespace saltus::cli

// --animate and --report: a run as a page or a film.
#pragma once
#include "saltus/cli/run_files.hpp"

namespace saltus::cli {

/// Before the run: throws Error where a name is not one of a page or a film, or nothing makes films.
void check_pages(const RunOptions& o);
void write_pages(const RunOptions& o, const CatalogProblem& p, const Trajectory& trajectory,
                 RunReport& report);

}  // namespace saltus::cli

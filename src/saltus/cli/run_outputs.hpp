// What a run leaves in files when it has ended: tables, pictures, forces of contacts.
#pragma once
#include "saltus/cli/console.hpp"
#include "saltus/cli/run_files.hpp"
#include "saltus/result/csv.hpp"
#include "saltus/run/contact_record.hpp"

namespace saltus::cli {

/// Of the coordinates of a scene; empty without names.
std::span<const std::string> names_of(const RunOptions& o);

/// Before the run: throws Error where something that is asked for cannot be written or drawn.
void check_run_outputs(const RunOptions& o, const CatalogProblem& p, const Method& method);

/// --forces and --force-figure: of the contacts of a chain, filled while the run goes on.
std::optional<ContactRecord> record_of(const RunOptions& o, const Problem& problem);

/// CSV, forces and all pictures, those that were asked for.
void write_run_outputs(const RunOptions& o, const CatalogProblem& p, const Trajectory& trajectory,
                       const LevelHistory* levels, const ContactRecord* forces, RunReport& report,
                       Console& io);

}  // namespace saltus::cli

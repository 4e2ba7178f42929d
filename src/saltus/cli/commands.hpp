// The commands of the program. Each adds itself to the parser and sets `action` when it is chosen.
#pragma once
#include <atomic>
#include <functional>
#include <string>

#include "saltus/cli/console.hpp"

namespace CLI {
class App;
}
namespace saltus {
class RankLink;
}

namespace saltus::cli {

/// 0: done; 1: a run did not finish or missed its tolerance; 2: bad input.
enum ExitCode { success = 0, unfinished = 1, bad_input = 2 };

using Action = std::function<int(Console&)>;
void add_list(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_converge(CLI::App& app, Action& action);
void add_work_precision(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_restitution(CLI::App& app, Action& action);
void add_reproduce(CLI::App& app, Action& action);
void add_contact(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_schema(CLI::App& app, Action& action);
void add_resume(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_plot(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_view(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_commands(CLI::App& app, Action& action);  ///< all of them

/// Set by Ctrl-C: the flag of the program's own console.
extern std::atomic<bool> interrupted;
/// The processes that share a sweep; null: this one alone. Rank 0 speaks for all.
extern RankLink* ranks;

}  // namespace saltus::cli

// The program `saltus`: parses, calls the library, prints. No numerics here.
#include <fcntl.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/main.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/core/error.hpp"
#include "saltus/study/rank_link.hpp"

namespace saltus::cli {

std::atomic<bool> interrupted{false};
RankLink* ranks = nullptr;

namespace {

extern "C" void on_interrupt(int) {
  if (interrupted.exchange(true)) std::_Exit(130);  // a second Ctrl-C means it
}

extern "C" void on_terminate(int signal) {
  on_interrupt(signal);
  alarm(10);  // in the midst of a step that does not end: then not in order
}

int fail_with(const std::string& message, const Console& io, const SceneError* scene = nullptr) {
  if (ranks && ranks->rank() > 0) return bad_input;
  io.err << "saltus: " << message << "\n";
  if (io.json) io.out << error_json(message, scene) << "\n";
  return bad_input;
}

// A descriptor 0, 1 or 2 that was closed when the program started would be given to the next file it opens,
// and what is printed would end up in that file. Open the wrong way round, so that writing still fails.
void hold_standard_streams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      static_cast<void>(open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

// What was printed counts only when it has arrived.
int with_output_written(int code) {
  errno = 0;
  const bool flushed = static_cast<bool>(std::cout.flush());
  const bool good = std::fflush(stdout) == 0 && flushed && std::ferror(stdout) == 0;
  if (good) return code;
  const int reason = errno;
  std::cerr << "saltus: writing to the standard output failed: "
            << (reason == ENOSPC ? "the disk is full"
                : reason != 0    ? std::strerror(reason)
                                 : "not all of it arrived; is the disk full?")
            << "\n";
  return code == success ? unfinished : code;
}

}  // namespace

void add_commands(CLI::App& app, Action& action) {
  app.set_version_flag("--version", SALTUS_VERSION);
  app.require_subcommand(1);
  app.footer("Start with: saltus list problems; saltus run bouncing-ball; saltus run --help");
  add_run(app, action);
  add_converge(app, action);
  add_work_precision(app, action);
  add_sweep(app, action);
  add_restitution(app, action);
  add_reproduce(app, action);
  add_contact(app, action);
  add_check(app, action);
  add_schema(app, action);
  add_resume(app, action);
  add_info(app, action);
  add_export(app, action);
  add_compare(app, action);
  add_plot(app, action);
  add_verify(app, action);
  add_view(app, action);
  add_import(app, action);
  add_list(app, action);
  add_doctor(app, action);
}

namespace {

// The words of the program and of the command whose help has the option that is missing or wrong.
std::string parsed_command(const CLI::App& app) {
  std::string words = app.get_name();
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    words += " " + at->get_name();
  }
  return words;
}

std::vector<std::string> command_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

int run_program(int argc, char** argv) {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_terminate);  // batch systems
  std::signal(SIGXFSZ, SIG_IGN);       // a file that grows too large is an error of its write
  CLI::App app{"Saltus: nonsmooth mechanics with trajectories of known accuracy", "saltus"};
  Action action;
  Console io{std::cout, std::cerr, interrupted};
  add_commands(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForAllHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    for (int i = 1; i < argc; ++i) io.json = io.json || std::string(argv[i]) == "--json";
    if (argc > 1 && app.get_subcommands().empty() && argv[1][0] != '-') {
      const auto known = command_names(app);
      return fail_with(fmt::format("unknown command '{}'{}; commands: {}", argv[1],
                                   suggestion(argv[1], known), fmt::join(known, ", ")),
                       io);
    }
    return fail_with(fmt::format("{} (see {} --help)", e.what(), parsed_command(app)), io);
  }
  try {
    return action(io);
  } catch (const SceneError& e) {
    return fail_with(e.what(), io, &e);
  } catch (const Error& e) {
    return fail_with(e.what(), io);
  } catch (const std::bad_alloc&) {
    return fail_with("out of memory", io);
  } catch (const std::exception& e) {
    if (std::ferror(stdout)) return 1;  // what fmt throws where output fails; the caller reports it
    return fail_with(std::string("unexpected: ") + e.what(), io);
  }
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  return with_output_written(run_program(argc, argv));
}

}  // namespace saltus::cli

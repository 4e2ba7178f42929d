#include "saltus/cli/reproduce_command.hpp"

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstring>
#include <filesystem>
#include <vector>

#include "saltus/cli/commands.hpp"
#include "saltus/core/error.hpp"

namespace saltus::cli {
namespace {

// Replaces this process by the program of that name beside it, with the same arguments.
int start_sibling(const ReproduceOptions& o, Console& io) {
  io.json = o.json;
  std::error_code trouble;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", trouble);
  const auto program = self.parent_path() / "saltus-reproduce";
  std::vector<std::string> words = {program.string(), "reproduce", "--out", o.out};
  if (!o.what.empty()) words.push_back(o.what);
  if (o.list) words.emplace_back("--list");
  if (o.json) words.emplace_back("--json");
  std::vector<char*> arguments;
  for (std::string& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  fail("{} could not be started ({}); the studies are a program of their own: ./dev build makes it",
       program.string(), std::strerror(errno));
}

}  // namespace

void add_reproduce(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReproduceOptions>();
  CLI::App* c =
      app.add_subcommand("reproduce", "compute published claims again, with verdicts, data and figures");
  c->add_option("WHAT", options->what, "a paper or PAPER/ITEM; everything when left out");
  c->add_flag("--list", options->list, "list what there is");
  c->add_option("--out", options->out, "folder for CSV and SVG files")->capture_default_str();
  c->add_flag("--json", options->json, "print one JSON object");
  c->callback([options, &action] {
    action = [options](Console& io) {
      return reproduce_here ? reproduce_here(*options, io) : start_sibling(*options, io);
    };
  });
}

}  // namespace saltus::cli

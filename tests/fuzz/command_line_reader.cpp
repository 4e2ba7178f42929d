// Any bytes as a command line, one argument per line: parsed by the program's own parser for every command.
// Commands that only look something up act too, and those that run a problem do so with Ctrl-C pressed: all
// their texts (methods, parameters, ranges, measures, steps) are read, and no step is taken. Nothing is
// written and nothing of this machine is read: whoever names a file is only parsed.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <streambuf>

#include "fuzz/memory_file.hpp"
#include "saltus/cli/commands.hpp"

using namespace saltus;

#ifdef SALTUS_LIBFUZZER  // its build has no papers
void cli::add_reproduce(CLI::App&, Action&) {}
#endif

namespace {

struct Nowhere : std::streambuf {
  int overflow(int c) override { return c; }
};

std::vector<std::string> arguments(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty() && out.size() < 60) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    out.push_back(line.substr(0, line.find('\0')));  // no program gets more
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Large numbers ask for large problems: that is a question of patience, not of reading.
bool has_long_number(std::string_view s) {
  std::size_t digits = 0;
  for (char c : s) {
    digits = std::isdigit(static_cast<unsigned char>(c)) ? digits + 1 : 0;
    if (digits > 3) return true;
  }
  return s.find_first_of("eE") != std::string_view::npos &&
         s.find_first_of("0123456789") != std::string_view::npos && s.find('=') != std::string_view::npos &&
         std::isdigit(static_cast<unsigned char>(s.back()));
}

bool is_harmless(const std::vector<std::string>& args) {
  if (args.empty()) return false;
  const std::string& command = args[0];
  const bool runs = one_of(command, {"run", "sweep", "converge"});
  if (!runs && !one_of(command, {"list", "check", "schema", "restitution", "info", "compare", "contact"}))
    return false;
  // problems that are quick to build
  if (runs &&
      (args.size() < 2 || !one_of(args[1], {"bouncing-ball", "sliding-block", "impact-oscillator", "pendulum",
                                            "trimer", "rocking-bar", "belt-block", "woodpecker"})))
    return false;
  for (const auto& a : args) {
    const bool short_option =
        a.size() > 1 && a[0] == '-' && a[1] != '-' && !std::isdigit(static_cast<unsigned char>(a[1]));
    if (a.find('/') != std::string::npos || a == "." || a == "..") return false;
    if (short_option && !a.starts_with("-p")) return false;
    for (const char* writes :
         {"--output", "--figure", "--space-time", "--snapshot", "--dump", "--checkpoint", "--resume"})
      if (a.starts_with(writes)) return false;
    if (runs && has_long_number(a)) return false;
  }
  return true;
}

void parse(const std::vector<std::string>& args) {
  CLI::App app{"Saltus", "saltus"};
  cli::Action action;
  cli::add_commands(app, action);
  std::vector<const char*> words = {"saltus"};
  for (const auto& a : args) words.push_back(a.c_str());
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::Error&) {  // help and versions too: this is where the program answers
    return;
  }
  if (!action || !is_harmless(args)) return;
  std::atomic<bool> interrupted{true};
  cli::Console io{std::cout, std::cerr, interrupted};
  action(io);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Nowhere nowhere;
  const std::array<std::pair<std::ostream*, std::streambuf*>, 2> streams = {
      {{&std::cout, std::cout.rdbuf(&nowhere)}, {&std::cerr, std::cerr.rdbuf(&nowhere)}}};
  struct Restore {
    decltype(streams)& of;
    ~Restore() {
      for (const auto& [stream, buffer] : of) stream->rdbuf(buffer);
    }
  } restore{streams};
  fuzz::answered([&] { parse(arguments({reinterpret_cast<const char*>(data), size})); });
  return 0;
}

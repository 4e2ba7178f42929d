// `./dev trial`: random mechanisms by the thousand, and a table of what came out. Exit code 0: no run that
// finished is wrong, except in the classes of the committed list; 1: some are; 2: bad usage.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <thread>

#include "mechanisms/known_classes.hpp"
#include "mechanisms/mechanism.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"

using namespace saltus;
using namespace saltus::mechanisms;

namespace {

constexpr const char* usage =
    "usage: mechanism_trial [COUNT] [--seed FIRST] [--only KIND] [--jobs N] [--known FILE] [--list]\n"
    "                       [--judge NAME] [--scheme NAME] [--stepping NAME] [--limit SECONDS]\n"
    "       mechanism_trial --show SEED\n"
    "COUNT mechanisms (100), seeds FIRST (1) and on, of one kind if it is said; --list prints every "
    "finding;\n--limit: CPU time of one run (0.5 s; 0: none), beyond which it counts as slow\n";

struct Arguments {
  long count = 100;
  std::uint64_t seed = 1;
  int jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  bool list = false, show = false;
  std::string only, known = SALTUS_KNOWN_CLASSES;
  TrialOptions options{.cpu_limit = 0.5};

  bool complete() const {
    return count >= 10'000 && only.empty() && options.only_judge.empty() && options.only_scheme.empty() &&
           options.only_stepping.empty();
  }
};

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto next = [&]() -> std::string {
      if (++i >= argc) fail("{} wants a value\n{}", arg, usage);
      return argv[i];
    };
    const auto number = [&](const std::string& text) {
      const long n = parse_integer(text, arg);
      if (n < 0) fail("{} = {}: must not be negative", arg, n);
      return n;
    };
    if (arg == "--seed")
      a.seed = static_cast<std::uint64_t>(number(next()));
    else if (arg == "--show")
      a.show = true, a.seed = static_cast<std::uint64_t>(number(next()));
    else if (arg == "--only")
      a.only = next();
    else if (arg == "--jobs")
      a.jobs = static_cast<int>(number(next()));
    else if (arg == "--known")
      a.known = next();
    else if (arg == "--judge")
      a.options.only_judge = next();
    else if (arg == "--scheme")
      a.options.only_scheme = next();
    else if (arg == "--stepping")
      a.options.only_stepping = next();
    else if (arg == "--limit")
      a.options.cpu_limit = parse_number(next(), arg);
    else if (arg == "--list")
      a.list = true;
    else if (arg[0] == '-')
      fail("unknown option {}\n{}", arg, usage);
    else
      a.count = number(arg);
  }
  const auto kinds = mechanism_kinds();
  if (!a.only.empty() && std::find(kinds.begin(), kinds.end(), a.only) == kinds.end())
    fail("no kind '{}'{}; kinds: {}", a.only, suggestion(a.only, kinds), fmt::join(kinds, ", "));
  return a;
}

void print(const Finding& f, const char* mark) {
  fmt::print("{} seed {} {} [{}] {}: {}\n    {}\n", mark, f.seed, f.kind, fmt::join(f.features, " "), f.judge,
             f.numbers, f.command);
}

void print_methods(const Tally& t) {
  fmt::print("\n{:<36}", "scheme, stepping");
  for (const char* name : verdict_names) fmt::print("{:>9}", name);
  fmt::print("\n");
  for (const auto& [method, counts] : t.by_method) {
    fmt::print("{:<36}", method);
    for (std::size_t k = 0; k < std::size(verdict_names); ++k) {
      const auto it = counts.find(static_cast<Verdict>(k));
      fmt::print("{:>9}", it == counts.end() ? 0 : it->second);
    }
    fmt::print("\n");
  }
}

struct Group {
  long count = 0;
  Finding example;
};

// `complete`: the trial that a release needs, in which a known class without a case has been mended.
int report(const Tally& t, const std::vector<KnownClass>& classes, bool list, bool complete) {
  print_methods(t);
  fmt::print("\nrefused and failed, by message (count, a seed)\n");
  for (const auto& [words, entry] : t.messages)
    fmt::print("{:>8} {:>8}  {}\n", entry.first, entry.second, words);

  std::map<std::string, Group> known, unknown;
  for (const Finding& f : t.wrong) {
    const KnownClass* c = find_class(classes, f);
    Group& g =
        c ? known[c->name] : unknown[fmt::format("{} {} {} {}", f.kind, f.judge, f.scheme, f.stepping)];
    if (g.count++ == 0) g.example = f;
    if (list) print(f, c ? "known" : "WRONG");
  }
  if (list) {
    for (const Finding& f : t.warned) print(f, "warned");
    for (const Finding& f : t.unsure) print(f, "unsure");
  }
  fmt::print("\nknown classes of wrong outcomes\n");
  for (const KnownClass& c : classes) {
    const auto it = known.find(c.name);
    if (it == known.end())
      fmt::print("{:>8} {:>8}  {}: {}\n", 0, "", c.name,
                 complete ? "no case any more, remove it" : "no case in this trial");
    else
      fmt::print("{:>8} {:>8}  {}: {}\n", it->second.count, it->second.example.seed, c.name, c.reason);
  }
  fmt::print("\nwrong outcomes of no known class\n");
  long wrong = 0;
  for (const auto& [words, g] : unknown) {
    wrong += g.count;
    fmt::print("{:>8} {:>8}  {}  ({})\n", g.count, g.example.seed, words, g.example.numbers);
  }
  fmt::print(
      "\n{} mechanisms ({} refused as scenes), {} runs; ends compared {}, not comparable: {} sensitive, {} "
      "clustered, {} "
      "without reference\n{} findings in known classes, {} warned, {} unsure, {} wrong\n",
      t.scenes, t.refused_scenes, t.runs, t.compared, t.sensitive, t.clustered, t.uncompared,
      static_cast<long>(t.wrong.size()) - wrong, t.warned.size(), t.unsure.size(), wrong);
  return wrong > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1 && (!std::strcmp(argv[1], "--help") || !std::strcmp(argv[1], "-h"))) {
      fmt::print("{}", usage);
      return 0;
    }
    const Arguments a = parse(argc, argv);
    if (a.show) {
      fmt::print("{}", make_mechanism(a.seed).yaml);
      return 0;
    }
    const auto classes = read_known_classes(a.known);
    return report(try_mechanisms(a.seed, a.count, a.jobs, a.only, a.options), classes, a.list, a.complete());
  } catch (const Error& e) {
    fmt::print(stderr, "mechanism_trial: {}\n", e.what());
    return 2;
  }
}

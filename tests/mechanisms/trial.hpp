// A mechanism is run by every method and every finished run is judged; what comes out is counted.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "mechanisms/judges.hpp"

namespace saltus::mechanisms {

enum class Verdict { ok, refused, failed, slow, unsure, warned, wrong };
inline constexpr const char* verdict_names[] = {"ok",     "refused", "failed", "slow",
                                                "unsure", "warned",  "wrong"};

/// A finished run against which a judge speaks.
struct Finding {
  std::uint64_t seed = 0;
  std::string kind, judge, scheme, stepping, solver;
  std::vector<std::string> features;
  std::string command, numbers;  ///< the method as options; the violation at h, h/4, …
};

struct Tally {
  long scenes = 0, runs = 0, refused_scenes = 0;
  long compared = 0, sensitive = 0, clustered = 0,
       uncompared = 0;  ///< ends compared with those of the reference, or why not
  std::map<std::string, std::map<Verdict, long>> by_method;
  std::map<std::string, std::pair<long, std::uint64_t>>
      messages;  ///< refusals and failures by their words, and a seed
  std::vector<Finding> wrong, warned, unsure;
  void add(const Tally& other);
};

struct TrialOptions {
  std::string only_judge = {}, only_scheme = {}, only_stepping = {};  ///< for a closer look; all when empty
  double cpu_limit = 0;  ///< seconds for one run, beyond which it counts as slow; 0: none
};
Tally try_mechanism(const Mechanism& m, const TrialOptions& options = {});

/// Seeds first, first + 1, …: `count` of them (of the kind `only`, when it is said), by so many threads. The
/// outcome does not depend on the number of threads.
Tally try_mechanisms(std::uint64_t first, long count, int jobs, const std::string& only = {},
                     const TrialOptions& options = {});

}  // namespace saltus::mechanisms

#include "mechanisms/trial.hpp"

#include <atomic>
#include <cmath>
#include <thread>

#include "mechanisms/consensus.hpp"
#include "saltus/core/error.hpp"

namespace saltus::mechanisms {
namespace {

// A message without what differs from scene to scene: numbers and quoted names.
std::string words_of(const std::string& message) {
  std::string out;
  for (char c : message.substr(0, message.find('\n'))) {
    if (std::isdigit(static_cast<unsigned char>(c))) c = '#';
    if (c == '#' && !out.empty() && (out.back() == '#' || out.back() == '.')) continue;
    out += c;
  }
  return out.substr(0, 90);
}

class Bench {  // one mechanism in one family
 public:
  Bench(const Case& c, const TrialOptions& options, Tally& tally)
      : case_(c), options_(options), tally_(tally), consensus_(c) {}

  void run_all() {
    for (const Named& n : methods_for(case_.mechanism, case_.family()))
      if ((options_.only_scheme.empty() || options_.only_scheme == n.scheme) &&
          (options_.only_stepping.empty() || options_.only_stepping == n.stepping))
        run_one(n);
  }

 private:
  // The traces of one method, finer and finer, made when they are asked for.
  // The tailored schemes make a damping that differs from the law's at any step, and say by how much
  // (docs/explanation/chains.md): they converge to another motion.
  static bool says_damping_differs(const Trace& t) {
    return t.message.find("the tailored damping of") != std::string::npos;
  }

  struct Ladder {
    const Case& c;
    const Method& method;
    std::map<int, Trace> traces;
    const Trace& at(int factor) {
      const auto it = traces.find(factor);
      return it != traces.end() ? it->second : traces[factor] = trace(c, refined(method, factor), factor);
    }
  };

  void run_one(const Named& n) {
    ++tally_.runs;
    Ladder ladder{case_, n.method, {}};
    const Trace& first = ladder.at(1);
    Verdict worst = Verdict::ok;
    if (!first.finished()) {
      worst = first.end == Trace::End::refused ? Verdict::refused
              : first.end == Trace::End::slow  ? Verdict::slow
                                               : Verdict::failed;
      auto& entry = tally_.messages[fmt::format("{}: {}", verdict_names[static_cast<int>(worst)],
                                                words_of(first.message))];
      if (entry.first++ == 0) entry.second = case_.mechanism.seed;
    } else {
      const bool said = says_damping_differs(first);
      for (const Judge& j : judges_for(case_, n.method)) {
        if (said && std::string_view(j.name) == "energy") continue;
        if (!options_.only_judge.empty() && options_.only_judge != j.name) continue;
        worst = std::max(worst, note(n, j.name, decide(j, ladder)));
      }
      if (!said && (options_.only_judge.empty() || options_.only_judge == "convergence"))
        worst = std::max(worst, note(n, "convergence", compare(ladder)));
    }
    ++tally_.by_method[n.scheme + " " + n.stepping][worst];
  }

  /// Runs with h divided by these, as long as a violation has not vanished.
  static constexpr int finer[] = {4, 16, 64, 256};

  struct Decision {
    Verdict outcome = Verdict::ok;
    std::string numbers = {};
  };

  Verdict note(const Named& n, const char* judge, const Decision& d) {
    if (d.outcome == Verdict::ok) return d.outcome;
    const Mechanism& m = case_.mechanism;
    (d.outcome == Verdict::wrong    ? tally_.wrong
     : d.outcome == Verdict::warned ? tally_.warned
                                    : tally_.unsure)
        .push_back({m.seed, m.kind, judge, n.scheme, n.stepping, n.solver, m.features, text_of(n.method),
                    d.numbers});
    return d.outcome;
  }

  /// Wrong is what violates a criterion in silence, at any of the steps: runs that all warn are called that.
  /// A violation vanishes when it falls below the threshold, or to a third of the first while the step goes
  /// to a sixteenth or less (an error of order one would be a 16th), or to a third twice in a row: the first
  /// may be small by luck. One that settles must fall below. NaN never passes.
  Decision decide(const Judge& j, Ladder& ladder) {
    const double first = j.measure(case_, ladder.at(1));
    if (first <= j.tolerance) return {};
    std::string numbers = fmt::format("{:.2g}", first);
    bool silent = !ladder.at(1).warned;
    if (j.kind == Kind::exact) return {silent ? Verdict::wrong : Verdict::warned, numbers};
    double before = first, ratio = infinity;
    for (int factor : finer) {
      const Trace& t = ladder.at(factor);
      if (!t.finished()) return {Verdict::unsure, numbers + ", the finer run does not finish"};
      const double now = j.measure(case_, t);
      numbers += fmt::format(", {:.2g}", now);
      const double last = std::exchange(ratio, now / std::exchange(before, now));
      const bool falls = now <= 0.35 * first || (ratio <= 0.35 && last <= 0.35);
      if (now <= j.tolerance || (j.kind == Kind::vanishing && factor > 4 && falls)) return {};
      silent = silent || !t.warned;
    }
    return {silent ? Verdict::wrong : Verdict::warned, numbers};
  }

  Decision compare(Ladder& ladder) {
    const auto& coarse = consensus_.level(2);
    const auto first = consensus_.distance(ladder.at(1), 2);
    if (!coarse || !first) {
      ++tally_.uncompared;
      return {};
    }
    ++tally_.compared;
    constexpr double threshold = 1e-2;
    if (*first <= std::max(threshold, 4 * coarse->spread)) return {};
    const auto& fine = consensus_.level(32);
    if (!fine || fine->spread > threshold || fine->clustered) {
      ++(fine && fine->clustered ? tally_.clustered : tally_.sensitive);
      return {};
    }
    std::string numbers = fmt::format("{:.2g}", *first);
    bool silent = !ladder.at(1).warned;
    for (int factor : finer) {
      const Trace& t = ladder.at(factor);
      if (!t.finished()) return {Verdict::unsure, numbers + ", the finer run does not finish"};
      const double now = consensus_.distance(t, 32).value_or(infinity);
      numbers += fmt::format(", {:.2g}", now);
      if (now <= std::max(threshold, 4 * fine->spread) || (factor > 4 && now <= 0.35 * *first)) return {};
      silent = silent || !t.warned;
    }
    // The reference may be the one that is wrong: all of its grids can miss a shallow impact (seed 9056).
    const double end = consensus_.distance(ladder.at(finer[3]), 512).value_or(infinity);
    if (end <= threshold) {
      ++tally_.sensitive;
      return {};
    }
    return {silent ? Verdict::wrong : Verdict::warned,
            numbers + fmt::format("; reference ± {:.1g}", fine->spread)};
  }

  const Case& case_;
  const TrialOptions& options_;
  Tally& tally_;
  Consensus consensus_;
};

void try_family(const Mechanism& m, bool first_order, const TrialOptions& options, Tally& tally) {
  try {
    Case c = make_case(m, first_order);
    c.cpu_limit = options.cpu_limit;
    Bench(c, options, tally).run_all();
  } catch (const Error& e) {  // the makers mean every scene to be right
    ++tally.refused_scenes;
    auto& entry = tally.messages[fmt::format("scene: {}", words_of(e.what()))];
    if (entry.first++ == 0) entry.second = m.seed;
  }
}

}  // namespace

void Tally::add(const Tally& o) {
  scenes += o.scenes, runs += o.runs, refused_scenes += o.refused_scenes;
  compared += o.compared, sensitive += o.sensitive, clustered += o.clustered, uncompared += o.uncompared;
  for (const auto& [method, counts] : o.by_method)
    for (const auto& [outcome, count] : counts) by_method[method][outcome] += count;
  for (const auto& [words, entry] : o.messages) {
    auto& mine = messages[words];
    if (mine.first == 0) mine.second = entry.second;
    mine.first += entry.first;
  }
  wrong.insert(wrong.end(), o.wrong.begin(), o.wrong.end());
  warned.insert(warned.end(), o.warned.begin(), o.warned.end());
  unsure.insert(unsure.end(), o.unsure.begin(), o.unsure.end());
}

Tally try_mechanism(const Mechanism& m, const TrialOptions& options) {
  Tally tally;
  tally.scenes = 1;
  try_family(m, false, options, tally);
  if (m.compliant) try_family(m, true, options, tally);
  return tally;
}

Tally try_mechanisms(std::uint64_t first, long count, int jobs, const std::string& only,
                     const TrialOptions& options) {
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t s = first; static_cast<long>(seeds.size()) < count; ++s)
    if (only.empty() || kind_of(s) == only) seeds.push_back(s);
  std::vector<Tally> tallies(seeds.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next++) < seeds.size();)
      tallies[i] = try_mechanism(make_mechanism(seeds[i]), options);
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < jobs; ++i) threads.emplace_back(work);
  work();
  for (auto& t : threads) t.join();
  Tally sum;
  for (const Tally& t : tallies) sum.add(t);
  return sum;
}

}  // namespace saltus::mechanisms

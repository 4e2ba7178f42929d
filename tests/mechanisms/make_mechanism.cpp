#include <fmt/format.h>

#include "mechanisms/mechanism.hpp"

namespace saltus::mechanisms {
namespace {

struct Entry {
  const char* kind;
  Maker make;
  int weight;
};
constexpr Entry makers[] = {
    {"line", make_line, 16},
    {"slide", make_slide, 12},
    {"dry-friction", make_dry_friction, 8},
    {"pendulum", make_pendulum, 10},
    {"bodies", make_bodies, 10},
    {"linkage", make_linkage, 10},
    {"soft-bodies", make_soft_bodies, 6},
    {"soft-line", make_soft_line, 6},
    {"chain", make_chain, 4},
    {"odae", make_odae, 8},
    {"known", make_known, 12},
    {"fast", make_fast, 4},
};

const Entry& choose(Dice& dice) {
  int total = 0;
  for (const Entry& e : makers) total += e.weight;
  int left = dice.integer(0, total - 1);
  for (const Entry& e : makers) {
    if (left < e.weight) return e;
    left -= e.weight;
  }
  return makers[0];
}

std::string run_section(const Mechanism& m) {
  std::string out = fmt::format("run: {{t_end: {}, h: {}", m.t_end, m.h);
  return out + "}\n";
}

}  // namespace

std::vector<std::string> mechanism_kinds() {
  std::vector<std::string> out;
  for (const Entry& e : makers) out.emplace_back(e.kind);
  return out;
}

std::string kind_of(std::uint64_t seed) {
  Dice dice(seed);
  return choose(dice).kind;
}

Mechanism make_mechanism(std::uint64_t seed) {
  Dice dice(seed);
  const Entry& entry = choose(dice);
  Mechanism m = entry.make(dice);
  m.seed = seed, m.kind = entry.kind;
  m.yaml = fmt::format("# mechanism {}: {}\nsaltus: 1\n{}{}", seed, entry.kind, m.yaml, run_section(m));
  return m;
}

}  // namespace saltus::mechanisms

#include "saltus/study/chain_measures.hpp"

namespace saltus {
namespace {

using OfChain = Quantity::OfChain;

[[noreturn]] void refuse(const Quantity& q, const std::string& message) {
  q.formula->fail_at(q.name->position, message);
}

const Chain& chain_for(const Quantity& q, const Problem& problem) {
  if (const Chain* chain = as_chain(problem.system.get())) return *chain;
  refuse(q, fmt::format("{} is for chains of beads, and this problem is none", q.name->name));
}

// The contacts there are.
struct Contacts {
  int first, last;
};
Contacts contacts_of(const Chain& chain) {
  const int N = chain.beads();
  return {chain.data().k[0] == 0 ? 1 : 0, chain.data().k[N] == 0 ? N - 1 : N};
}

// The contact or bead that a quantity speaks about; all contacts without an index.
int place_of(const Quantity& q, const Problem& problem) {
  const Chain& chain = chain_for(q, problem);
  if (!q.component) return ChainWatch::all;
  const bool bead = q.of_chain == OfChain::arrival;
  const int n = chain.beads() + (bead ? 0 : 1), i = *q.component, at = i < 0 ? n + i : i;
  if (at < 0 || at >= n)
    refuse(q, fmt::format("{}[{}]: there are {} {}, 0 to {}", q.name->name, i, n,
                          bead ? "beads" : "contacts, with both ends", n - 1));
  if (!bead && chain.data().k[at] == 0) {
    const Contacts there = contacts_of(chain);
    refuse(q, fmt::format("{}[{}]: this end is free; there are contacts {} to {}", q.name->name, i,
                          there.first, there.last));
  }
  return at;
}

ChainWatch::Quantity kind_of(const Quantity& q) {
  return q.force ? ChainWatch::Quantity::force : ChainWatch::Quantity::overlap;
}

}  // namespace

bool look_up_chain_quantity(Quantity& q) {
  const std::string& name = q.name->name;
  const auto dot = name.find('.');
  const std::string head = name.substr(0, dot), tail = dot == std::string::npos ? "" : name.substr(dot + 1);
  if (name == "front.speed" || name == "transmitted") {
    if (q.component) refuse(q, fmt::format("{} has no components", name));
    q.of_chain = name == "transmitted" ? OfChain::transmitted : OfChain::speed;
  } else if (name == "arrival") {
    if (!q.component) refuse(q, "at which bead? Write arrival(20), or arrival(-1) for the last");
    q.of_chain = OfChain::arrival;
  } else if (tail == "force" || tail == "overlap") {
    q.force = tail == "force", q.largest = head.ends_with("max"), q.time = head.starts_with("arg");
    if (head != "final" && head != "max" && head != "min" && head != "argmax" && head != "argmin")
      return false;
    q.of_chain = head == "final" ? OfChain::final : OfChain::extreme;
    if (head == "final" && !q.component)
      refuse(q, fmt::format("of which contact? Write {}[1], or {}[-1] for the right end", name, name));
  } else {
    return false;
  }
  q.kind = Quantity::Kind::chain;
  return true;
}

int follow_chain_quantity(const Quantity& q, const Problem& problem, ChainWatch& watch) {
  const Chain& chain = chain_for(q, problem);
  switch (q.of_chain) {
    case OfChain::extreme:
      return watch.follow(kind_of(q), place_of(q, problem), q.largest);
    case OfChain::arrival:
      return watch.follow_arrival(place_of(q, problem));
    case OfChain::speed:
      watch.follow_front();
      return 0;
    case OfChain::final:
      return place_of(q, problem);
    case OfChain::transmitted:
      break;
  }
  const Contacts there = contacts_of(chain);
  if (there.last <= there.first)
    refuse(q, "transmitted compares the last contact with the first: there are less than two");
  const int at = watch.follow(ChainWatch::Quantity::force, there.first, true);
  watch.follow(ChainWatch::Quantity::force, there.last, true);
  return at;
}

void check_chain_quantity(const Quantity& q, const Problem& problem) {
  ChainWatch nobody(problem);
  follow_chain_quantity(q, problem, nobody);
}

double chain_quantity(const Quantity& q, int at, const ChainWatch& watch, const State& end) {
  switch (q.of_chain) {
    case OfChain::extreme:
      return q.time ? watch.extreme(at).time : watch.extreme(at).value;
    case OfChain::arrival:
      return watch.arrival(at);
    case OfChain::speed:
      return watch.front_speed();
    case OfChain::final:
      return watch.value(kind_of(q), at, end);
    case OfChain::transmitted:
      break;
  }
  return watch.extreme(at + 1).value / watch.extreme(at).value;
}

}  // namespace saltus

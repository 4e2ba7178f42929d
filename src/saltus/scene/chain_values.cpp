#include "saltus/scene/chain_values.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/core/random.hpp"
#include "saltus/formula/tape.hpp"

namespace saltus {
namespace {

constexpr int most_tries = 1000;  // of a random number within its limits

// Both ends of a chain that a list without them leaves as they are.
bool has_ends(std::size_t entries, int beads) {
  return entries == static_cast<std::size_t>(beads) + 1;
}

std::string place_name(ChainValues::Of of, int i) {
  return fmt::format("{} {}", of == ChainValues::Of::beads ? "bead" : "contact", i);
}

}  // namespace

ChainValues::ChainValues(SceneCompiler& compiler, int beads) : c_(compiler), N_(beads) {}

int ChainValues::index(const Value& v, int last, std::string_view what) {
  const Term x = c_.constant(v);
  if (!x.ok) return -1;
  const double at = c_.graph().node(x.node).value;
  if (at != std::floor(at) || at < -last || at >= last) {
    c_.complain(v, fmt::format("found {}, expected the number of a {}, 0 to {}, or -1 for the last", v.text,
                               what, last - 1));
    return -1;
  }
  return static_cast<int>(at < 0 ? at + last : at);
}

Vec ChainValues::values(const SceneAlong& along, const Quantity& quantity, double missing) {
  Vec out = Vec::Constant(count(quantity.of), missing);
  if (!along.given()) return out;
  const std::size_t known = c_.complaints().list().size();
  fill(along, quantity, out);
  if (c_.complaints().list().size() > known) return Vec::Constant(count(quantity.of), missing);
  // ends have fields of their own; what a formula makes of them is looked at where there is a wall
  const int first = quantity.of == Of::beads ? 0 : 1, last = N_;
  for (int i = first; i < last; ++i)
    if (!std::isfinite(out[i]) || !quantity.range.contains(out[i])) {
      const bool unlimited = along.spread && along.spread->seed.given() && along.spread->limits.empty();
      const std::string_view hint =
          unlimited ? "limits: [least, most] keep a distribution within what is allowed" : quantity.hint;
      c_.complaints().add(along.place, along.path,
                          fmt::format("{} at {}: expected {}{}{}", out[i], place_name(quantity.of, i),
                                      to_string(quantity.range), hint.empty() ? "" : "; ", hint));
      return Vec::Constant(count(quantity.of), missing);
    }
  return out;
}

void ChainValues::fill(const SceneAlong& along, const Quantity& quantity, Vec& out) {
  if (along.spread) return fill_spread(along, quantity, out);
  if (!along.value.given()) return fill_list(along, quantity, out);
  fill_formula(along, quantity, out);
}

std::vector<double> ChainValues::numbers(const std::vector<Value>& list, std::string_view unit, int pure) {
  std::vector<double> out;
  for (Value v : list) {
    if (std::ssize(out) != pure) v.unit = unit;
    out.push_back(v.given() ? c_.number(v) : 0);
  }
  return out;
}

void ChainValues::fill_list(const SceneAlong& along, const Quantity& quantity, Vec& out) {
  const bool contacts = quantity.of == Of::contacts;
  const std::size_t n = along.list.size();
  if (contacts ? n != static_cast<std::size_t>(N_ - 1) && !has_ends(n, N_)
               : n != static_cast<std::size_t>(N_)) {
    c_.complaints().add(
        along.place, along.path,
        contacts ? fmt::format("{} entries; {} contacts between {} beads need {}, or {} with both ends", n,
                               N_ - 1, N_, N_ - 1, N_ + 1)
                 : fmt::format("{} entries for {} beads", n, N_));
    return;
  }
  const auto x = numbers(along.list, quantity.unit);
  const int first = contacts && !has_ends(n, N_) ? 1 : 0;
  for (std::size_t i = 0; i < n; ++i) out[first + static_cast<int>(i)] = x[i];
}

void ChainValues::fill_formula(const SceneAlong& along, const Quantity& quantity, Vec& out) {
  Graph& g = c_.graph();
  const int i = c_.in().a(0);  // an input that nothing else uses
  Value v = along.value;
  v.unit = quantity.unit;
  const SceneCompiler::Local locals[] = {{"i", g.input(i), Dimension{}}, {"N", g.number(N_), Dimension{}}};
  const Term x = c_.constant(v, locals);
  if (!x.ok) return;
  if (g.is_number(x.node)) {
    out.setConstant(g.node(x.node).value);
    return;
  }
  const Tape tape(g, {&x.node, 1});
  TapeRoom room;
  for (Eigen::Index at = 0; at < out.size(); ++at)
    tape.evaluate([&](int) { return static_cast<double>(at); }, [&](int, double y) { out[at] = y; }, room);
}

std::optional<ChainValues::Kind> ChainValues::kind_of(const SceneAlong& along) {
  const SceneSpread& s = *along.spread;
  struct Rule {
    Kind kind;
    std::size_t entries;  // 0: any
  };
  const Rule rules[] = {{{"uniform", &s.uniform, true}, 2},       {{"normal", &s.normal, true}, 2},
                        {{"log-normal", &s.log_normal, true}, 2}, {{"two-valued", &s.two_valued, true}, 2},
                        {{"repeat", &s.repeat, false}, 0},        {{"tapered", &s.tapered, false}, 2},
                        {{"decorated", &s.decorated, false}, 3}};
  const Rule* found = nullptr;
  const auto complain = [&](std::string text) {
    if (!c_.complaints().about(along.path)) c_.complaints().add(along.place, along.path, std::move(text));
  };
  for (const Rule& r : rules) {
    if (r.kind.entries->empty()) continue;
    if (found) {
      complain(fmt::format("both {} and {}: give one of them", found->kind.name, r.kind.name));
      return {};
    }
    found = &r;
  }
  if (!found) {
    complain("which one? uniform, normal, log-normal, two-valued, repeat, tapered or decorated");
    return {};
  }
  if (const std::size_t n = found->kind.entries->size(); found->entries > 0 && n != found->entries) {
    complain(fmt::format("{} has {} entries, found {}", found->kind.name, found->entries, n));
    return {};
  }
  if (s.share.given() && found->kind.name != "two-valued") complain("share belongs to two-valued");
  if (!s.limits.empty() && (!found->kind.random || found->kind.name == "two-valued"))
    complain("limits belong to uniform, normal and log-normal");
  if (s.seed.given() && !found->kind.random)
    complain(fmt::format("{} is not random: leave the seed out", found->kind.name));
  return found->kind;
}

std::optional<std::uint64_t> ChainValues::seed_of(const SceneAlong& along, const Kind& kind) {
  const Value& seed = along.spread->seed;
  if (!seed.given()) {
    c_.complaints().add(
        along.place, along.path,
        fmt::format("{} is random: give a seed, as {{{}: […], seed: 1}}, so that the same beads "
                    "come again",
                    kind.name, kind.name));
    return {};
  }
  constexpr double most = 9007199254740992.0;  // 2^53
  const double x = c_.number_in(Range::closed(0, most), seed, -1);
  if (x < 0) return {};
  if (x != std::floor(x)) {
    c_.complain(seed, fmt::format("found {}, expected a whole number >= 0", seed.text));
    return {};
  }
  return static_cast<std::uint64_t>(x);
}

void ChainValues::fill_spread(const SceneAlong& along, const Quantity& quantity, Vec& out) {
  const auto kind = kind_of(along);
  if (!kind) return;
  const SceneSpread& s = *along.spread;
  const std::string_view name = kind->name;
  const bool relative = name == "log-normal" || name == "tapered" || name == "decorated";
  const auto p = numbers(*kind->entries, quantity.unit, relative ? 1 : -1);
  const auto complain = [&](std::string text) {
    c_.complaints().add(along.place, along.path, std::move(text));
  };
  const auto fill = [&](auto&& value) {
    for (Eigen::Index i = 0; i < out.size(); ++i) out[i] = value(static_cast<std::uint64_t>(i));
  };
  if (name == "repeat") return fill([&](std::uint64_t i) { return p[i % p.size()]; });
  if (name == "tapered")
    return fill([&](std::uint64_t i) { return p[0] * std::pow(1 - p[1], static_cast<double>(i)); });
  if (name == "decorated")
    return fill([&](std::uint64_t i) {
      const std::uint64_t pair = i / 2;
      return i % 2 == 1 ? p[2] : p[0] * std::pow(1 - p[1], static_cast<double>(pair));
    });

  const auto seed = seed_of(along, *kind);
  if (!seed) return;
  const IndexedRandom random(*seed, quantity.name);
  if (name == "two-valued") {
    const double share = c_.number_in(Range::closed(0, 1), s.share, 0.5);
    return fill([&](std::uint64_t i) { return random.uniform(i) < share ? p[1] : p[0]; });
  }
  const auto limits = numbers(s.limits, quantity.unit);
  if (!limits.empty() && (limits.size() != 2 || !(limits[0] < limits[1])))
    return complain("limits are [least, most], the first below the second");
  if (name == "uniform" ? !(p[0] <= p[1]) : !(p[1] >= 0))
    return complain(name == "uniform" ? "uniform is [a, b], the first not above the second"
                                      : fmt::format("the deviation of {} is not below 0", name));
  const auto draw = [&](std::uint64_t i, std::uint32_t k) {
    if (name == "uniform") return p[0] + (p[1] - p[0]) * random.uniform(i, k);
    const double z = random.normal(i, k);
    return name == "normal" ? p[0] + p[1] * z : p[0] * std::exp(p[1] * z);
  };
  bool inside = true;
  fill([&](std::uint64_t i) {
    double x = draw(i, 0);
    for (int k = 1; !limits.empty() && !(x >= limits[0] && x <= limits[1]); ++k) {
      if (k == most_tries || !inside) return inside = false, limits[0];
      x = draw(i, static_cast<std::uint32_t>(k));
    }
    return x;
  });
  if (!inside)
    complain(fmt::format("{} tries gave no number within the limits: they are too far from the middle of it",
                         most_tries));
}

std::vector<int> ChainValues::names(const SceneAlong& along, std::string_view name,
                                    std::vector<Word>& known) {
  std::vector<int> out(static_cast<std::size_t>(N_), 0);
  const auto place_of = [&](const Value& v) {
    for (std::size_t k = 0; k < known.size(); ++k)
      if (known[k].text == v.text) return static_cast<int>(k);
    known.push_back({v.text, v.path, v.place});
    return static_cast<int>(known.size()) - 1;
  };
  const auto complain = [&](std::string text) {
    c_.complaints().add(along.place, along.path, std::move(text));
  };
  if (along.value.given()) {
    std::fill(out.begin(), out.end(), place_of(along.value));
  } else if (!along.spread) {
    if (along.list.size() != out.size())
      complain(fmt::format("{} entries for {} beads", along.list.size(), N_));
    else
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = place_of(along.list[i]);
  } else if (const auto kind = kind_of(along)) {
    std::vector<int> entries;
    for (const Value& v : *kind->entries) entries.push_back(place_of(v));
    if (kind->name == "repeat") {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = entries[i % entries.size()];
    } else if (kind->name != "two-valued") {
      complain(fmt::format("{} is for numbers; names have repeat and two-valued", kind->name));
    } else if (const auto seed = seed_of(along, *kind)) {
      const double share = c_.number_in(Range::closed(0, 1), along.spread->share, 0.5);
      const IndexedRandom random(*seed, name);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = entries[random.uniform(i) < share ? 1 : 0];
    }
  }
  return out;
}

}  // namespace saltus

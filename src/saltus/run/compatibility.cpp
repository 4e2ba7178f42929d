#include "saltus/run/compatibility.hpp"

#include <span>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

struct Row {
  std::string_view scheme;
  std::string_view steppings[4];  // the usual one first
  std::string_view why;           // the others do not fit; for the message
};

constexpr std::string_view fixed = FixedSteps::name, adaptive = AdaptiveSteps::name,
                           switching = SwitchingSteps::name, capturing = EventCapturing::name,
                           location = EventLocation::name, error_control = ToleranceSteps::name;

// A scheme is listed once, with everything that drives it.
constexpr Row table[] = {
    {MoreauJean::name, {fixed, adaptive, switching}, ""},
    {MoreauMidpoint::name, {fixed, adaptive, switching}, ""},
    {MoreauProjected::name, {fixed, adaptive, switching}, ""},
    {SchatzmanPaoli::name, {fixed}, "it needs two equal steps at a time"},
    {GeneralizedAlpha::name,
     {fixed, adaptive},
     "its accelerations are part of the state and are not extrapolated"},
    {RungeKutta::name, {capturing, error_control}, "it integrates between events"},
    {Rk::name, {fixed, adaptive, error_control}, "first-order systems have no contacts"},
    {CrankNicolson::name, {fixed, adaptive}, "first-order systems have no contacts"},
    {Gauss2::name, {fixed, adaptive}, "first-order systems have no contacts"},
    {AdditiveTheta::name, {fixed, adaptive}, "first-order systems have no contacts"},
    {KkTheta::name, {fixed, adaptive}, "first-order systems have no contacts"},
    {KkIrk::name, {fixed, adaptive}, "first-order systems have no contacts"},
    {SymplecticEuler::name, {fixed, location, error_control}, "its steps have no estimate of their error"},
};

constexpr const Row* find(std::string_view scheme) {
  for (const Row& row : table)
    if (row.scheme == scheme) return &row;
  return nullptr;
}

template <class... S>
constexpr bool all_listed(const std::variant<S...>*) {
  return ((find(S::name) != nullptr) && ...);
}
static_assert(all_listed(static_cast<const SchemeSpec*>(nullptr)), "every scheme needs a row in the table");

}  // namespace

std::vector<std::string_view> steppings_for(const SchemeSpec& scheme) {
  std::vector<std::string_view> out;
  for (std::string_view s : find(name_of(scheme))->steppings)
    if (!s.empty()) out.push_back(s);
  return out;
}

bool goes_with(const SchemeSpec& scheme, const Stepping& stepping) {
  for (std::string_view s : find(name_of(scheme))->steppings)
    if (s == name_of(stepping)) return true;
  return false;
}

void check_pair(const SchemeSpec& scheme, const Stepping& stepping) {
  if (goes_with(scheme, stepping)) return;
  std::vector<std::string> others;
  for_each_alternative<SchemeSpec>([&]<class S>(const S& s) {
    // schemes for ODAEs take mechanical systems too
    const bool same = S::family == family_of(scheme) ||
                      (S::family == Family::odae && family_of(scheme) == Family::mechanical);
    if (same && goes_with(SchemeSpec{s}, stepping)) others.emplace_back(S::name);
  });
  const std::string_view why = find(name_of(scheme))->why;
  fail("stepping {} does not go with scheme {}{}; use stepping {}{}", name_of(stepping), name_of(scheme),
       why.empty() ? std::string() : fmt::format(": {}", why), fmt::join(steppings_for(scheme), " or "),
       others.empty() ? std::string() : fmt::format(", or scheme {}", fmt::join(others, " or ")));
}

Stepping fitting_stepping(const SchemeSpec& scheme, const Stepping& stepping) {
  if (goes_with(scheme, stepping)) return stepping;
  const std::string_view usual = steppings_for(scheme).front();
  Stepping out = stepping;
  for_each_alternative<Stepping>([&]<class S>(const S& s) {
    if (S::name == usual) out = step_of(stepping) > 0 ? with_usual_step(s, step_of(stepping)) : Stepping{s};
  });
  return out;
}

}  // namespace saltus

// Any bytes as a scene: read, checked, built, and its formulas evaluated once. A good scene or an Error are
// the only answers; anything else is a bug. libFuzzer calls this (./dev fuzz), and so do the tests.
//
// Lines "#set path=value" are comments to YAML; here they are also what --set would be given.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "saltus/scene/load.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/checked_first_order.hpp"
#include "saltus/system/first_order.hpp"

using namespace saltus;

namespace {

std::vector<std::string> sets_of(std::string_view text) {
  std::vector<std::string> out;
  constexpr std::string_view mark = "#set ";
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (at == 0 || text[at - 1] == '\n') out.emplace_back(text.substr(at, end - at).substr(mark.size()));
    at = end;
  }
  return out;
}

void evaluate(const Problem& p) {
  if (const System* s = as_mechanical(p.system.get())) {
    const Shape shape = s->shape();
    Matrix M(shape.nu, shape.mass), dq(shape.nu, shape.jacobian), du(shape.nu, shape.jacobian);
    Vec h(shape.nu);
    ContactSet contacts;
    const CheckedSystem at(*s);
    at.mass(p.t0, p.q0, M);
    at.force(p.t0, p.q0, p.u0, h);
    at.force_jacobians(p.t0, p.q0, p.u0, dq, du);
    at.list(p.t0, p.q0, contacts);
    at.directions(p.t0, p.q0, contacts);
    at.bias(p.t0, p.q0, p.u0, contacts);
    at.energy(p.t0, p.q0, p.u0);
  } else if (p.system && p.system->family() == Family::first_order) {
    const auto& ode = static_cast<const FirstOrderSystem&>(*p.system);
    if (p.q0.size() != ode.size()) return;  // chains start from beads
    Vec f(ode.size());
    CheckedFirstOrder(ode).rhs(p.t0, p.q0, f);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto sets = sets_of(text);
    const auto scene = load_scene_text(text, "s.yaml", sets);
    evaluate(scene->entry.make({}, {}).problem);
  } catch (const Error& e) {
    // An answer says something, and not a book.
    const std::string_view said = e.what();
    if (said.empty() || said.size() > 1'000'000) throw std::logic_error("a message that helps nobody");
  }
  return 0;
}

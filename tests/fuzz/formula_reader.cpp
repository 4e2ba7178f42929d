// Any bytes as a formula: parsed, evaluated by numbers and by dual numbers, made a graph, differentiated
// twice by its first variables, and run as a tape. The graph must give the value of the formula.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "fuzz/memory_file.hpp"
#include "saltus/autodiff/dual.hpp"
#include "saltus/expression/expression.hpp"
#include "saltus/formula/tape.hpp"
#include "saltus/study/measure.hpp"

using namespace saltus;

namespace {

using Dual2 = Dual<double, 2>;

double value_of(int variable) {
  return 0.3 + 0.7 * variable;
}

void as_graph(const Expression& e, double expected) {
  Graph g;
  std::vector<Graph::Id> inputs;
  const int n = static_cast<int>(e.variables().size());
  for (int k = 0; k < n; ++k) inputs.push_back(g.input(k));
  std::vector<Graph::Id> out = {g.expression(e, inputs)};
  for (int k = 0; k < std::min(n, 3); ++k) {
    out.push_back(g.derivative(out[0], k));
    if (k == 0) out.push_back(g.derivative(out[1], k));
  }
  out.push_back(g.at_zero(out[0], 0, 1));
  g.inputs_of(out[0]);
  double first = 0;
  TapeRoom room;
  const auto keep = [&](int k, double x) { first = k == 0 ? x : first; };
  Tape(g, out).evaluate(value_of, keep, room);
  // simplified, so rounded in other ways; where both are ordinary numbers they agree in some digits
  const double size = std::max(std::abs(first), std::abs(expected));
  if (size > 1e-3 && size < 1e3 && std::abs(first - expected) > 0.5 * size && n == 0)
    throw std::logic_error("a constant formula has two values");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::answered([&] { parse_measure(text); });
  fuzz::answered([&] {
    const Expression e = Expression::parse(text);
    std::vector<double> values, work;
    std::vector<Dual2> duals, dual_work;
    for (int k = 0; k < static_cast<int>(e.variables().size()); ++k) {
      values.push_back(value_of(k));
      duals.emplace_back(value_of(k));
    }
    const double x = e.evaluate(std::span<const double>(values), work);
    e.evaluate(std::span<const Dual2>(duals), dual_work);
    as_graph(e, x);
  });
  return 0;
}

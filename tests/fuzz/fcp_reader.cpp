// Any bytes as a contact problem in text (FCP): read, posed, measured, and solved for a few iterations.
#include <cstddef>
#include <cstdint>

#include "fuzz/memory_file.hpp"
#include "saltus/contact/file/formats.hpp"

using namespace saltus;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzz::answered([&] {
    const fuzz::MemoryFile file(bytes);
    const FrictionProblem p = detail::read_fcp(file.name());
    if (!p.local && !p.global) return;
    for (double mu : p.mu)
      if (!(mu >= 0)) return;
    PosedFriction posed(p);
    if (posed.problem.rows() > 300) return;
    Vec P = Vec::Zero(posed.problem.rows());
    posed.file_residual(P);
    for (SolverSpec spec : {SolverSpec(Psor{}), SolverSpec(AutomaticSolver{})}) {
      std::visit(
          [](auto& s) {
            if constexpr (requires { s.max_iterations; }) s.max_iterations = 20;
          },
          spec);
      P.setZero();
      make_contact_solver(spec)->solve(posed.problem, P);
    }
    posed.on_file_rows(P);
  });
  return 0;
}

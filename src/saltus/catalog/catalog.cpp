#include "saltus/catalog/catalog.hpp"

#include "saltus/catalog/chain_problems.hpp"
#include "saltus/catalog/flexible_problems.hpp"
#include "saltus/catalog/odae_problems.hpp"
#include "saltus/catalog/problems.hpp"
#include "saltus/catalog/switching_problems.hpp"

namespace saltus {

const std::vector<CatalogEntry>& catalog() {
  static const std::vector<CatalogEntry> entries = {
      catalog_entry<BouncingBall>(),     catalog_entry<ImpactOscillator>(),
      catalog_entry<BallColumn>(),       catalog_entry<CollinearChain>(),
      catalog_entry<RockingBar>(),       catalog_entry<SlidingBlock>(),
      catalog_entry<RigidPendulum>(),    catalog_entry<FallingMass>(),
      catalog_entry<SlidingMass>(),      catalog_entry<Woodpecker>(),
      catalog_entry<BeltBlock>(),        catalog_entry<Shaker>(),
      catalog_entry<DiskMixer>(),        catalog_entry<Trimer>(),
      catalog_entry<NewtonsCradle>(),    catalog_entry<DimerChain>(),
      catalog_entry<HomogeneousChain>(), catalog_entry<TwoBeads>(),
      catalog_entry<BouncingPendulum>(), catalog_entry<ElasticBar>(),
      catalog_entry<FlexiblePendulum>(), catalog_entry<OdaeExponential>(),
      catalog_entry<CubicSlide>(),       catalog_entry<SphericalPendulum>(),
      catalog_entry<PolarBead>(),
  };
  return entries;
}

const CatalogEntry& find_problem(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& e : catalog()) {
    if (e.name == name) return e;
    known.push_back(e.name);
  }
  fail("unknown problem '{}'{}; known: {}", name, suggestion(name, known), fmt::join(known, ", "));
}

CatalogProblem make_problem(std::string_view name, const Settings& settings, std::optional<double> t_end) {
  return find_problem(name).make(settings, t_end);
}

}  // namespace saltus

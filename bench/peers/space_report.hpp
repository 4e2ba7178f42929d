// What the peers of the race in space report, from where their bodies are.
#pragma once
#include <string>

#include "bench.hpp"
#include "space_scene.hpp"

inline void report_space(const std::string& kind, const std::string& peer, const SpaceScene& scene,
                         const std::vector<SpaceScene::Body>& end, double h, long steps, long window,
                         const bench::Snap& s0, const bench::Snap& s1, const bench::Snap& sw,
                         const bench::Snap& s2, double contacts, double iterations) {
  double way = 0;
  for (std::size_t k = 0; k < end.size(); ++k)
    for (int j = 0; j < 3; ++j) way = std::max(way, std::abs(end[k].at[j] - scene.bodies[k].at[j]));
  const auto overlap = scene.overlap(end);
  const double w = static_cast<double>(window);
  bench::Line L;
  L.str("case", kind).str("peer", peer).integer("n", static_cast<long>(end.size())).num("h", h);
  L.timing(s0, s1, s2, steps).num("ms_per_step", 1e3 * (s2.user - sw.user) / w);
  L.num("contacts", contacts / w).num("iterations", iterations);
  L.num("overlap", overlap.most)
      .num("mean_overlap", overlap.mean())
      .integer("close", overlap.count)
      .num("way", way);
  L.print();
}

#include "saltus/figure/smooth.hpp"

#include <algorithm>

namespace saltus {

const Trajectory& smooth(const Trajectory& x, std::optional<Trajectory>& room) {
  constexpr std::size_t points = 16, most = 20'000;  // of a piece, of all
  if (x.pieces().empty() || x.multipliers() > 0) return x;
  const std::size_t each = std::min(points, most / x.pieces().size());
  if (each < 2 || static_cast<std::size_t>(x.size()) > each * x.pieces().size()) return x;
  std::vector<double> times;
  for (int i = 0; i < x.size(); ++i) times.push_back(x.t(i));
  for (const Trajectory::Piece& p : x.pieces())
    for (std::size_t k = 0; k <= each; ++k)
      times.push_back(p.start + (p.end - p.start) * static_cast<double>(k) / static_cast<double>(each));
  for (const Event& e : x.events()) times.push_back(e.t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const double first = x.t(0), last = x.t(x.size() - 1);
  std::erase_if(times, [&](double t) { return t < first || t > last; });
  return room.emplace(x.sampled(times));
}

}  // namespace saltus

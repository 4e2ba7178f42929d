// A picture for systems that tell nothing about their looks: beads of a chain on a line, the phase point of
// an ordinary differential equation, a track for each coordinate of others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/chain/chain.hpp"
#include "saltus/picture/motion.hpp"

namespace saltus {
namespace {

constexpr int most_tracks = 24;

struct Span {
  double low = infinity, high = -infinity;
  void add(double x) {
    if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  }
  double size() const { return high > low ? high - low : 0; }
};

Span span_of(const Trajectory& tr, int k) {
  Span out;
  for (int i = 0; i < tr.size(); ++i) out.add(tr.q(i)[k]);
  return out;
}

MovingPicture::Shape& add(MovingPicture& out, MovingPicture::Kind kind, std::string name, int count) {
  MovingPicture::Shape s;
  s.kind = kind, s.name = std::move(name), s.first = out.width, s.count = count, s.moves = true;
  out.width += count;
  out.shapes.push_back(std::move(s));
  return out.shapes.back();
}

float* frame_of(MovingPicture& out, int i) {
  return out.values.data() + static_cast<std::size_t>(i) * out.width;
}
void begin_numbers(MovingPicture& out) {
  out.values.assign(static_cast<std::size_t>(out.width) * out.t.size(), 0);
}

// Beads where they touch at rest; displacements are enlarged to be seen.
void add_beads(const Chain& chain, const Trajectory& tr, MovingPicture& out) {
  const int n = chain.beads();
  const Vec& radius = chain.data().radius;
  const auto r = [&](int i) { return radius.size() == n ? radius[i] : 0.5; };
  std::vector<double> place(static_cast<std::size_t>(n));
  double at = 0, smallest = infinity, largest = 0;
  for (int i = 0; i < n; ++i) {
    at += r(i), place[static_cast<std::size_t>(i)] = at, at += r(i);
    smallest = std::min(smallest, r(i));
  }
  for (int k = 0; k < tr.size(); ++k) largest = std::max(largest, tr.q(k).cwiseAbs().maxCoeff());
  double scale = 1;
  if (largest > 0 && largest < 0.5 * smallest)
    scale = std::pow(10, std::floor(std::log10(smallest / largest)));
  if (scale > 1) out.note = fmt::format("displacements {:g} times enlarged", scale);
  for (int i = 0; i < n; ++i) {
    auto& s = add(out, MovingPicture::Kind::round, fmt::format("bead {}", i), MovingPicture::rigid_numbers);
    s.radius = r(i);
  }
  begin_numbers(out);
  for (int k = 0; k < tr.size(); ++k) {
    float* v = frame_of(out, k);
    for (int i = 0; i < n; ++i, v += MovingPicture::rigid_numbers) {
      v[0] = static_cast<float>(place[static_cast<std::size_t>(i)] + scale * tr.q(k)[i]);
      v[6] = 1;
      if (i < tr.nu()) v[7] = static_cast<float>(tr.u(k)[i]);
    }
  }
}

void add_phase_point(const Problem& p, const Trajectory& tr, MovingPicture& out) {
  const Span x = span_of(tr, 0), y = span_of(tr, 1);
  const double sx = x.size() > 0 ? 1 / x.size() : 1, sy = y.size() > 0 ? 1 / y.size() : 1;
  const bool apart = std::max(sx, sy) > 4 * std::min(sx, sy);  // different scales are drawn to one size
  const double fx = apart ? sx : 1, fy = apart ? sy : 1;
  out.note = fmt::format("phase plane: {} to the right, {} up{}", coordinate_name(p, 0),
                         coordinate_name(p, 1), apart ? ", each to its own scale" : "");
  add(out, MovingPicture::Kind::dot, coordinate_name(p, 0) + ", " + coordinate_name(p, 1), 3).trail = true;
  begin_numbers(out);
  for (int k = 0; k < tr.size(); ++k) {
    frame_of(out, k)[0] = static_cast<float>(fx * tr.q(k)[0]);
    frame_of(out, k)[1] = static_cast<float>(fy * tr.q(k)[1]);
  }
}

// A rail for each coordinate, from its smallest to its largest value.
void add_tracks(const Problem& p, const Trajectory& tr, MovingPicture& out) {
  const int n = std::min(tr.nq(), most_tracks);
  constexpr double length = 10;
  std::vector<Span> spans;
  for (int k = 0; k < n; ++k) {
    spans.push_back(span_of(tr, k));
    add(out, MovingPicture::Kind::path, coordinate_name(p, k), 6).colour = -1;
    auto& label = add(out, MovingPicture::Kind::text, coordinate_name(p, k), 4);
    label.text = coordinate_name(p, k) + " = ", label.valued = true;
    auto& dot = add(out, MovingPicture::Kind::dot, coordinate_name(p, k), 3);
    dot.radius = 0.22, dot.colour = k;
  }
  out.note = fmt::format("each coordinate on its own track, from its smallest to its largest value{}",
                         tr.nq() > n ? fmt::format("; the first {} of {}", n, tr.nq()) : "");
  begin_numbers(out);
  for (int i = 0; i < tr.size(); ++i) {
    float* v = frame_of(out, i);
    for (int k = 0; k < n; ++k, v += 13) {
      const Span& s = spans[static_cast<std::size_t>(k)];
      const double q = tr.q(i)[k], y = -1.4 * k;
      v[1] = v[4] = v[11] = static_cast<float>(y), v[3] = length;
      v[7] = static_cast<float>(y + 0.55), v[9] = static_cast<float>(q);
      v[10] = static_cast<float>(s.size() > 0 ? length * (q - s.low) / s.size() : length / 2);
    }
  }
}

}  // namespace

void add_automatic(const Problem& problem, const Trajectory& frames, MovingPicture& out) {
  if (frames.nq() == 0) return;
  const Chain* chain = as_chain(problem.system.get());
  if (chain && chain->beads() == frames.nq()) return add_beads(*chain, frames, out);
  if (problem.system->family() == Family::first_order && frames.nq() == 2)
    return add_phase_point(problem, frames, out);
  add_tracks(problem, frames, out);
}

}  // namespace saltus

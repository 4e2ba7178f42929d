#include "saltus/picture/svg_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/core/plain_text.hpp"

namespace saltus {
namespace {

using Place = std::array<double, 3>;
using Shape = MovingPicture::Shape;
using Kind = MovingPicture::Kind;

constexpr const char* tints[] = {"#2f6fb3", "#d1772b", "#3d8f5f", "#b3405f",
                                 "#7a5bb5", "#2b9a9f", "#8a7433", "#5c6b7a"};
const char* tint(int colour) {
  return colour < 0 ? "#8b949e" : tints[colour % 8];
}

double dot(const Place& a, const Place& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Place plus(const Place& a, const Place& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Place cross(const Place& a, const Place& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
// A vector of a rigid shape's own axes; v are the ten numbers of the shape.
Place turned(const float* v, const Place& p) {
  const Place axis = {v[3], v[4], v[5]};
  Place t = cross(axis, p);
  for (double& x : t) x *= 2;
  const Place second = cross(axis, t);
  return {p[0] + v[6] * t[0] + second[0], p[1] + v[6] * t[1] + second[1], p[2] + v[6] * t[2] + second[2]};
}

// Where places of the motion are in the picture: z is the distance towards the eye.
struct Eye {
  Place middle, right, up, near;
  double scale, width, height;

  Eye(const MovingPicture& m, int w, int h) : width(w), height(h) {
    middle = {(m.box[0] + m.box[2]) / 2, (m.box[1] + m.box[3]) / 2, (m.depth[0] + m.depth[1]) / 2};
    const double wide = m.box[2] - m.box[0], high = m.box[3] - m.box[1], deep = m.depth[1] - m.depth[0];
    if (!m.in_space) {
      right = {1, 0, 0}, up = {0, 1, 0}, near = {0, 0, 1};
      scale = 1 / std::max({1.18 * wide / w, 1.18 * high / (h - 60), 1e-300});
      return;
    }
    constexpr double azimuth = -1.05, elevation = 0.42;
    const double ca = std::cos(azimuth), sa = std::sin(azimuth), ce = std::cos(elevation),
                 se = std::sin(elevation);
    right = {-sa, ca, 0}, up = {-se * ca, -se * sa, ce}, near = {ce * ca, ce * sa, se};
    scale = std::min<double>(w, 1.6 * h) / (1.1 * std::max(std::hypot(wide, high, deep), 1e-300));
  }
  Place operator()(const Place& p) const {
    const Place d = {p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]};
    return {width / 2 + dot(d, right) * scale, height / 2 + 18 - dot(d, up) * scale, dot(d, near)};
  }
};

struct Piece {  // what is near covers what is far
  double z;
  std::string svg;
};

std::string points_of(const std::vector<Place>& list) {
  std::string out;
  for (const Place& p : list) out += fmt::format("{:.1f},{:.1f} ", p[0], p[1]);
  return out;
}
std::string line_through(const std::vector<Place>& list, const char* colour, double width) {
  return fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\" stroke-linecap=\"round\" "
      "stroke-linejoin=\"round\"/>\n",
      points_of(list), colour, width);
}

class Frame {
 public:
  Frame(const MovingPicture& m, int frame, int w, int h) : m_(m), frame_(frame), eye_(m, w, h) {}

  std::string draw() {
    std::string out;
    for (const Shape& s : m_.shapes) trail(s, out);
    for (const Shape& s : m_.shapes) shape(s, m_.frame(frame_) + s.first);
    std::stable_sort(pieces_.begin(), pieces_.end(), [](const auto& a, const auto& b) { return a.z < b.z; });
    for (const Piece& p : pieces_) out += p.svg;
    return out + texts_;
  }

 private:
  void shape(const Shape& s, const float* v) {
    const Place place = {v[0], v[1], v[2]}, at = eye_(place);
    if (!std::isfinite(at[0] + at[1] + at[2])) return;
    switch (s.kind) {
      case Kind::round:
      case Kind::dot:
      case Kind::sphere:
        ball(s, v, at);
        break;
      case Kind::polygon: {
        std::vector<Place> list;
        for (const auto& [x, y] : s.points) list.push_back(eye_(plus(place, turned(v, {x, y, 0}))));
        face(list, at[2], tint(s.colour), s.colour < 0 ? 0.35 : 0.9, 0);
        break;
      }
      case Kind::wall: {
        const double far = 4 * (eye_.width + eye_.height) / eye_.scale;
        add(at[2], line_through({eye_(plus(place, turned(v, {-far, 0, 0}))),
                                 eye_(plus(place, turned(v, {far, 0, 0})))},
                                "#8b949e", 2));
        break;
      }
      case Kind::path:
      case Kind::spring:
        strand(s, v);
        break;
      case Kind::text:
        texts_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}{}</text>\n", at[0] + 4, at[1] - 4,
                              xml_text(s.text), s.valued ? fmt::format(" {:.5g}", v[3]) : "");
        break;
      case Kind::capsule:
        add(at[2], line_through({eye_(plus(place, turned(v, {0, 0, s.half}))),
                                 eye_(plus(place, turned(v, {0, 0, -s.half})))},
                                tint(s.colour), 2 * s.radius * eye_.scale));
        break;
      case Kind::cylinder:
      case Kind::polytope:
        solid(s, v);
        break;
      case Kind::plane:
        ground(v, place);
        break;
    }
  }
  void ball(const Shape& s, const float* v, const Place& at) {
    const double r = s.radius > 0 ? std::max(s.radius * eye_.scale, 1.0) : 6;
    std::string out = fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" ", at[0], at[1], r);
    out += s.colour < 0 ? fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", tint(s.colour))
                        : fmt::format("fill=\"{}\"/>\n", tint(s.colour));
    if (s.kind == Kind::sphere)
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"url(#ball)\"/>\n", at[0],
                         at[1], r);
    if (s.kind != Kind::dot && s.colour >= 0) {  // a mark that shows how it turns
      const Place x = turned(v, {1, 0, 0});
      if (!m_.in_space)
        out += line_through({at, {at[0] + 0.85 * r * x[0], at[1] - 0.85 * r * x[1], 0}}, "#fff", 1.5);
      else if (dot(x, eye_.near) > 0)
        out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"#fff\"/>\n",
                           at[0] + 0.8 * r * dot(x, eye_.right), at[1] - 0.8 * r * dot(x, eye_.up), 0.13 * r);
    }
    add(at[2], std::move(out));
  }
  void face(const std::vector<Place>& list, double z, const char* colour, double opacity, double dark) {
    const std::string points = points_of(list);
    std::string out = fmt::format(
        "<polygon points=\"{0}\" fill=\"{1}\" stroke=\"{1}\" stroke-linejoin=\"round\" "
        "opacity=\"{2:.2f}\"/>\n",
        points, colour, opacity);
    if (dark > 0) out += fmt::format("<polygon points=\"{}\" opacity=\"{:.2f}\"/>\n", points, dark);
    add(z, std::move(out));
  }
  void strand(const Shape& s, const float* v) {
    std::vector<Place> list;
    double z = 0;
    for (int k = 0; k + 2 < s.count; k += 3) {
      list.push_back(eye_({v[k], v[k + 1], v[k + 2]}));
      z += list.back()[2];
    }
    if (list.size() < 2) return;
    if (s.kind == Kind::spring) {
      const Place a = list.front(), b = list.back();
      const double dx = b[0] - a[0], dy = b[1] - a[1], l = std::max(std::hypot(dx, dy), 1e-9);
      z = (a[2] + b[2]) / 2 * static_cast<double>(list.size());
      std::vector<Place> coils = {a};
      for (int j = 0; j <= 12; ++j) {
        const double part = 0.1 + 0.8 * j / 12, side = j == 0 || j == 12 ? 0 : j % 2 ? 7 : -7;
        coils.push_back({a[0] + part * dx - side * dy / l, a[1] + part * dy + side * dx / l, 0});
      }
      coils.push_back(b);
      add(z / static_cast<double>(list.size()), line_through(coils, tint(s.colour), 2));
      return;
    }
    add(z / static_cast<double>(list.size()), line_through(list, tint(s.colour), 3));
  }
  void solid(const Shape& s, const float* v) {
    std::vector<Place> corners = s.corners;
    std::vector<std::vector<int>> faces = s.faces;
    if (s.kind == Kind::cylinder) {
      constexpr int n = 28;
      faces = {{}, {}};
      for (int k = 0; k < n; ++k) {
        const double a = 2 * std::numbers::pi * k / n, x = s.radius * std::cos(a), y = s.radius * std::sin(a);
        corners.push_back({x, y, s.half}), corners.push_back({x, y, -s.half});
        faces[0].push_back(2 * k), faces[1].insert(faces[1].begin(), 2 * k + 1);
        const int j = (k + 1) % n;
        faces.push_back({2 * k, 2 * k + 1, 2 * j + 1, 2 * j});
      }
    }
    const Place place = {v[0], v[1], v[2]};
    for (Place& c : corners) c = plus(place, turned(v, c));
    constexpr Place sun = {0.27, -0.43, 0.86};
    for (const auto& f : faces) {
      if (f.size() < 3) continue;
      const auto corner = [&](std::size_t k) { return corners[static_cast<std::size_t>(f[k])]; };
      const Place a = corner(0), b = corner(1), c = corner(2);
      const Place n = cross({b[0] - a[0], b[1] - a[1], b[2] - a[2]}, {c[0] - a[0], c[1] - a[1], c[2] - a[2]});
      if (dot(n, eye_.near) < 0 && s.colour >= 0) continue;  // seen from inside
      std::vector<Place> list;
      double z = 0;
      for (std::size_t k = 0; k < f.size(); ++k) list.push_back(eye_(corner(k))), z += list.back()[2];
      const double light = std::max(0.0, dot(n, sun) / std::max(std::sqrt(dot(n, n)), 1e-300));
      face(list, z / static_cast<double>(f.size()), tint(s.colour), s.colour < 0 ? 0.25 : 1,
           0.42 * (1 - light));
    }
  }
  void ground(const float* v, const Place& place) {
    const Place n = turned(v, {0, 0, 1}), a = turned(v, {1, 0, 0}), b = turned(v, {0, 1, 0}),
                &mid = eye_.middle;
    const double away = dot({mid[0] - place[0], mid[1] - place[1], mid[2] - place[2]}, n);
    const double reach = 0.45 * eye_.width / eye_.scale;
    std::vector<Place> ring;
    for (int k = 0; k < 48; ++k) {
      const double c = reach * std::cos(k * std::numbers::pi / 24),
                   d = reach * std::sin(k * std::numbers::pi / 24);
      Place p = mid;
      for (std::size_t i = 0; i < 3; ++i) p[i] += c * a[i] + d * b[i] - away * n[i];
      ring.push_back(eye_(p));
    }
    face(ring, -1e300, "#8b949e", 0.25, 0);
  }
  void trail(const Shape& s, std::string& out) const {
    if (!s.trail && !(s.moves && s.count == MovingPicture::rigid_numbers && m_.shapes.size() <= 12)) return;
    std::vector<Place> list;
    for (int i = std::max(0, frame_ - 400); i <= frame_; ++i) {
      const float* v = m_.frame(i) + s.first;
      list.push_back(eye_({v[0], v[1], v[2]}));
    }
    out += fmt::format("<g opacity=\"0.4\">{}</g>\n", line_through(list, tint(s.colour), 1.5));
  }
  void add(double z, std::string svg) { pieces_.push_back({z, std::move(svg)}); }

  const MovingPicture& m_;
  int frame_;
  Eye eye_;
  std::vector<Piece> pieces_;
  std::string texts_;
};

}  // namespace

std::string svg_frame(const MovingPicture& motion, int frame, const std::string& title, int width,
                      int height) {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"DejaVu Sans, sans-serif\" font-size=\"14\">\n<defs><radialGradient id=\"ball\" "
      "cx=\"0.35\" cy=\"0.3\" "
      "r=\"0.75\"><stop offset=\"0\" stop-color=\"#fff\" stop-opacity=\"0.35\"/><stop offset=\"1\" "
      "stop-opacity=\"0.35\"/></radialGradient></defs>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      width, height);
  out += Frame(motion, frame, width, height).draw();
  out += fmt::format(
      "<text x=\"16\" y=\"26\">{}</text>\n<text x=\"{}\" y=\"26\" text-anchor=\"end\">t = {:.4f} "
      "s</text>\n</svg>\n",
      xml_text(title), width - 16, motion.t[static_cast<std::size_t>(frame)]);
  return out;
}

}  // namespace saltus

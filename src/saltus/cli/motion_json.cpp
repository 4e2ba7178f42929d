#include "saltus/cli/motion_json.hpp"

namespace saltus::cli {
namespace {

constexpr std::string_view shape_names[] = {"round", "polygon", "wall",    "dot",      "path",     "spring",
                                            "text",  "sphere",  "capsule", "cylinder", "polytope", "plane"};

}  // namespace

Json to_json(const MovingPicture& m) {
  Json shapes = Json::array();
  for (const MovingPicture::Shape& s : m.shapes) {
    Json j = {{"kind", shape_names[static_cast<std::size_t>(s.kind)]},
              {"name", s.name},
              {"first", s.first},
              {"count", s.count},
              {"colour", s.colour},
              {"moves", s.moves}};
    if (s.radius > 0) j["radius"] = number(s.radius);
    if (!s.points.empty()) j["points"] = s.points;
    if (s.half > 0) j["half"] = number(s.half);
    if (!s.corners.empty()) j["corners"] = s.corners, j["faces"] = s.faces;
    if (!s.text.empty()) j["text"] = s.text;
    if (s.trail) j["trail"] = true;
    if (s.valued) j["valued"] = true;
    shapes.push_back(std::move(j));
  }
  Json box = Json::array();
  for (const double x : m.box) box.push_back(number(x));
  return {{"frames", m.frames()},   {"width", m.width},
          {"box", std::move(box)},  {"depth", {number(m.depth[0]), number(m.depth[1])}},
          {"in_space", m.in_space}, {"shapes", std::move(shapes)},
          {"note", m.note},         {"force", m.force},
          {"impulse", m.impulse},   {"impacts_left_out", m.events_left_out}};
}

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const unsigned x = bytes[i] << 16 | (left > 1 ? bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
    out += digits[x >> 18 & 63], out += digits[x >> 12 & 63];
    out += left > 1 ? digits[x >> 6 & 63] : '=';
    out += left > 2 ? digits[x & 63] : '=';
  }
  return out;
}

}  // namespace saltus::cli

// STL, as text or bytes, and OBJ: corners and triangles, all else is passed over.
#include <charconv>
#include <cstring>

#include "saltus/core/error.hpp"
#include "saltus/core/port.hpp"
#include "saltus/spatial/triangle_mesh.hpp"

namespace saltus {
namespace {

class MeshWords {
 public:
  explicit MeshWords(std::string_view text) : rest_(text) {}
  int line() const { return line_; }
  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    here_ = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
    ++line_;
    return true;
  }
  /// The next word of the line; empty at its end.
  std::string_view word() {
    constexpr std::string_view blank = " \t\r";
    const std::size_t first = here_.find_first_not_of(blank);
    if (first == std::string_view::npos) return here_ = {}, here_;
    const std::size_t end = std::min(here_.find_first_of(blank, first), here_.size());
    const std::string_view out = here_.substr(first, end - first);
    here_ = here_.substr(end);
    return out;
  }
  double number() {
    const std::string_view w = word();
    double x = 0;
    const auto [end, trouble] = port::from_chars(w.data(), w.data() + w.size(), x);
    if (w.empty() || trouble != std::errc() || end != w.data() + w.size() || !std::isfinite(x))
      fail("line {}: found '{}', expected a number", line_, w);
    return x;
  }
  Vec3 point() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }

 private:
  std::string_view rest_, here_;
  int line_ = 0;
};

TriangleMesh read_text_stl(std::string_view text) {
  MeshWords words(text);
  TriangleMesh out;
  while (words.next_line())
    if (words.word() == "vertex") out.vertices.push_back(words.point());
  if (out.vertices.empty() || out.vertices.size() % 3 != 0)
    fail("line {}: the file has {} corners of triangles, not three for each", words.line(),
         out.vertices.size());
  for (int k = 0; k < static_cast<int>(out.vertices.size()); k += 3)
    out.triangles.push_back({k, k + 1, k + 2});
  return out;
}

}  // namespace

// A file of bytes has as many as its count of triangles says; some begin with the word of the other kind.
TriangleMesh read_stl(std::string_view bytes) {
  constexpr std::size_t head = 84, each = 50;
  std::uint32_t count = 0;
  if (bytes.size() >= head) std::memcpy(&count, bytes.data() + 80, 4);
  TriangleMesh out;
  if (bytes.size() < head || bytes.size() != head + each * count) {
    if (!bytes.starts_with("solid"))
      fail("neither kind of STL: it does not begin with 'solid', and {} bytes are not those of {} triangles",
           bytes.size(), count);
    out = read_text_stl(bytes);
  } else {
    for (std::uint32_t k = 0; k < count; ++k) {
      const int first = static_cast<int>(out.vertices.size());
      for (int i = 0; i < 3; ++i) {
        float x[3];
        std::memcpy(x, bytes.data() + head + each * k + 12 + 12 * static_cast<std::size_t>(i), 12);
        const Vec3 p(x[0], x[1], x[2]);
        if (!p.allFinite()) fail("triangle {}: a corner is not finite", k + 1);
        out.vertices.push_back(p);
      }
      out.triangles.push_back({first, first + 1, first + 2});
    }
  }
  out.join_corners();
  return out;
}

TriangleMesh read_obj(std::string_view text) {
  MeshWords words(text);
  TriangleMesh out;
  while (words.next_line()) {
    const std::string_view kind = words.word();
    if (kind == "v") out.vertices.push_back(words.point());
    if (kind != "f") continue;
    std::vector<int> corners;
    for (std::string_view w = words.word(); !w.empty(); w = words.word()) {
      int k = 0;
      const auto [end, trouble] = std::from_chars(w.data(), w.data() + w.size(), k);
      const int n = static_cast<int>(out.vertices.size()), corner = k < 0 ? n + k : k - 1;
      if (trouble != std::errc() || (end != w.data() + w.size() && *end != '/') || corner < 0 || corner >= n)
        fail("line {}: '{}' is no corner: there are {} points so far", words.line(), w, n);
      corners.push_back(corner);
    }
    if (corners.size() < 3) fail("line {}: a face needs three corners", words.line());
    for (std::size_t i = 1; i + 1 < corners.size(); ++i)
      out.triangles.push_back({corners[0], corners[i], corners[i + 1]});
  }
  if (out.vertices.empty()) fail("the file has no points (lines `v x y z`)");
  out.join_corners();
  return out;
}

}  // namespace saltus

#include "saltus/scene/draw.hpp"

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

using Id = Graph::Id;

constexpr std::size_t most_items = 2000, most_places = 1000;

class DrawingCompiler {
 public:
  explicit DrawingCompiler(SceneCompiler& c) : c_(c) {}

  std::shared_ptr<const Drawing> run() {
    const Scene& scene = c_.scene();
    if (scene.draw.list.size() > most_items)
      c_.complaints().add(scene.place_of("draw"), "draw",
                          fmt::format("at most {} things are drawn", most_items));
    for (const auto& [name, place, d] : scene.draw.list) add(name, place, d);
    if (scene.draw.empty()) find_points();
    if (out_->items.empty() || bad_) return nullptr;
    out_->tape = Tape(c_.graph(), outputs_);
    return out_;
  }

 private:
  void complain(Place place, const std::string& path, std::string message) {
    bad_ = true;
    c_.complaints().add(place, path, std::move(message));
  }
  Id term(const Formula& f) {
    const Term x =
        c_.compile(f, c_.is_odae() ? SceneCompiler::Use::positions : SceneCompiler::Use::velocities);
    if (!x.ok) bad_ = true;
    return x.ok ? x.node : c_.graph().number(0);
  }
  // [x, y], or [x, y, z] in space
  void put_place(const std::vector<Formula>& p, Place place, const std::string& path) {
    if (p.size() != 2 && p.size() != 3) return complain(place, path, "a place is written [x, y]");
    for (const Formula& f : p) outputs_.push_back(term(f));
    if (p.size() == 2) outputs_.push_back(c_.graph().number(0));
  }
  void put_places(const std::vector<std::vector<Formula>>& list, Place place, const std::string& path) {
    if (list.size() < 2 || list.size() > most_places)
      return complain(place, path, fmt::format("needs 2 to {} places: [[x, y], [x, y]]", most_places));
    for (const auto& p : list) put_place(p, place, path);
  }
  void add(const std::string& name, Place place, const SceneDraw& d) {
    const std::string path = "draw." + name;
    const int kinds = !d.point.empty() + !d.line.empty() + !d.spring.empty() + d.text.given();
    if (kinds != 1) {
      if (!c_.complaints().about(path)) complain(place, path, "give one of point, line, spring and text");
      bad_ = true;
      return;
    }
    Drawing::Item item;
    item.name = name, item.colour = d.colour.value, item.trail = d.trail;
    item.first = static_cast<int>(outputs_.size());
    if (d.trail && d.point.empty())
      complain(place, path + ".trail", "points leave trails, nothing else does");
    if (d.radius.given()) {
      if (d.point.empty()) complain(place, path + ".radius", "points have a radius, nothing else has");
      item.radius = c_.number_in(Range::non_negative(), d.radius, 0);
    }
    if (d.text.given() ? d.at.empty() : !d.at.empty())
      complain(place, path + ".at", "a text has a place, and nothing else: at: [x, y]");
    if (!d.text.given() && d.value.given()) complain(place, path + ".value", "only texts have a value");
    if (!d.point.empty()) {
      put_place(d.point, place, path + ".point");
    } else if (!d.line.empty()) {
      item.kind = Drawing::Kind::line, item.places = static_cast<int>(d.line.size());
      put_places(d.line, place, path + ".line");
    } else if (!d.spring.empty()) {
      item.kind = Drawing::Kind::spring, item.places = static_cast<int>(d.spring.size());
      put_places(d.spring, place, path + ".spring");
    } else {
      item.kind = Drawing::Kind::text, item.text = d.text.text, item.valued = d.value.given();
      if (!d.at.empty()) put_place(d.at, place, path + ".at");
      if (item.valued) outputs_.push_back(term(d.value));
    }
    out_->items.push_back(std::move(item));
  }

  // Without a section: pairs of coordinates or `let` called x…, y… are points of the plane, joined in the
  // order of the file from the origin, as links are, where the first of them keeps its distance from it.
  void find_points() {
    const Scene& scene = c_.scene();
    if (!scene.bodies.empty() || !scene.groups.empty() || !scene.beams.empty() || scene.chain ||
        scene.ready || !c_.complaints().empty())
      return;
    std::vector<std::string> names;
    for (const auto& x : scene.coordinates.list) names.push_back(x.name);
    for (const auto& x : scene.let.list) names.push_back(x.name);
    for (const std::string& x : names) {
      const auto at = x.starts_with('x') ? 0 : x.ends_with(".x") ? x.size() - 1 : std::string::npos;
      if (at == std::string::npos) continue;
      std::string y = x;
      y[at] = 'y';
      if (std::find(names.begin(), names.end(), y) == names.end()) continue;
      Drawing::Item item;
      item.name = x.substr(1).empty() ? "point" : at == 0 ? x.substr(1) : x.substr(0, x.size() - 2);
      item.first = static_cast<int>(outputs_.size());
      item.colour = static_cast<int>(out_->items.size()) % 8, item.trail = true;
      put_place({Formula{x, "draw", {1, 1}}, Formula{y, "draw", {1, 1}}}, {1, 1}, "draw");
      out_->items.push_back(std::move(item));
    }
    if (out_->items.empty() || bad_) return;
    join_links();
  }
  // Whether the distance of two places depends on nothing that moves: at some configurations it is the same.
  bool is_link(const Id* a, const Id* b) {
    Graph& g = c_.graph();
    Id square = g.number(0);
    for (int k = 0; k < 3; ++k) {
      const Id d = a ? g.subtract(b[k], a[k]) : b[k];
      square = g.add(square, g.multiply(d, d));
    }
    const Tape tape(g, std::span(&square, 1));
    TapeRoom room;
    double first = 0, spread = 0, size = 0;
    for (int trial = 0; trial < 5; ++trial) {
      double value = 0;
      tape.evaluate([&](int k) { return 0.3 + 0.37 * trial * (1 + 0.61 * (k % 7)); },
                    [&](int, double x) { value = x; }, room);
      if (trial == 0) first = value;
      spread = std::max(spread, std::abs(value - first)), size = std::max(size, std::abs(value));
    }
    return size > 0 && spread <= 1e-9 * size;
  }
  void join_links() {
    const std::vector<Id> places = outputs_;
    const std::size_t points = out_->items.size();
    Drawing::Item rod;
    rod.kind = Drawing::Kind::line, rod.name = "rod", rod.colour = -1;
    for (std::size_t k = 0; k < points; ++k) {
      const Id* to = &places[3 * k];
      const Id* from = k > 0 ? &places[3 * (k - 1)] : nullptr;
      if (!is_link(from, to)) continue;
      rod.first = static_cast<int>(outputs_.size()), rod.places = 2;
      for (int j = 0; j < 3; ++j) outputs_.push_back(from ? from[j] : c_.graph().number(0));
      for (int j = 0; j < 3; ++j) outputs_.push_back(to[j]);
      out_->items.push_back(rod);
    }
  }

  SceneCompiler& c_;
  std::shared_ptr<Drawing> out_ = std::make_shared<Drawing>();
  std::vector<Id> outputs_;
  bool bad_ = false;
};

}  // namespace

std::shared_ptr<const Drawing> compile_drawing(SceneCompiler& compiler) {
  return DrawingCompiler(compiler).run();
}

}  // namespace saltus

#include "saltus/cli/html_page.hpp"

#include <random>

#include "saltus/cli/motion_json.hpp"
#include "saltus/cli/player_text.hpp"
#include "saltus/core/plain_text.hpp"
#include "saltus/picture/curves.hpp"

namespace saltus::cli {
namespace {

// In a script element nothing but "</script" and "<!--" has a meaning: without < there is neither.
std::string for_script(const std::string& json) {
  std::string out;
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

// Each word of the template is replaced once, and what was put in is not looked at again.
std::string filled(std::string_view page,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> words) {
  std::string out;
  while (!page.empty()) {
    std::size_t at = page.size();
    std::pair<std::string_view, std::string_view> found;
    for (const auto& w : words)
      if (const auto k = page.find(w.first); k < at) at = k, found = w;
    out += page.substr(0, at);
    if (at == page.size()) break;
    out += found.second;
    page.remove_prefix(at + found.first.size());
  }
  return out;
}

Json curves_json(const PlayedRun& run) {
  constexpr std::size_t most_numbers = 400'000;
  constexpr int most_curves = 8;
  const Curves curves = curves_of(run.problem, run.trajectory, 1000, most_numbers);
  const Trajectory& s = curves.samples;
  std::vector<double> t;
  for (int i = 0; i < s.size(); ++i) t.push_back(s.t(i));
  Json list = Json::array();
  const auto add = [&](const std::string& name, auto&& value) {
    std::vector<float> values;
    for (int i = 0; i < s.size(); ++i) values.push_back(static_cast<float>(value(i)));
    list.push_back({{"name", name}, {"values", base64_of(values)}});
  };
  for (int k = 0; k < std::min(s.nq(), most_curves); ++k)
    add(coordinate_name(run.problem, k), [&](int i) { return s.q(i)[k]; });
  for (int k = 0; k < std::min(s.nu(), most_curves); ++k)
    add(k < std::ssize(run.problem.velocities) ? run.problem.velocities[static_cast<std::size_t>(k)]
                                               : fmt::format("u[{}]", k),
        [&](int i) { return s.u(i)[k]; });
  if (!curves.energy.empty() && std::isfinite(curves.energy.front()))
    add("energy", [&](int i) { return curves.energy[static_cast<std::size_t>(i)]; });
  return {{"t", base64_of(t)}, {"list", std::move(list)}};
}

}  // namespace

std::string random_letters(int count) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::uniform_int_distribution<int> digit(0, 61);
  std::string out;
  for (int i = 0; i < count; ++i) out += digits[digit(random)];
  return out;
}

std::string html_page(const PlayedRun& run) {
  PictureOptions options;
  options.frames = run.frames, options.numbers = 3'000'000;
  const MovingPicture motion = motion_of(run.problem, run.trajectory, run.drawing, options);
  Json m = to_json(motion);
  m["t"] = base64_of(motion.t), m["values"] = base64_of(motion.values);
  m["act_start"] = base64_of(motion.act_start), m["acts"] = base64_of(motion.acts);
  Json data = {
      {"title", run.title}, {"subtitle", run.subtitle}, {"motion", std::move(m)}, {"events", run.events}};
  if (run.report) {
    data["report"] = to_json(*run.report);
    data["report"].erase("events");  // they are there already
    data["curves"] = curves_json(run);
  }
  const std::string nonce = random_letters(24);
  return filled(player_page, {{"@NONCE@", nonce},
                              {"@TITLE@", xml_text(run.title)},
                              {"@STYLE@", player_style},
                              {"@VERSION@", SALTUS_VERSION},
                              {"@DATA@", for_script(json_text(data, -1))},
                              {"@SCRIPT@", player_script}});
}

}  // namespace saltus::cli

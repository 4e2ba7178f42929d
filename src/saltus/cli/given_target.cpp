#include "saltus/cli/given_target.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include "saltus/core/checksum.hpp"

namespace saltus::cli {
namespace {

struct Registry {
  struct Item {
    std::shared_ptr<const KnownTarget> target;
    int uses = 0;
  };
  std::mutex door;
  std::map<std::string, Item> items;
  std::deque<std::shared_ptr<const KnownTarget>> released;  // scenes, the last ones
  std::uint64_t entries = 0;
};

Registry& registry() {
  static Registry r;
  return r;
}

constexpr std::size_t most_released = 4;

// One that was given before, or a new one.
std::shared_ptr<const KnownTarget> known(Registry& r, GivenTarget&& target) {
  const auto it = std::find_if(r.released.begin(), r.released.end(), [&](const auto& old) {
    return old->file == target.file && old->text == target.text;
  });
  if (target.entry || it == r.released.end()) return std::make_shared<const KnownTarget>(std::move(target));
  auto out = *it;
  r.released.erase(it);
  return out;
}

}  // namespace

Given::Given(GivenTarget target) {
  Registry& r = registry();
  const std::lock_guard lock(r.door);
  name_ = target.entry ? fmt::format("{} (given, {})", target.file, ++r.entries)
                       : fmt::format("{} (given, {:016x})", target.file, checksum(target.text));
  auto& item = r.items[name_];
  if (item.uses++ == 0) item.target = known(r, std::move(target));
}

Given::~Given() {
  Registry& r = registry();
  const std::lock_guard lock(r.door);
  const auto it = r.items.find(name_);
  if (--it->second.uses > 0) return;
  if (!it->second.target->entry) r.released.push_back(std::move(it->second.target));
  if (r.released.size() > most_released) r.released.pop_front();
  r.items.erase(it);
}

std::shared_ptr<const LoadedScene> KnownTarget::scene(std::span<const std::string> sets,
                                                      const MethodTexts& chosen) const {
  std::string key;
  const auto add = [&key](const std::string& part) { key += part, key += '\0'; };
  for (const auto& part : {chosen.scheme, chosen.stepping, chosen.solver, chosen.h, chosen.rtol, chosen.atol})
    add(part);
  for (const auto& set : sets) add(set);
  const std::lock_guard lock(door_);
  if (!scene_ || key != read_for_) scene_ = load_scene_text(text, file, sets, chosen), read_for_ = key;
  return scene_;
}

std::shared_ptr<const KnownTarget> given_target(const std::string& name) {
  Registry& r = registry();
  const std::lock_guard lock(r.door);
  const auto it = r.items.find(name);
  return it == r.items.end() ? nullptr : it->second.target;
}

}  // namespace saltus::cli

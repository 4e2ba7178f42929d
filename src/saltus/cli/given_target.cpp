#include "saltus/cli/given_target.hpp"

#include <map>
#include <mutex>

#include "saltus/core/checksum.hpp"

namespace saltus::cli {
namespace {

struct Registry {
  struct Item {
    std::shared_ptr<const GivenTarget> target;
    int uses = 0;
  };
  std::mutex door;
  std::map<std::string, Item> items;
  std::uint64_t entries = 0;
};

Registry& registry() {
  static Registry r;
  return r;
}

}  // namespace

Given::Given(GivenTarget target) {
  Registry& r = registry();
  const std::lock_guard lock(r.door);
  name_ = target.entry ? fmt::format("{} (given, {})", target.file, ++r.entries)
                       : fmt::format("{} (given, {:016x})", target.file, checksum(target.text));
  auto& item = r.items[name_];
  if (item.uses++ == 0) item.target = std::make_shared<const GivenTarget>(std::move(target));
}

Given::~Given() {
  Registry& r = registry();
  const std::lock_guard lock(r.door);
  const auto it = r.items.find(name_);
  if (--it->second.uses == 0) r.items.erase(it);
}

std::shared_ptr<const GivenTarget> given_target(const std::string& name) {
  Registry& r = registry();
  const std::lock_guard lock(r.door);
  const auto it = r.items.find(name);
  return it == r.items.end() ? nullptr : it->second.target;
}

}  // namespace saltus::cli

// Event capturing: what a checkpoint keeps of closed contacts, and what is checked when it is read.
#include <algorithm>
#include <cmath>

#include "saltus/run/event_capturing.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {
namespace {

// Whether a closed contact, or a law without a gap, can be in that mode.
bool can_freeze(const Law& law, Mode mode) {
  if (std::holds_alternative<Equality>(law)) return false;
  if (std::holds_alternative<Unilateral>(law)) return mode == Mode::closed;
  return mode == Mode::stick || mode == Mode::slip || mode == Mode::slip_back ||
         (mode == Mode::roll && std::holds_alternative<RollingFriction>(law));
}

}  // namespace

void EventCapture::memory(Memory& m) {
  std::vector<std::uint64_t> ids;
  std::vector<Mode> modes;
  std::vector<double> slips;
  for (const FrozenContact& f : closed_) {
    ids.push_back(f.id), modes.push_back(f.mode);
    slips.insert(slips.end(), f.slip.begin(), f.slip.end());
  }
  std::vector<std::uint64_t> loaded;
  std::vector<double> forces;
  for (const Load& l : loads_) {
    loaded.push_back(l.id);
    forces.insert(forces.end(), l.force.begin(), l.force.end());
  }
  m(ids, modes, slips, loaded, forces, shared_at_, tied_, released_, beginning_, bounces_, moved_, pushed_,
    acceleration_scale_, edge_passed_, fastest_, rested_, longest_rest_, jump_, jumped_, stalls_, debt_,
    result_.ties, projection_.reach());
  if (!m.reading()) return;
  m.require(projection_.reach().size() == shape_.nu && (projection_.reach().array() >= 0).all());
  radian_ = std::sqrt(moved_ / pushed_);
  m.require(result_.ties >= 0 && moved_ >= 0 && pushed_ >= 0 && acceleration_scale_ >= 0 && fastest_ >= 0 &&
            edge_passed_ == edge_passed_ && jump_ >= 0 && jumped_ == jumped_ && debt_ >= 0 && stalls_ >= 0 &&
            stalls_ < 100);
  for (std::size_t i = 1; i < bounces_.size(); ++i) m.require(bounces_[i - 1].contact < bounces_[i].contact);
  m.require(std::is_sorted(beginning_.begin(), beginning_.end()));
  m.require(ids.size() == modes.size() && slips.size() == max_block_rows * ids.size());
  for (const double x : slips) m.require(std::abs(x) <= 2);
  m.require(forces.size() == max_block_rows * loaded.size() && std::is_sorted(loaded.begin(), loaded.end()) &&
            shared_at_ == shared_at_ && tied_ >= 0);
  for (const double x : forces) m.require(std::isfinite(x));
  loads_.clear();
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    loads_.push_back({loaded[i], {}});
    std::copy_n(forces.begin() + static_cast<std::ptrdiff_t>(max_block_rows * i), max_block_rows,
                loads_.back().force.begin());
  }
  ContactSet set;
  set.sharp = true;
  CheckedSystem(system_).list(x_.t, x_.q, set);
  closed_.clear();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    m.require(i == 0 || ids[i - 1] < ids[i]);
    const auto contact = std::find_if(set.contacts.begin(), set.contacts.end(),
                                      [&](const Contact& c) { return c.id == ids[i]; });
    m.require(contact != set.contacts.end() && can_freeze(system_.laws()[contact->law], modes[i]));
    closed_.push_back({ids[i], modes[i], {}});
    std::copy_n(slips.begin() + static_cast<std::ptrdiff_t>(max_block_rows * i), max_block_rows,
                closed_.back().slip.begin());
  }
  flow_->dynamics().share_load(loads_);
  flow_->freeze(closed_);
}

}  // namespace saltus

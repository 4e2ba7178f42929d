// The state of a run: a value. Copying it is a checkpoint, assigning between equal sizes does not allocate.
#pragma once
#include <algorithm>
#include <vector>

#include "saltus/core/types.hpp"
#include "saltus/law/law.hpp"

namespace saltus {

/// What the closed contacts (and joints) did in the last step, by persistent id: warm starts and events live
/// on it. Contacts that are not listed are open. Ids increase.
struct ContactMemory {
  struct Record {
    std::uint64_t id = 0;
    int offset = 0;  ///< of its impulse
    std::uint8_t rows = 0;
    bool has_gap = false;  ///< a contact that can open; joints and relays always act
    bool resting = false;  ///< its normal velocity after the step is zero to rounding
    Mode mode = Mode::open;
  };
  std::vector<Record> closed;
  std::vector<double> impulse;
  double speed =
      0;            ///< the largest velocity an impulse of the step made, G_ii P_i: the scale of its rounding
  double step = 0;  ///< length of the step the impulses belong to: forces are impulse/step; 0 when unknown

  void clear() { closed.clear(), impulse.clear(), speed = 0, step = 0; }
  const Record* find(std::uint64_t id) const {
    const auto it = std::lower_bound(closed.begin(), closed.end(), id,
                                     [](const Record& r, std::uint64_t x) { return r.id < x; });
    return it != closed.end() && it->id == id ? &*it : nullptr;
  }
  /// Of any contact: open when it is not listed.
  Mode mode(std::uint64_t id) const {
    const Record* r = find(id);
    return r ? r->mode : Mode::open;
  }
};

/// What a chain has stirred: outside [begin, end[ a state is still the one of start number `start`, at rest.
/// 0: unknown. Schemes for chains maintain it (scheme/first_order/front.hpp); code that changes q or u by
/// hand clears it.
struct Moved {
  std::uint64_t start = 0;
  int begin = 0, end = 0;
};

struct State {
  double t = 0;
  Vec q, u;
  Vec aux;  ///< belongs to the scheme
  ContactMemory contacts;
  Moved moved = {};
};

}  // namespace saltus

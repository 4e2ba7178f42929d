// What contacts did, step by step, against the events that tell it: a state for each contact that is closed,
// which only an event may change.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "saltus/law/law.hpp"
#include "saltus/run/event.hpp"

namespace saltus {

class ContactHistory {
 public:
  struct Acting {
    std::uint64_t contact;
    Mode mode;
    Block impulse;
  };
  using Names = std::function<std::string(std::uint64_t)>;
  explicit ContactHistory(Names name) : name_(std::move(name)) {}

  /// A contact without a gap: it acts in every step.
  void always(std::uint64_t contact) { always_.insert(contact); }
  /// The next event; `rebounds`: of a contact with restitution.
  void tell(const Event& event, bool rebounds);
  /// A step without a jump, with the contacts that are closed in it.
  void go_on(double from, double to, std::span<const Acting> closed);
  /// A step over impacts, with all contacts that have an impulse in it.
  void hit(double from, double to, std::span<const Acting> touched, std::span<const Event> events);
  /// No time passes: the contacts are those of the step before.
  void stand(double t, std::span<const Acting> closed);
  /// The last events have no step after them.
  void end();

  std::vector<std::string>& findings() { return findings_; }

 private:
  struct Bounces {
    int count = 0, total = 0;  // impacts with ever shorter flights; all since the last accumulation
    double last = 0, interval = 0;
  };
  struct Turns {
    bool closed = false, toggled = false;
    std::vector<const Event*> modes;
  };
  Turns follow(std::uint64_t contact, bool was_closed);
  void compare(std::uint64_t contact, const Mode* was, const Mode* is, double t);
  void find(std::string text) { findings_.push_back(std::move(text)); }

  Names name_;
  std::set<std::uint64_t> always_;
  bool begun_ = false;
  std::map<std::uint64_t, Mode> closed_;  // of the last step without a jump
  std::vector<Event> told_;               // since then, but for impacts
  std::map<std::uint64_t, Bounces> bounces_;
  std::vector<Acting> last_;
  std::vector<std::string> findings_;
};

}  // namespace saltus

// The driver of odae_bodies.hpp: its state, and what it asks at the end of a step.
#pragma once
#include <algorithm>

#include "saltus/run/driver.hpp"
#include "saltus/run/family_rules.hpp"
#include "saltus/run/memory.hpp"
#include "saltus/scheme/symplectic/body_euler_stepper.hpp"
#include "saltus/scheme/symplectic/body_events.hpp"

namespace saltus {

class LocatedBodies {
 public:
  LocatedBodies(const EventLocation& options, const RunContext& context);
  /// Contacts that touch at the start: those that approach have an impact, the others may stay closed.
  bool begin();
  /// To the end of a step of the grid; false when the run is over.
  bool advance(double end, double h);
  State& now() { return now_; }
  Faults& faults() { return stepper_.faults(); }
  std::string passage;  // of bodies that went through each other
  void memory(Memory& m) {
    m(flights_, stepped_, settled_, left_, block_, events_.reach()), m.stepper(stepper_);
    m.require(events_.reach().size() == bodies_.shape().nu && (events_.reach().array() >= 0).all());
    m.require(left_ >= 0 && left_ <= longest_block && block_ > 0 && block_ <= longest_block);
  }
  /// How many steps of the grid were finished by time stepping, and why the first one was.
  std::int64_t stepped() const { return stepped_; }
  const std::string& reason() const { return reason_; }

 private:
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};
  enum class Kind : std::uint8_t { gap, force, hold, slide };
  // Negative (a gap: and closing) when the step went too far.
  struct Watch {
    std::uint64_t id = 0;
    Kind kind = Kind::gap;
    double value = 0;
    bool far = false, plane = false;  // of two tangents
    double slip[2] = {0, 0};
  };
  struct Change {
    std::uint64_t id = nobody;
    Kind kind = Kind::gap;
    double tau = infinity;
  };
  // Ever shorter flights: an accumulation of impacts
  struct Flight {
    std::uint64_t id = 0;
    double last = -infinity;  // impact
    double fastest = 0;       // landing of the series of short flights so far
    void memory(Memory& m) {
      m(id, last, fastest);
      m.require(last == last && fastest == fastest);
    }
  };

  bool touches(const Contact& c) const;
  double fastest() const;
  bool look(const State& x);
  bool no_multipliers(const State& x);
  bool step(double& tau);  // false: report_ says why
  bool no_step(double tau);
  bool pass_corner(double tau);
  bool locate_to(double end, double h);
  bool time_step(double end);
  bool jams(const Vec& before, double tau);  // from these velocities to those of next_
  bool jammed();
  std::uint64_t turned_contact(double tau);
  bool accept(bool grid_point);
  void share_impulses();
  bool watch(const State& x, std::vector<Watch>& out);  // false: there are no multipliers
  static double room_of(const Law& law, const double* lambda);
  static const Watch* find(const std::vector<Watch>& list, std::uint64_t id, Kind kind) {
    for (const Watch& w : list)
      if (w.id == id && w.kind == kind) return &w;
    return nullptr;
  }

  bool slides_in_plane() const {
    return std::any_of(before_.begin(), before_.end(), [](const Watch& w) { return w.plane && w.value > 0; });
  }

  Change first_change(double h);  // of those in after_
  static bool of_forces(Kind kind) { return kind == Kind::force || kind == Kind::hold; }

  bool has_choice(const Watch& w) const;
  bool modes_fit(const State& x);
  double locate(const Watch& end, double h);
  bool changed() const;
  bool force(const Change& change);
  bool settle(std::uint64_t opening, const std::vector<std::uint64_t>& turning, bool hit);
  const Law& law_of(std::uint64_t id) const;
  void note_modes();
  void note(EventKind kind, std::uint64_t id, Mode from, Mode to);
  void finish_change(const ContactMemory& impulses);
  void find_rests(const ContactMemory& hit);
  bool impact(const std::vector<std::uint64_t>& hitting);

  const EventLocation& options_;
  const RunContext& context_;
  RunResult& result_;
  const System& bodies_;
  BodyEulerStepper stepper_;
  BodyEvents events_;
  int multipliers_;
  State now_, next_, trial_;
  StepReport report_;
  std::vector<Watch> before_, after_;
  std::vector<BodyEvents::Candidate> candidates_;
  std::vector<HeldContact> held_;
  std::vector<std::uint64_t> resting_;  // of the impact: contacts that do not fly any more
  std::vector<Flight> flights_;
  std::vector<Event> list_;
  std::int64_t stepped_ = 0;
  bool settled_ = true;  // the modes of now_ are known
  // Steps of time stepping that follow one that had too many events, which is slow: twice as many each time.
  static constexpr int longest_block = 64;
  int left_ = 0, block_ = 1;
  std::string reason_;
  EventDetector detector_;  // of time stepping
};

}  // namespace saltus

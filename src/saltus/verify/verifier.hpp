// The parts of a verification, in the order of their calls.
#pragma once
#include "saltus/verify/contact_history.hpp"
#include "saltus/verify/equations.hpp"
#include "saltus/verify/places.hpp"
#include "saltus/verify/verification.hpp"

namespace saltus {

/// What is large in a motion: of each coordinate and velocity, and in the norm of M. What hardly moves counts
/// with a thousandth of what the motion of the others would make of it.
struct Scales {
  /// `part` of it counts as zero.
  Scales(const Trajectory& x, const System& system, double part);
  Vec size, speed;
  double position = 0, velocity = 0;
  double displacement = 0;  ///< the largest position, or what the largest velocity makes in the run
};

/// What of a value is beyond a slack.
double beyond(double value, double slack);

class Verifier {
 public:
  Verifier(const Trajectory& trajectory, const Problem& problem, const System& system, const Claims& claims,
           Verification& out, double part);
  /// What the start itself misses, of the scales of gaps.
  double start_misfit();
  void records();           // records.cpp: what is recorded fits together
  void pieces();            // pieces.cpp: the motion between events
  void junctions();         // junctions.cpp: where pieces meet, impacts
  void history();           // history.cpp: events tell every change of a contact, and nothing else
  void modes();             // records.cpp: of contacts
  void steps(double from);  // steps.cpp: of Moreau's scheme, from there on
  void energy();            // energy.cpp: the ledger

 private:
  using Piece = Trajectory::Piece;
  struct Point {
    Vec q, u, q_rate, u_rate;
  };
  void at(const Piece& p, double t, Point& out) const;
  double rounding(const double* terms, int n, int count, int component) const;
  void find(std::string text);
  Vec load_rounding(const Piece& p) const;

  bool is_smooth(double t0, double t1) const;
  std::vector<ContactHistory::Acting> acting(int i, std::size_t& atom, bool& complete);
  bool rebounds(const Event& e);
  void held(int i, const std::vector<ContactHistory::Acting>& now);
  double held_misfit(const Piece& p, double t, double s, const std::vector<ContactHistory::Acting>& now);

  void rate_misfit(const Piece& p, double t);
  void smooth_point(const Piece& p, double t, double weight);
  void gaps(double t, Misfits& out);
  void power(double t, const Point& x, double weight);

  void between(double t0, Point before, double t1, const Point& after);
  void meet(double t0, double t1, const Point& before, const Point& after);
  bool look_at_both_ends(double t0, double t1, const Point& before, const Point& after,
                         const std::vector<const Event*>& events);
  bool stays_closed(const Contact& c, const std::vector<const Event*>& events) const;
  double unsure_velocity(int row) const;
  void unspoken(double t, const std::vector<const Event*>& events);
  void losses(double t, const std::vector<const Event*>& events);
  void impact(const Event& e, double w, const Vec& gamma_minus);
  void react(double t, double w, const std::vector<std::uint64_t>& done);
  void step(int i, std::size_t& atom);
  void power_in_step(int i);
  void check_activity(const Contact& c, double h, double minus, double plus, bool acts, double t);
  void check_law(const Contact& c, const Block& P, const Block& minus, const Block& plus, double h, double t);
  bool settles(const Event& e) const;
  std::vector<const Event*> events_in(double t0, double t1) const;
  Point sample(int i) const { return {x_.q(i), x_.u(i), {}, {}}; }
  std::vector<int> samples_within(double t0, double t1) const;
  bool is_boundary(double t, bool begins) const;

  void ends();
  void samples();
  void event_times();
  void mode(const Trajectory::Atom& atom, double& known);
  double before_event(const Trajectory::Atom& atom) const;
  std::string mode_misfit(const Trajectory::Atom& atom) const;
  double longest_hole() const;
  void ledger(const Ledger& l, double moved, double begin, double end);

  const Trajectory& x_;
  const Problem& problem_;
  const System& system_;
  Places places_;
  const Claims& claims_;
  Verification& out_;
  Misfits& steps_;  // of Moreau's steps
  double part_;     // of scales: what counts as zero
  Scales scales_;
  Equations now_;
  std::unique_ptr<Workspace> work_;
  Point point_, other_;
  struct Bracket {
    std::vector<double> minus;  // γ⁻ by row
    std::vector<double> slack;  // what its location leaves open of velocities, by row
    std::vector<double> sure;   // velocities beyond that are no error of the location, by row
    double push = 0;            // and of impulses, in the norm of M⁻¹
  } bracket_;
  Vec rest_;
  // energy, computed anew
  double work_done_ = 0, damped_ = 0, rubbed_ = 0, impacts_ = 0, kinetic_ = 0;
  double unsure_energy_ = 0;  // what the location of impacts leaves open of it
};

}  // namespace saltus

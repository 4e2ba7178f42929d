// A method is a value of three parts: scheme, stepping, solver. Here are the steppings and what they are made
// of.
#pragma once
#include <variant>

#include "saltus/scheme/moreau/extrapolation.hpp"
#include "saltus/scheme/scheme.hpp"

namespace saltus {

/// Equal steps: (t_end − t0)/h is rounded up to an integer N, and h = (t_end − t0)/N.
struct FixedSteps {
  static constexpr std::string_view name = "fixed", summary = "equal steps";
  double h = 1e-3;
  bool accept_unsolved = false;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"h", "s", "step size", Range::positive()}, h);
    v(FieldInfo{"accept_unsolved", "", "count steps whose contacts missed the solver's tolerance and go on"},
      accept_unsolved);
  }
};

/// Higher-order event capturing around a Runge–Kutta scheme (see event_capturing.hpp): macro steps h, events
/// located to the critical step C·h^{p+1}, p the order of the tableau.
struct EventCapturing {
  static constexpr std::string_view name = "event-capturing",
                                    summary = "Runge–Kutta between roughly located events";
  double h = 1e-2, C = 0.01, theta = 1, kappa = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"h", "s", "macro step", Range::positive()}, h);
    v(FieldInfo{"C", "", "factor of the critical step C h^(p+1)", Range::positive()}, C);
    v(FieldInfo{"theta", "", "θ of Moreau's scheme in the critical step", Range::closed(0, 1)}, theta);
    v(FieldInfo{"kappa", "", "a contact closes when its next flight is shorter than kappa critical steps",
                Range::positive()},
      kappa);
  }
};

/// Step control on the positions (see adaptive.hpp); `h` is the largest step, none by default.
struct AdaptiveSteps {
  static constexpr std::string_view name = "adaptive",
                                    summary = "steps controlled by the error in positions (58)-(61)";
  double h = 0, h0 = 1e-2, atol = 1e-5, rtol = 0, alpha = 1, alpha_min = 0.5, alpha_max = 5;
  bool events = false;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"h", "s", "largest step; 0: no limit", Range::non_negative()}, h);
    v(FieldInfo{"h0", "s", "first step", Range::positive()}, h0);
    v(FieldInfo{"atol", "", "absolute tolerance on positions", Range::non_negative()}, atol);
    v(FieldInfo{"rtol", "", "relative tolerance on positions", Range::non_negative()}, rtol);
    v(FieldInfo{"alpha", "", "safety factor", Range{0, 1, false, true}}, alpha);
    v(FieldInfo{"alpha_min", "", "largest reduction of the step", Range{0, 1}}, alpha_min);
    v(FieldInfo{"alpha_max", "", "largest growth of the step", Range{1, infinity}}, alpha_max);
    v(FieldInfo{"events", "", "use order 1 in steps without events"}, events);
  }
};

/// Steps between h_min and h_max that search the switching points of the laws, extrapolated in between (see
/// switching.hpp).
struct SwitchingSteps {
  enum class Order : std::uint8_t { automatic };  ///< automatic, or the number of rows
  enum class Restitution : std::uint8_t { impacts, always, fading };
  static constexpr std::string_view order_names[] = {"auto", "1", "2", "3",  "4",  "5", "6",
                                                     "7",    "8", "9", "10", "11", "12"};
  static constexpr std::string_view restitution_names[] = {"impacts", "always", "fading"};
  static constexpr std::string_view name = "switching",
                                    summary = "minimal steps at switching points, extrapolated steps between";
  double h_min = 1e-6, h = 1e-2, atol = 1e-6, rtol = 0;  ///< h: the largest step, h_max
  Order order = Order::automatic;
  int n_max = 6;
  Substeps substeps = Substeps::odd;
  int power = 1;
  Restitution restitution = Restitution::impacts;
  double gap_tol = 1e-6;
  NumberList atol_q = 0, atol_u = 0;
  double rtol_q = 0, rtol_u = 0;
  ErrorNorm norm = ErrorNorm::largest;
  int dense = 300;
  double h_dense = 0;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"h_min", "s", "smallest step and substep: resolves a switching point", Range::positive()},
      h_min);
    v(FieldInfo{"h_max", "s", "largest step", Range::positive()}, h);
    v(FieldInfo{"atol", "", "absolute tolerance on q and u", Range::non_negative()}, atol);
    v(FieldInfo{"rtol", "", "relative tolerance on q and u", Range::non_negative()}, rtol);
    v(FieldInfo{"order", "", "rows of the tableau: by the tolerance, or always so many"}, order,
      Names(order_names));
    v(FieldInfo{"n_max", "", "rows at most", Range::closed(2, 12)}, n_max);
    v(FieldInfo{"substeps", "", "1,3,5,… or 1,2,3,… (which fails on resting contacts)"}, substeps,
      Names(substep_names));
    v(FieldInfo{"power", "", "of h in the extrapolation; 2 only where the base step is symmetric",
                Range::closed(1, 2)},
      power);
    v(FieldInfo{"restitution", "",
                "at impacts only, also while a contact stays closed (45), or e^(h/h_min) in substeps of h"},
      restitution, Names(restitution_names));
    v(FieldInfo{"gap_tol", "m", "a contact that stays closed may drift so far", Range::non_negative()},
      gap_tol);
    v(FieldInfo{"atol_q", "", "absolute tolerance on q, one or for each coordinate; 0: atol",
                Range::non_negative()},
      atol_q);
    v(FieldInfo{"rtol_q", "", "relative tolerance on q; 0: rtol", Range::non_negative()}, rtol_q);
    v(FieldInfo{"atol_u", "", "absolute tolerance on u, one or for each coordinate; 0: atol",
                Range::non_negative()},
      atol_u);
    v(FieldInfo{"rtol_u", "", "relative tolerance on u; 0: rtol", Range::non_negative()}, rtol_u);
    v(FieldInfo{"norm", "", "rtol is relative to the largest coordinate, or to each"}, norm,
      Names(error_norm_names));
    v(FieldInfo{"dense", "", "so many switching points closer than 10 h_dense make steps equal; 0: never",
                Range::at_least(0)},
      dense);
    v(FieldInfo{"h_dense", "s", "equal steps where switching points are dense; 0: sqrt(h_min h_max)",
                Range::non_negative()},
      h_dense);
  }
};
/// Equal steps of scheme symplectic-euler that end where a unilateral constraint closes or opens (see
/// odae_events.hpp).
struct EventLocation {
  static constexpr std::string_view name = "event-location",
                                    summary =
                                        "symplectic-euler: equal steps, cut where contacts close or open";
  double h = 1e-2, rest = 1e-3;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"h", "s", "step size", Range::positive()}, h);
    v(FieldInfo{"rest", "", "a contact stays closed when its flights get shorter than rest·h",
                Range::non_negative()},
      rest);
  }
};
/// Steps of a length that a tolerance asks for, events located on dense output (see tolerance.hpp).
struct ToleranceSteps {
  static constexpr std::string_view name = "tolerance",
                                    summary = "steps by a tolerance, events located on dense output";
  double rtol = 1e-6, atol = 0, h = 0;
  /// Of steps that no tolerance limits: the first ones, growth, gaps. A companion run, which is to have other
  /// errors, takes shorter ones; not an option of users.
  double pace = 1;
  /// Of the time in which an impact is located and in which the order of impacts is not resolved; also only
  /// for companions.
  double critical = 1;
  /// Impacts that are closer in time are taken together, from a time on; also only for companions.
  double together = 0, together_from = 0;
  /// Redundant contacts that slide share their load otherwise: by at most so many times of it, and no further
  /// than they can; also only for companions.
  double shares = 0;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"rtol", "", "tolerance relative to the size of each coordinate and velocity",
                Range::closed(1e-13, 0.1)},
      rtol);
    v(FieldInfo{"atol", "", "absolute tolerance, added to it", Range::non_negative()}, atol);
    v(FieldInfo{"h_max", "s", "largest step; 0: no limit", Range::non_negative()}, h);
  }
};
using Stepping =
    std::variant<FixedSteps, AdaptiveSteps, EventCapturing, SwitchingSteps, EventLocation, ToleranceSteps>;

extern template Fields fields_of(Stepping&);
extern template Stepping parse_spec(std::string_view, std::string_view);
extern template std::string to_text(const Stepping&);
extern template void check(const Stepping&);
extern template void set_field(Stepping&, std::string_view, std::string_view);

/// A method is a value: print it, store it, sweep it.
struct Method {
  SchemeSpec scheme = MoreauJean{};
  Stepping stepping = FixedSteps{};
  SolverSpec solver = AutomaticSolver{};
};

/// A run by tolerance: the pair of order 8, or that of order 5 where the tolerance is loose.
Method by_tolerance(double rtol, double atol = 0);

/// The step the user set, for any stepping: its largest step where it varies, or, of adaptive steps without a
/// limit, the first; 0 where there is none.
double step_of(const Stepping& stepping);
Stepping with_step(Stepping stepping, double h);
/// The step that a problem, a scene or --h names: adaptive steps begin with it and are not limited by it.
Stepping with_usual_step(Stepping stepping, double h);
std::string_view name_of(const SchemeSpec& scheme);
std::string_view name_of(const Stepping& stepping);

}  // namespace saltus

// From the fields of a scene to the nodes of a graph: names, what may occur where, dimensions.
#pragma once
#include <map>
#include <set>

#include "saltus/catalog/catalog.hpp"
#include "saltus/formula/formula_odae.hpp"
#include "saltus/scene/plane_formulas.hpp"
#include "saltus/scene/scene.hpp"
#include "saltus/scene/units.hpp"
#include "saltus/system/sum_system.hpp"

namespace saltus {

struct SpaceOfScene;

/// Sections of a scene that do not matter for its system.
inline constexpr std::string_view about_the_run[] = {"run", "record", "measure", "title", "draw"};

/// A compiled formula. The dimension is known only where units are used.
struct Term {
  Graph::Id node = 0;
  std::optional<Dimension> dimension;
  bool ok = false;
};

class SceneCompiler {
 public:
  /// What a formula may use, each including those before it.
  enum class Use : std::uint8_t { parameters, positions, velocities, multipliers };

  /// Reads parameters, coordinates, the ready system and bodies: everything that has a name.
  SceneCompiler(const Scene& scene, Complaints& complaints, std::optional<double> t_end = {});

  /// A name that means something in one formula only; it comes before all others.
  struct Local {
    std::string_view name;
    Graph::Id node = 0;
    std::optional<Dimension> dimension;
  };
  Term compile(const Formula& f, Use use, std::span<const Local> locals = {});
  /// A number: with a unit, or a formula of parameters; `missing` where the field is not given.
  double number(const Value& v, double missing = 0);
  /// The same in a range; `instead` where it is not given, and after a complaint.
  double number_in(const Range& range, const Value& v, double instead, std::string_view hint = {});
  /// The same, with its dimension; a plain number has the dimension of the field's unit. With locals it need
  /// not be a number.
  Term constant(const Value& v, std::span<const Local> locals = {});
  /// Complains unless the term has this dimension (nothing: not known, no check); `what` says whose.
  void expect(const Term& term, const std::optional<Dimension>& wanted, const Formula& f,
              std::string_view what);
  void complain(const Formula& f, std::string message) {
    complaints_.add(f.place, f.path, std::move(message));
  }
  void complain(const Word& w, std::string message) { complaints_.add(w.place, w.path, std::move(message)); }
  /// Reports a missing field of `path`, unless another error explains it.
  void miss(Place place, const std::string& path, std::string_view field, std::string message) {
    if (!complaints_.about_field(path, field)) complaints_.add(place, path, std::move(message));
  }

  /// The chosen struct with its settings; complains and leaves defaults where they are wrong. Dimensions are
  /// checked by the units of the fields, in which metres stand for `length`: that of a gap may be an angle.
  /// Nothing: not known, no check.
  template <class Variant>
  Variant choose(const Choice<Variant>& choice, std::optional<Dimension> length = length_dimension);
  /// "name:key=value,…" of a choice, numbers in SI.
  template <class Variant>
  std::string choice_text(const Choice<Variant>& choice);

  struct Coordinate {
    std::string name;
    std::optional<Dimension> dimension;
    double start = 0, velocity = 0;
    bool start_given = true, velocity_given = true;  // or chosen by what drives it
  };
  const Scene& scene() const { return scene_; }
  Complaints& complaints() { return complaints_; }
  /// What is checked: nothing; all; or, when units stand in bodies only, all but plain numbers, parameters
  /// and t, which then fit everything.
  enum class Units : std::uint8_t { none, bodies, all };
  Units units() const { return units_; }
  std::vector<Coordinate>& coordinates() { return coordinates_; }
  int own() const { return own_; }  ///< the first coordinates: those of the section of that name
  /// Bodies and walls.
  std::vector<SceneRigid>& rigids() { return rigids_; }
  /// Beams, where their coordinates begin.
  std::vector<SystemPart>& beams() { return beams_; }
  /// A problem of the catalog; its coordinates begin at `first`.
  struct Ready {
    CatalogProblem problem;
    std::vector<FieldDescription> parameters;
    int first = 0;
  };
  const std::optional<Ready>& ready() const { return ready_; }
  /// Bodies in space; null: there are none, or an error has been reported.
  const std::shared_ptr<SpaceOfScene>& space() const { return space_; }
  /// Of an overdetermined DAE.
  const std::vector<Coordinate>& velocities() const { return velocities_; }
  bool is_odae() const { return !scene_.velocities.empty() || !scene_.constraints.empty(); }
  OdaeInputs odae_inputs() const;
  /// The one of this name, or −1 with a complaint; `what` is "coordinate", "velocity".
  int find(std::span<const Coordinate> among, std::string_view what, const std::string& name, Place place,
           const std::string& path);
  const std::vector<FieldDescription>& parameters() const { return parameters_; }
  /// Their numbers, for the system that is made of them.
  const std::vector<Parameter>& parameter_values() const { return parameter_values_; }
  /// Of a parameter, coordinate, rate NAME' or `let`; nothing: not known.
  std::optional<Dimension> dimension(std::string_view name) {
    const Symbol* found = look_up(name);
    return found ? found->dimension : std::nullopt;
  }
  /// An error in NAME has been reported: NAME and NAME.anything are not reported as missing.
  void give_up(const std::string& name) { given_up_.insert(name); }
  bool is_given_up(std::string_view name) const {
    return given_up_.contains(std::string(name.substr(0, name.find_first_of(".'"))));
  }
  FormulaInputs in();
  Graph& graph() { return graph_; }

 private:
  struct Symbol {
    Graph::Id node;
    std::optional<Dimension> dimension;
    Use use;
  };
  const Symbol* look_up(std::string_view name);
  void add_space();
  bool new_name(const std::string& name, Place place, const std::string& path);
  void add_parameters();
  void add_coordinates(std::optional<double> t_end);
  void add_odae_variables();
  void add_ready(std::optional<double> t_end);
  void add_let();
  std::string unknown(const std::string& name, const Formula& in, Use use,
                      std::span<const Local> locals) const;
  std::string unit_hint(std::string_view text, std::string_view trouble) const;
  // of a chosen struct: what the scene says of them
  void set_fields(std::string_view owner, const Fields& fields, std::span<const RenamedField> renamed,
                  const ChoiceText& choice, const std::optional<Dimension>& length);
  // "name:key=value,…" with the settings of the scene
  static std::string given_text(const ChoiceText& choice, std::span<const FieldDescription> described);
  // of a setting; empty after a complaint. `unit` is that of its field
  std::string setting_text(const Value& v, const FieldDescription& field, const std::string& unit,
                           const std::optional<Dimension>& length);

  const Scene& scene_;
  Complaints& complaints_;
  Graph graph_;
  Units units_ = Units::none;
  int own_ = 0;
  std::map<std::string, Symbol, std::less<>> symbols_;
  std::set<std::string> given_up_;
  std::vector<Coordinate> coordinates_, velocities_;
  std::vector<SceneRigid> rigids_;
  std::vector<SystemPart> beams_;
  std::optional<Ready> ready_;
  std::shared_ptr<SpaceOfScene> space_;
  std::vector<FieldDescription> parameters_;
  std::vector<Parameter> parameter_values_;
};

template <class Variant>
Variant SceneCompiler::choose(const Choice<Variant>& choice, std::optional<Dimension> length) {
  Variant out{};
  for_each_alternative<Variant>([&]<class S>(const S& spec) {
    if (S::name != choice.name.text) return;
    out = spec;
    set_fields(S::name, fields_of(out), renamed_fields<S>(), choice, length);
  });
  return out;
}

template <class Variant>
std::string SceneCompiler::choice_text(const Choice<Variant>& choice) {
  if (!choice.given()) return {};
  return given_text(choice, describe(choose(choice)));
}

}  // namespace saltus

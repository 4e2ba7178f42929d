// A mechanical system from formulas. Either the mass matrix M(t,q) and forces h(t,q,u), or energies: with
// L = T − V, T quadratic in u,
//
//     M = ∂²T/∂u²,   h = F − ∂V/∂q + ∂T/∂q − (∂²T/∂u∂q) u − ∂²T/∂u∂t.
//
// M and T may be zero for coordinates that get their inertia elsewhere (SumSystem). Everything a System must
// give is a derivative of these and of the gaps, taken once by rules; what turns out to be constant or zero
// is seen as such (Shape).
//
// With a FormulaMotion derivatives by q are along displacements, as everywhere; such a system is a part of a
// sum in which others retract.
#pragma once
#include <memory>

#include "saltus/formula/tape.hpp"
#include "saltus/system/curvature.hpp"
#include "saltus/system/viscoelastic.hpp"

namespace saltus {

/// dq = B(q) u dt where B is not the identity: of bodies in space (quaternions, angles of joints). B by rows.
struct FormulaMotion {
  struct Term {
    int velocity;
    Graph::Id factor;
  };
  std::vector<std::vector<Term>> of;  ///< one list per coordinate
};

/// Where the variables stand among the inputs of the graph: t, q, u, and for second derivatives a and λ.
struct FormulaInputs {
  int n = 0;                                              ///< velocities
  std::shared_ptr<const FormulaMotion> motion = nullptr;  ///< null: q̇ = u
  int nq() const { return motion ? static_cast<int>(motion->of.size()) : n; }
  int t() const { return 0; }
  int q(int i) const { return 1 + i; }
  int u(int i) const { return 1 + nq() + i; }
  int a(int i) const { return 1 + nq() + n + i; }
  int lambda(int r) const { return 1 + nq() + 2 * n + r; }
};
/// The velocities that change a formula of t and q, in increasing order.
std::vector<int> moved_by(const Graph& g, const FormulaInputs& in, Graph::Id f);
/// The derivative of f along the displacement of velocity j: Σ ∂f/∂q_k B_kj.
Graph::Id along(Graph& g, const FormulaInputs& in, Graph::Id f, int j);

struct FormulaContact {
  std::string name;
  Law law;
  std::vector<Graph::Id> rows;  ///< the gap where the row has one, else the velocity, linear in u
};

/// A compliant contact: h += ∇g λ(d, ḋ), d = −g where that is positive.
struct FormulaCompliance {
  Graph::Id gap = 0;
  Compliance law;
};

struct FormulaData {
  Graph graph;
  FormulaInputs in;
  struct MassEntry {
    int row, column;
    Graph::Id node;
  };
  std::vector<MassEntry> mass;  ///< entries of M, both halves; that of the kinetic energy is added
  Graph::Id kinetic = 0;
  std::vector<Graph::Id> potentials;  ///< their sum is V; many short ones are quicker than one long sum
  std::vector<Graph::Id> forces;      ///< n
  std::vector<FormulaContact> contacts;
  std::vector<FormulaCompliance> compliances;
  std::vector<Parameter> parameters;  ///< that the formulas were made with
};

/// ∂f/∂t + Σ ∂f/∂q u of a formula of t and q.
Graph::Id rate_of(Graph& g, const FormulaInputs& in, Graph::Id f);
/// Forces += (∂f/∂q) push: a push along the gradient of f.
void push(FormulaData& d, Graph& g, Graph::Id f, Graph::Id push);

class FormulaSystem final : public System, public CurvedSystem, public ViscoelasticSystem {
 public:
  /// Throws Error: energy not quadratic, slips not linear, laws out of range.
  explicit FormulaSystem(FormulaData data);

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<TapeRoom>(); }
  const CurvedSystem* curved() const override { return this; }
  /// Null where the damping is no rate.
  const ViscoelasticSystem* viscoelastic() const { return viscosity_ ? this : nullptr; }
  const System& mechanical() const override { return *this; }
  Viscosity viscosity() const override { return *viscosity_; }
  void contact_force(double t, In q, Out f, Workspace& w) const override;
  void contact_jacobian(double t, In q, Matrix& K, Workspace& w) const override;
  void momentum(double t, In q, Out S, Workspace& w) const override;
  Shape shape() const override { return shape_; }
  std::span<const Parameter> parameters() const override { return parameters_; }
  std::span<const Law> laws() const override { return laws_; }
  std::span<const Contact> contacts() const override { return contacts_; }
  void mass(double t, In q, Matrix& M, Workspace& w) const override;
  void force(double t, In q, In u, Out h, Workspace& w) const override;
  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const override;
  void gaps(double t, In q, ContactSet& out, Workspace& w) const override;
  void directions(double t, In q, ContactSet& out, Workspace& w) const override;
  void bias(double t, In q, In u, ContactSet& out, Workspace& w) const override;
  void kinks(double t, In q, In u, std::vector<Kink>& out, Workspace& w) const override;
  void curvature(double t, In q, In u, In a, const double* lambda, Matrix& K, Curvature& out,
                 Workspace& w) const override;
  double potential(double t, In q, Workspace& w) const override;
  double energy(double t, In q, In u, Workspace& w) const override;
  Powers powers() const override {
    return work_.outputs() + damping_.outputs() > 0 ? Powers::known : Powers::none;
  }
  Power power(double t, In q, In u, Workspace& w) const override;
  std::string contact_name(std::uint64_t id) const override { return names_.at(id); }

  /// Operations of one evaluation of the force, for reports.
  int force_operations() const { return force_.operations(); }

 private:
  using Id = Graph::Id;
  struct Place {
    int row, column;
  };
  struct Entries {  // of a matrix, those that are not zero
    std::vector<Place> places;
    std::vector<Id> nodes;
    void add(const Graph& g, int i, int j, Id f) {
      if (!g.is_zero(f)) places.push_back({i, j}), nodes.push_back(f);
    }
  };
  void add_compliances(FormulaData& d);
  void derive_viscosity(FormulaData& d);
  void derive_forces(FormulaData& d, std::vector<Id>& force);
  void derive_mass(FormulaData& d, Entries& mass);
  void derive_power(FormulaData& d);
  void derive_contacts(FormulaData& d);
  void derive_curvature(FormulaData& d, const Entries& mass);
  void fill(SparseRows& rows, const std::vector<Place>& places, const double* values) const;

  int n_ = 0, rows_ = 0;
  Shape shape_;
  std::vector<Law> laws_;
  std::vector<std::string> names_;
  std::vector<Parameter> parameters_;
  std::vector<Contact> contacts_;
  std::vector<char> has_gap_;
  Tape mass_, force_, jacobian_, gaps_, directions_, bias_, curvature_, potential_, energy_;
  Tape work_, damping_;                  // terms of power()
  std::optional<Viscosity> viscosity_;   // where the damping is a rate
  Tape springs_, stiffness_, momentum_;  // of the compliant contacts
  Tape kinks_;                           // their gaps, each with its rate
  std::vector<Place> springs_at_, stiffness_at_, momentum_at_;
  std::vector<Place> mass_at_, dq_at_, du_at_, W_at_, velocity_at_, acceleration_at_, K_at_;
  // nodes of the contact rows, kept until the curvature is derived
  std::vector<Id> gap_nodes_, rate_nodes_, bias_nodes_;
};

}  // namespace saltus

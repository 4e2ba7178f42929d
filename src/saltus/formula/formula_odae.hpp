// An overdetermined DAE from formulas (odae_system.hpp has the equations): v, f, r and g are given, all that
// a scheme asks beside them is a derivative, taken once by rules.
#pragma once
#include <optional>

#include "saltus/formula/tape.hpp"
#include "saltus/odae/odae_system.hpp"

namespace saltus {

/// Where the variables stand among the inputs of the graph: t, y, z, ψ.
struct OdaeInputs {
  int ny = 0, nz = 0, m = 0;
  int t() const { return 0; }
  int y(int i) const { return 1 + i; }
  int z(int i) const { return 1 + ny + i; }
  int psi(int i) const { return 1 + ny + nz + i; }
};

struct OdaeFormulas {
  Graph graph;
  OdaeInputs in;
  std::vector<Graph::Id> v, f, r, g;
  std::vector<OdaeConstraint> constraints;
  std::vector<double> first;      ///< where the search for each ψ begins
  std::vector<Graph::Id> impact;  ///< N by rows, nz × m; empty: r_ψ at ψ = 0
  std::optional<Graph::Id> energy;
  std::vector<Parameter> parameters;  ///< that the formulas were made with
};

class FormulaOdae final : public OdaeSystem {
 public:
  /// Throws Error: a unilateral constraint without impact directions where r is not affine in ψ.
  explicit FormulaOdae(OdaeFormulas formulas);

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<TapeRoom>(); }
  std::span<const Parameter> parameters() const override { return parameters_; }
  int ny() const override { return in_.ny; }
  int nz() const override { return in_.nz; }
  const std::vector<OdaeConstraint>& constraints() const override { return constraints_; }

  void velocity(double t, In y, In z, Out v, Workspace& w) const override;
  void force(double t, In y, In z, Out f, Workspace& w) const override;
  void reaction(double t, In y, In z, In psi, Out r, Workspace& w) const override;
  void gap(double t, In y, Out g, Workspace& w) const override;
  void rate(double t, In y, In z, Out gamma, Workspace& w) const override;
  void bias(double t, In y, In z, Out b, Workspace& w) const override;
  void velocity_jacobians(double t, In y, In z, Mat* v_y, Mat* v_z, Workspace& w) const override;
  void force_jacobians(double t, In y, In z, Mat* f_y, Mat* f_z, Workspace& w) const override;
  void reaction_jacobians(double t, In y, In z, In psi, Mat* r_y, Mat* r_z, Mat* r_psi,
                          Workspace& w) const override;
  void gap_jacobian(double t, In y, Mat& G, Workspace& w) const override;
  void rate_jacobians(double t, In y, In z, Mat* gamma_y, Mat* gamma_z, Workspace& w) const override;
  void impact_directions(double t, In y, In z, Mat& N, Workspace& w) const override;
  double first_multiplier(int i) const override { return first_[i]; }
  double energy(double t, In y, In z, Workspace& w) const override;

 private:
  struct Jacobian {  // entries that are not zero
    Tape tape;
    std::vector<std::pair<int, int>> places;
    Jacobian() = default;
    Jacobian(Graph& g, std::span<const Graph::Id> rows, int first, int columns);
    template <class Get>
    void fill(const Get& get, Mat& J, Workspace& w) const;
  };

  OdaeInputs in_;
  std::vector<OdaeConstraint> constraints_;
  std::vector<double> first_;
  std::vector<Parameter> parameters_;
  Tape v_, f_, r_, g_, rate_, bias_, impact_, energy_;
  Jacobian v_y_, v_z_, f_y_, f_z_, r_y_, r_z_, r_psi_, g_y_, rate_y_, rate_z_;
};

}  // namespace saltus

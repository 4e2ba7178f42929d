// Systems of first order, ẏ = f(t, y), with a structured Jacobian: the input of Runge–Kutta methods.
//
// A run shows physical quantities: `q` and `u` of a State are what the user reads and compares, y is what is
// integrated. By default q = y and u is empty; a system with positions and velocities overrides `pack` and
// `unpack`. Like every system it is const and without hidden state.
#pragma once
#include "saltus/system/system.hpp"

namespace saltus {

class Chain;
class ViscoelasticSystem;

class FirstOrderSystem : public DynamicSystem {
 public:
  Family family() const final { return Family::first_order; }
  virtual int size() const = 0;
  virtual Pattern pattern() const { return {Pattern::dense, 0, nullptr}; }  ///< of ∂f/∂y

  virtual void rhs(double t, In y, Out f, Workspace& w) const = 0;
  /// All entries of J, which arrives set to zero.
  virtual void jacobian(double t, In y, Matrix& J, Workspace& w) const = 0;

  virtual int nq() const { return size(); }
  virtual int nu() const { return 0; }
  virtual void pack(double /*t*/, In q, In /*u*/, Out y) const { y = q; }
  virtual void unpack(double /*t*/, In y, Out q, Out /*u*/) const { q = y; }
  /// Of the physical state; NaN where the system has no energy.
  double energy(double t, In q, In u, Workspace& w) const override;
  /// A chain of beads (chain/chain.hpp) has schemes of its own; null for other systems.
  virtual const Chain* chain() const { return nullptr; }
  /// A mechanical system of constant mass whose damping is a rate (system/viscoelastic.hpp) has schemes for
  /// positions only; null for others.
  virtual const ViscoelasticSystem* newtonian() const { return nullptr; }
  /// Of component i of y, for messages.
  virtual std::string component_name(int i) const { return fmt::format("y[{}]", i); }
};

/// Sizes and finiteness of the start and of f there.
void check_start(const FirstOrderSystem& system, double t0, double t_end, In q0, In u0);

}  // namespace saltus

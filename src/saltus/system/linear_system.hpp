// M u̇ + C u + K q = f + forcing(t), with linear gaps g = Wᵀq + w₀ + χ t: balls, oscillators, columns, bars.
// All matrices are constant, so a step factorises once and never again.
#pragma once
#include <functional>

#include "saltus/system/system.hpp"

namespace saltus {

struct LinearContact {
  std::string name;
  Law law = Unilateral{};
  std::vector<std::vector<SparseRows::Entry>> rows;  ///< of Wᵀ, rows(law) of them
  double offset = 0;                                 ///< w₀ of the first row (the gap's)
  double drift = 0;                                  ///< χ of the first row
};

class LinearSystem final : public System {
 public:
  struct Data {
    Matrix M, C, K;  ///< C and K may be left empty (no damping, no stiffness)
    Vec f;           ///< constant force; empty: none
    std::function<void(double t, double* h)> forcing;  ///< adds a force that depends on time; may be empty
    std::vector<LinearContact> contacts;
  };
  /// Throws Error on wrong sizes, a mass that is not positive definite, or a law out of range.
  explicit LinearSystem(Data data);

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Room>(); }
  Shape shape() const override { return shape_; }
  std::span<const Law> laws() const override { return laws_; }
  std::span<const Contact> contacts() const override { return contacts_; }
  void mass(double t, In q, Matrix& M, Workspace& w) const override;
  void force(double t, In q, In u, Out h, Workspace& w) const override;
  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const override;
  void gaps(double t, In q, ContactSet& out, Workspace& w) const override;
  void directions(double t, In q, ContactSet& out, Workspace& w) const override;
  void bias(double t, In q, In u, ContactSet& out, Workspace& w) const override;
  double potential(double t, In q, Workspace& w) const override;
  Powers powers() const override {
    return data_.C.size() == 0 && !data_.forcing ? Powers::none : Powers::known;
  }
  Power power(double t, In q, In u, Workspace& w) const override;
  std::string contact_name(std::uint64_t id) const override { return data_.contacts.at(id).name; }

  const Data& data() const { return data_; }

 private:
  struct Room : Workspace {
    Vec load;
  };
  Data data_;
  Shape shape_;
  std::vector<Law> laws_;
  std::vector<Contact> contacts_;
  SparseRows Wt_;
  std::vector<double> offset_, drift_;
  std::vector<char> has_gap_;
  bool by_entries_ = false;     // the force: each of its entries depends on one position and one velocity
  bool plain_damping_ = false;  // C is diagonal
};

}  // namespace saltus

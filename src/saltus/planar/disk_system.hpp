// Rigid disks in the plane under gravity, q = (x, y, θ) for each, in contact with each other and with
// boundaries. The gap of disk a and a round partner b (disk, obstacle; a drum has radius −R and D = −|d|):
//
//     d = x_b − x_a,  D = ±|d|,  n = d/D,  t = left of n,   g = D − r_a − r_b
//     γ_N = n·(v_b − v_a),   γ_T = t·(v_b − v_a) − r_a ω_a − r_b ω_b
//     ṅ = s t, ṫ = −s n,  s = t·(v_b − v_a)/D:   bias_N = s t·(v_b − v_a), bias_T = −s n·(v_b − v_a)
//
// For boundaries the terms of b are prescribed: they go into the drift χ and, with their acceleration, into
// the bias. A plane at p with n into the wall: g = n·(p − x_a) − r_a, and n turns at the rate of the plane.
//
// Listed are the pairs with a gap of at most `margin`, found in linear time by a grid. A contact has a
// persistent id (partner, body) and the list is in its order: boundaries first, then the pairs of disks.
#pragma once
#include "saltus/planar/boundary.hpp"
#include "saltus/planar/material.hpp"
#include "saltus/planar/passage.hpp"
#include "saltus/planar/reaches.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

struct Disk {
  double radius = 1, mass = 1;
  double inertia = 0;  ///< about the centre; 0: that of a homogeneous disk, m r²/2
  int material = 0;
  int colour = 0;  ///< of pictures
};

class DiskSystem final : public System {
 public:
  struct Data {
    std::vector<Disk> disks;
    std::vector<Boundary> boundaries;
    MaterialTable materials;
    Vec2 gravity{0, -9.81};
    /// Pairs farther apart are not listed; 0: a tenth of the smallest radius. Schemes that predict a contact
    /// before it closes see it only within this distance, so it should be above speed times step.
    double margin = 0;
  };
  /// Throws Error on values out of range, naming the disk or boundary.
  explicit DiskSystem(Data data);

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Room>(); }
  Shape shape() const override;
  std::span<const Law> laws() const override { return data_.materials.laws(); }
  void mass(double t, In q, Matrix& M, Workspace& w) const override;
  void force(double t, In q, In u, Out h, Workspace& w) const override;
  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const override;
  void list(double t, In q, ContactSet& out, Workspace& w) const override;
  void gaps(double t, In q, ContactSet& out, Workspace& w) const override;
  double closing_speed(In u) const override;
  bool passes(double t0, In q0, double t1, In q1, double share, Passage& out) const override;
  void directions(double t, In q, ContactSet& out, Workspace& w) const override;
  void bias(double t, In q, In u, ContactSet& out, Workspace& w) const override;
  double potential(double t, In q, Workspace& w) const override;
  Powers powers() const override { return Powers::none; }
  double thickness(std::uint64_t contact) const override;
  std::string contact_name(std::uint64_t id) const override;
  bool sketch(double t, In q, Sketch& out) const override;

  const Data& data() const { return data_; }
  int disks() const { return static_cast<int>(data_.disks.size()); }
  int boundaries() const { return static_cast<int>(data_.boundaries.size()); }
  std::uint64_t boundary_contact(int boundary, int disk) const { return id_of(boundary, disk); }
  /// of disks a < b
  std::uint64_t disk_contact(int a, int b) const { return id_of(boundaries() + a, b); }
  /// What touches: a boundary (−1 where it is a pair of disks), and the disks; b is −1 at a boundary.
  struct Partners {
    int boundary, a, b;
  };
  Partners partners(std::uint64_t id) const;

 private:
  struct Room : Workspace {
    std::vector<int> cells;  // of the grid
    Reaches reaches;
    std::vector<std::vector<Contact>> found;  // by the workers of a team
  };
  struct Touch;
  static std::uint64_t id_of(int high, int low) {
    return static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low);
  }
  bool boundary_passes(const Boundary& boundary, int disk, const Way& way, double t0, double t1, double share,
                       Passage& out) const;
  Touch touch(In q, int a, int b) const;
  Touch touch(const Boundary& boundary, const Pose& pose, In q, int a) const;
  /// visit(contact, touch) for the listed contacts
  template <class Visit>
  void for_each_touch(double t, In q, std::span<const Contact> contacts, Visit&& visit) const;
  double speed_of(const Boundary& boundary) const;
  void find_reaches(const ContactSet& set, Reaches& out) const;
  void list_boundary(int k, double t, In q, const Reaches& reaches, ContactSet& out) const;
  void list_pairs(In q, Room& room, ContactSet& out) const;

  Data data_;
  double cell_ = 0, size_ = 0;  // of the grid, without a margin: the largest diameter; the mean one
};

}  // namespace saltus

#include "saltus/spatial/assembly.hpp"

#include <fmt/format.h>

#include <cmath>

#include "saltus/linalg/decompositions.hpp"

namespace saltus {
namespace {

constexpr double loose_share = 1e-6;  // of the size of the mechanism, and of its speeds

struct Rows {
  ContactSet set;
  Eigen::MatrixXd W;  // of what is held, by displacements times √mass
  Vec gap, rate;
  std::vector<std::uint64_t> id;
  std::vector<char> pulled;  // by an obstacle that is moved: it may start with a jerk
};

class Assembler {
 public:
  explicit Assembler(const SpatialSystem& system) : system_(system), work_(system.make_workspace()) {
    const saltus::Shape shape = system.shape();
    Matrix M(shape.nu, shape.mass);
    system.mass(0, Vec::Zero(shape.nq), M, *work_);
    root_.resize(shape.nu);
    for (int i = 0; i < shape.nu; ++i) root_[i] = std::sqrt(M(i, i));
  }

  Rows rows(const Vec& q, const Vec& u) {
    Rows out;
    system_.list(0, q, out.set, *work_);
    system_.gaps(0, q, out.set, *work_);
    system_.directions(0, q, out.set, *work_);
    std::vector<int> which;
    for (const Contact& c : out.set.contacts)
      if (std::holds_alternative<Equality>(system_.laws()[c.law]))
        for (int r = 0; r < saltus::rows(system_.laws()[c.law]); ++r)
          which.push_back(c.row + r), out.id.push_back(c.id);
    const auto m = static_cast<Eigen::Index>(which.size());
    out.W.setZero(m, root_.size()), out.gap.resize(m), out.rate.resize(m);
    for (Eigen::Index k = 0; k < m; ++k) {
      const int row = which[static_cast<std::size_t>(k)];
      out.gap[k] = out.set.gap[row];
      out.rate[k] = out.set.Wt.dot(row, u.data()) + out.set.drift[row];
      out.pulled.push_back(is_joint(out.id[static_cast<std::size_t>(k)]) && out.set.drift[row] != 0);
      for (const auto& e : std::as_const(out.set.Wt).row(row))
        out.W(k, e.column) += e.value / root_[e.column];
    }
    return out;
  }

  // The size of the mechanism: arms of its joints and distances of its bodies.
  double size(const Vec& q) const {
    double most = 0;
    for (const SpaceJoint& j : system_.data().joints) {
      most = std::max({most, j.point_a.norm(), j.point_b.norm(), j.scale});
      for (const int body : {j.a, j.b})
        if (system_.place_of(body) >= 0)
          most = std::max(
              most, (system_.frame(body, 0, q, nullptr).x - system_.frame(j.a, 0, q, nullptr).x).norm());
    }
    return most;
  }
  double speed(const Vec& u, double size) const {
    double most = 0;
    for (Eigen::Index k = 0; k < u.size(); ++k)
      most = std::max(most, std::abs(u[k]) * (k % 6 < 3 ? 1 : size));
    return most;
  }

  Assembly look(const Vec& q, const Vec& u) {
    Assembly out;
    const Rows now = rows(q, u);
    const double length = size(q), fast = speed(u, length);
    for (std::size_t first = 0, end = 0; first < now.id.size(); first = end) {
      double off = 0, rate = 0;
      for (end = first; end < now.id.size() && now.id[end] == now.id[first]; ++end) {
        const auto r = static_cast<Eigen::Index>(end);
        off = std::max(off, std::abs(now.gap[r]));
        rate = std::max(rate, now.pulled[end] ? 0.0 : std::abs(now.rate[r]));
      }
      const bool apart = off > loose_share * length, moves = rate > loose_share * fast;
      if (!apart && !moves) continue;
      const int joint = system_.joint_of(now.id[first]);
      out.loose.push_back(
          {joint < 0 ? system_.contact_name(now.id[first]) : system_.data().joints[joint].name, joint < 0,
           is_joint(now.id[first]) ? text(joint, q, apart, rate) : text(now.id[first], apart, off, rate)});
    }
    return out;
  }

  void move(Vec& q, Vec& u) {
    constexpr int most = 50;
    const double length = size(q);
    Vec v(root_.size());
    for (int k = 0; k < most; ++k) {
      const Rows now = rows(q, u);
      if (now.gap.size() == 0 || now.gap.cwiseAbs().maxCoeff() <= 1e-15 * length) break;
      v = least_norm_solution(now.W, -now.gap).cwiseQuotient(root_);
      double turn = 0;
      for (Eigen::Index i = 0; i < v.size(); ++i)
        if (i % 6 >= 3) turn = std::max(turn, std::abs(v[i]));
      if (turn > 0.5) v *= 0.5 / turn;  // no more than the linear rows can tell
      system_.retract(q, v, q);
      if (!q.allFinite()) return;
      if (v.cwiseProduct(root_).norm() <= 1e-16 * length * root_.norm()) break;
    }
    const Rows now = rows(q, u);
    if (now.rate.size() > 0 && now.rate.cwiseAbs().maxCoeff() > 0)
      u += least_norm_solution(now.W, -now.rate).cwiseQuotient(root_);
  }

 private:
  bool is_joint(std::uint64_t id) const { return id < system_.data().joints.size(); }

  std::string text(std::uint64_t id, bool apart, double off, double rate) const {
    const std::string name = system_.contact_name(id);
    return apart ? fmt::format("{} does not fit: the start is off by {}", name,
                               system_.in_own_unit(id, off, ""))
                 : fmt::format("{} does not fit: the velocities at the start are off by {}", name,
                               system_.in_own_unit(id, rate, "/s"));
  }

  std::string text(int k, const Vec& q, bool apart, double rate) const {
    const SpaceJoint& j = system_.data().joints[k];
    const SpaceFrame a = system_.frame(j.a, 0, q, nullptr), b = system_.frame(j.b, 0, q, nullptr);
    const std::string bodies =
        fmt::format("{} and {}", system_.data().bodies[j.b].name, system_.data().bodies[j.a].name);
    if (!apart) return fmt::format("the velocities of {} violate this joint by {:.3g} m/s", bodies, rate);
    const double points = ((b.x - a.x) + (b.turned(j.point_b) - a.turned(j.point_a))).norm();
    if (j.kind == SpaceJoint::Kind::distance)
      return fmt::format("its points on {} are {:.6g} m apart, not {:.6g} m", bodies, points, j.length);
    const Vec3 p = a.turned(j.axes_a.col(2)), r = b.turned(j.axes_b.col(2));
    const double angle = std::atan2(cross(p, r).norm(), p.dot(r));
    std::string out =
        fmt::format("the joint does not fit: its points on {} are {:.3g} m apart", bodies, points);
    if (j.kind != SpaceJoint::Kind::ball && angle > 0)
      out += fmt::format(", its axes differ by {:.3g} rad", angle);
    return out;
  }

  const SpatialSystem& system_;
  std::unique_ptr<Workspace> work_;
  Vec root_;
};

}  // namespace

Assembly look_at_joints(const SpatialSystem& system, const Vec& q, const Vec& u) {
  return Assembler(system).look(q, u);
}

Assembly assemble(const SpatialSystem& system, Vec& q, Vec& u) {
  Assembler x(system);
  x.move(q, u);
  return x.look(q, u);
}

}  // namespace saltus

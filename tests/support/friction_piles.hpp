// Piles of discs, pyramids of spheres and walls of bricks under gravity, as frictional contact problems with
// more rows than degrees of freedom (1.7 to 3.6 times): hyperstatic, and hard for every solver. The same on
// every machine: a splitmix64 stream with a fixed seed. Shared by the tests and by bench
// (friction_problems.cpp).
//
// Positions of round bodies are perturbed by 2 % of the radius, masses vary by ±20 %, and the free velocity
// is h g (gravity) + 0.3 h g N(0, 1) per degree of freedom; h = 0.01, g = 10, no restitution. Rocks have
// sizes from 0.3 to 0.5, lie at random and touch their neighbours in one to four points with different
// normals. `decades`: masses differ by up to so many powers of ten, heavy on light as chance has it.
#pragma once
#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/contact/file/friction_problem.hpp"
#include "saltus/core/error.hpp"

namespace saltus::testing {

class FrictionPile {
 public:
  static FrictionProblem make(const std::string& family, int n, double mu, std::uint64_t seed = 1,
                              double decades = 0) {
    FrictionPile pile(mu, seed, decades);
    if (family == "pile2d")
      pile.discs(n);
    else if (family == "pile3d")
      pile.spheres(n);
    else if (family == "wall3d")
      pile.bricks(n);
    else if (family == "rocks2d")
      pile.rocks(n, 1);
    else if (family == "rocks3d")
      pile.rocks(n, n);
    else
      fail("no family '{}' of piles: pile2d, pile3d, wall3d, rocks2d or rocks3d", family);
    return pile.assemble(family + "-" + std::to_string(n));
  }

 private:
  using V3 = Eigen::Vector3d;
  struct Body {
    V3 centre, inertia;
    double mass;
  };
  struct Contact {
    int lower, upper;  // −1: the ground
    V3 point, normal;
  };
  static constexpr double radius = 0.5, h = 1e-2, g = 10;

  FrictionPile(double mu, std::uint64_t seed, double decades) : mu_(mu), decades_(decades), state_(seed) {}

  double uniform() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
  }
  double normal() {
    const double length = std::sqrt(-2 * std::log(uniform()));
    return length * std::cos(6.283185307179586 * uniform());
  }
  double near(double x) { return x + 0.02 * radius * normal(); }
  double mass() {
    const double even = 1 + 0.4 * (uniform() - 0.5);
    return decades_ > 0 ? even * std::pow(10, decades_ * (uniform() - 0.5)) : even;
  }

  void touch(int a, int b) {
    const V3 d = bodies_[b].centre - bodies_[a].centre;
    contacts_.push_back({a, b, 0.5 * (bodies_[a].centre + bodies_[b].centre), d / d.norm()});
  }
  void stand(int b, const V3& up) { contacts_.push_back({-1, b, bodies_[b].centre - radius * up, up}); }

  void discs(int n) {
    dim_ = 2;
    std::vector<std::vector<int>> id(n);
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n - k; ++i) {
        const double m = mass(), x = near(2 * radius * i + radius * k);
        const double y = near(radius + k * radius * std::sqrt(3.0));
        id[k].push_back(static_cast<int>(bodies_.size()));
        bodies_.push_back({{x, y, 0}, {0, 0, 0.5 * m * radius * radius}, m});
      }
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n - k; ++i) {
        if (k == 0)
          stand(id[k][i], V3::UnitY());
        else
          touch(id[k - 1][i], id[k][i]), touch(id[k - 1][i + 1], id[k][i]);
        if (i > 0) touch(id[k][i - 1], id[k][i]);
      }
  }
  void spheres(int n) {
    std::vector<std::vector<int>> id(n);
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n - k; ++j)
        for (int i = 0; i < n - k; ++i) {
          const double m = mass(), x = near(2 * radius * i + radius * k),
                       y = near(2 * radius * j + radius * k);
          const double z = near(radius + k * radius * std::sqrt(2.0));
          id[k].push_back(static_cast<int>(bodies_.size()));
          bodies_.push_back({{x, y, z}, V3::Constant(0.4 * m * radius * radius), m});
        }
    for (int k = 0; k < n; ++k) {
      const int w = n - k;
      for (int j = 0; j < w; ++j)
        for (int i = 0; i < w; ++i) {
          const int b = id[k][j * w + i];
          if (k == 0) stand(b, V3::UnitZ());
          for (int corner = 0; k > 0 && corner < 4; ++corner)
            touch(id[k - 1][(j + corner / 2) * (w + 1) + i + corner % 2], b);
          if (i > 0) touch(id[k][j * w + i - 1], b);
          if (j > 0) touch(id[k][(j - 1) * w + i], b);
        }
    }
  }
  void bricks(int n) {
    const V3 size(1, 0.4, 0.3);
    const auto face = [&](int a, int b, double x0, double x1, double z) {
      for (int corner = 0; corner < 4; ++corner)
        contacts_.push_back(
            {a, b, {corner / 2 ? x1 : x0, (corner % 2 ? 0.5 : -0.5) * size.y(), z}, V3::UnitZ()});
    };
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i) {
        const double m = mass();
        const V3 s = size.cwiseProduct(size),
                 inertia = m / 12 * V3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
        bodies_.push_back({{i + (k % 2 ? 0.5 : 0.0), 0, size.z() * (k + 0.5)}, inertia, m});
      }
    for (int b = 0; b < n * n; ++b) {
      const int k = b / n;
      const double x = bodies_[b].centre.x();
      if (k == 0) {
        face(-1, b, x - 0.5, x + 0.5, 0);
        continue;
      }
      for (int a = (k - 1) * n; a < k * n; ++a) {
        const double xa = bodies_[a].centre.x(), low = std::max(x, xa) - 0.5, high = std::min(x, xa) + 0.5;
        if (high - low > 0.1) face(a, b, low, high, size.z() * k);
      }
    }
  }
  // n layers of n × depth rocks, in the plane if depth is 1
  void rocks(int n, int depth) {
    dim_ = depth == 1 ? 2 : 3;
    std::vector<double> size;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < depth; ++j)
        for (int i = 0; i < n; ++i) {
          const double r = radius * (0.6 + 0.4 * uniform()), m = mass() * std::pow(r / radius, dim_);
          V3 c(i + 0.5 * (k % 2) + 0.3 * (uniform() - 0.5), 0.87 * k + 0.3 * (uniform() - 0.5), 0);
          if (dim_ == 3) c = {c.x(), j + 0.5 * (k % 2) + 0.3 * (uniform() - 0.5), c.y()};
          size.push_back(r);
          bodies_.push_back({c, 0.4 * m * r * r * V3(1 + uniform(), 1 + uniform(), 1 + uniform()), m});
        }
    const int rocks = static_cast<int>(bodies_.size());
    for (int b = 0; b < rocks; ++b) {
      if (b < n * depth)
        rub(-1, b, bodies_[b].centre - size[b] * V3::Unit(dim_ - 1), V3::Unit(dim_ - 1), size[b]);
      for (int a = 0; a < b; ++a) {
        const V3 d = bodies_[b].centre - bodies_[a].centre;
        const double reach = size[a] + size[b], far = d.norm();
        if (far < 1.25 * reach)
          rub(a, b, bodies_[a].centre + size[a] / reach * d, d / far, std::min(size[a], size[b]));
      }
    }
  }
  // One to four points around one, each with a normal of its own
  void rub(int a, int b, const V3& point, const V3& normal, double size) {
    const int points = 1 + static_cast<int>(uniform() * (dim_ == 2 ? 2 : 4));
    const auto shaken = [&](const V3& x, double by) {
      V3 y = x + by * V3(uniform() - 0.5, uniform() - 0.5, uniform() - 0.5);
      if (dim_ == 2) y.z() = 0;
      return y;
    };
    for (int k = 0; k < points; ++k)
      contacts_.push_back(
          {a, b, shaken(point, 0.8 * size), a < 0 ? normal : shaken(normal, 0.6).normalized()});
  }

  FrictionProblem assemble(const std::string& name) {
    const int nd = dim_ == 2 ? 3 : 6, nb = static_cast<int>(bodies_.size());
    FrictionProblem p;
    p.name = name;
    p.dim = dim_;
    p.mu.assign(contacts_.size(), mu_);
    auto& G = p.global.emplace();
    G.body_dofs = nd;
    const int n = nb * nd;
    G.free.resize(n);
    std::vector<Eigen::Triplet<double>> M, H;
    for (int i = 0; i < nb; ++i)
      for (int k = 0; k < nd; ++k) {
        const Body& b = bodies_[i];
        M.emplace_back(i * nd + k, i * nd + k,
                       k < dim_    ? b.mass
                       : dim_ == 2 ? b.inertia[2]
                                   : b.inertia[k - 3]);
        G.free[i * nd + k] = 0.3 * h * g * normal() - (k == dim_ - 1 ? h * g : 0);
      }
    for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
      const Contact& c = contacts_[i];
      V3 t, s = V3::UnitZ();
      if (dim_ == 2) {
        t = {-c.normal.y(), c.normal.x(), 0};
      } else {
        t = (std::abs(c.normal.z()) < 0.7 ? V3(V3::UnitZ()) : V3(V3::UnitX())).cross(c.normal);
        t /= t.norm();
        s = c.normal.cross(t);
      }
      const V3 directions[3] = {c.normal, t, s};
      for (const int body : {c.lower, c.upper}) {
        if (body < 0) continue;
        const double sign = body == c.upper ? 1 : -1;
        for (int a = 0; a < dim_; ++a) {
          const V3 d = directions[a], spin = (c.point - bodies_[body].centre).cross(d);
          for (int k = 0; k < dim_; ++k) H.emplace_back(i * dim_ + a, body * nd + k, sign * d[k]);
          for (int k = dim_; k < nd; ++k)
            H.emplace_back(i * dim_ + a, body * nd + k, sign * spin[dim_ == 2 ? 2 : k - 3]);
        }
      }
    }
    const int m = p.rows();
    G.M.resize(n, n), G.M.setFromTriplets(M.begin(), M.end());
    G.H.resize(m, n), G.H.setFromTriplets(H.begin(), H.end());
    G.b = Vec::Zero(m);
    G.J.resize(0, n);
    auto& local = p.local.emplace();
    const Vec inverse = Vec(G.M.diagonal()).cwiseInverse();
    local.W = FrictionProblem::Sparse(G.H * inverse.asDiagonal() * FrictionProblem::Sparse(G.H.transpose()));
    local.q = G.H * G.free;
    return p;
  }

  double mu_, decades_;
  std::uint64_t state_;
  int dim_ = 3;
  std::vector<Body> bodies_;
  std::vector<Contact> contacts_;
};

}  // namespace saltus::testing

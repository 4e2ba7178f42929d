#include "saltus/planar/overlap.hpp"

namespace saltus {
namespace {

using Piece = OverlapRoom::Piece;
using Motions = Eigen::Matrix<double, 2, 6>;  // of a point, by the six coordinates

double cross(const Vec2& a, const Vec2& b) {
  return a[0] * b[1] - a[1] * b[0];
}
Vec2 right_of(const Vec2& a) {
  return {a[1], -a[0]};
}

// What is left of a polygon on the inner side of the line through `from` with outer normal n
void clip(const std::vector<Piece>& in, const Vec2& from, const Vec2& n, std::vector<Piece>& out) {
  out.clear();
  for (std::size_t k = 0; k < in.size(); ++k) {
    const Piece &now = in[k], &next = in[(k + 1) % in.size()];
    const double s = n.dot(now.at - from), s1 = n.dot(next.at - from);
    const bool inside = s <= 0, inside1 = s1 <= 0;
    if (inside) out.push_back(now);
    if (inside == inside1) continue;
    const Vec2 x = now.at + s / (s - s1) * (next.at - now.at);
    out.push_back(inside ? Piece{x, 1, n} : Piece{x, now.body, now.normal});
  }
}

// With a body
Motions carried(const Vec2& x, int body, const Vec2& centre) {
  Motions J = Motions::Zero();
  J.block<2, 2>(0, 3 * body).setIdentity();
  J.col(3 * body + 2) = left_of(x - centre);
  return J;
}

// Where the piece before and the one that begins here meet
Motions motion_of(const Piece& before, const Piece& here, const Vec2 (&centres)[2]) {
  Motions moves = carried(here.at, here.body, centres[here.body]);
  if (before.body == here.body) return moves;
  const double sine = cross(before.normal, here.normal);
  if (std::abs(sine) < 1e-12) return moves;  // sides on one line: any point of it
  const Motions other = carried(here.at, before.body, centres[before.body]);
  // n₁·dx = n₁·v₁, n₂·dx = n₂·v₂
  const Eigen::Matrix<double, 1, 6> first = before.normal.transpose() * other,
                                    second = here.normal.transpose() * moves;
  Motions J;
  J.row(0) = (here.normal[1] * first - before.normal[1] * second) / sine;
  J.row(1) = (before.normal[0] * second - here.normal[0] * first) / sine;
  return J;
}

void add_second(const std::vector<Piece>& pieces, const Vec2 (&centres)[2], TouchMatrix& H) {
  const std::size_t n = pieces.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Piece &before = pieces[(k + n - 1) % n], &here = pieces[k], &next = pieces[(k + 1) % n];
    const Motions p = motion_of(before, here, centres), r = motion_of(here, next, centres);
    const Vec2 f = right_of(next.at - here.at), arm = 0.5 * (here.at + next.at) - centres[here.body];
    Motions df, dm = 0.5 * (p + r);
    df.row(0) = r.row(1) - p.row(1);
    df.row(1) = p.row(0) - r.row(0);
    dm.block<2, 2>(0, 3 * here.body) -= Eigen::Matrix2d::Identity();
    const int at = 3 * here.body;
    H.row(at) += df.row(0);
    H.row(at + 1) += df.row(1);
    H.row(at + 2) += dm.row(0) * f[1] - dm.row(1) * f[0] + arm[0] * df.row(1) - arm[1] * df.row(0);
  }
}

}  // namespace

bool overlap_of(const Frame& a, const std::vector<Vec2>& corners_a, const Frame& b,
                const std::vector<Vec2>& corners_b, bool second, OverlapRoom& room, Overlap& out) {
  auto& [pieces, clipped] = room;
  const auto place = [](const Frame& f, const Vec2& corner) -> Vec2 { return f.x + f.turned(corner); };
  for (auto* list : {&pieces, &clipped}) list->reserve(corners_a.size() + corners_b.size());  // at most
  pieces.clear();
  for (std::size_t k = 0; k < corners_a.size(); ++k) {
    const Vec2 p = place(a, corners_a[k]), next = place(a, corners_a[(k + 1) % corners_a.size()]);
    pieces.push_back({p, 0, right_of(next - p).normalized()});
  }
  for (std::size_t k = 0; k < corners_b.size() && !pieces.empty(); ++k) {
    const Vec2 p = place(b, corners_b[k]), next = place(b, corners_b[(k + 1) % corners_b.size()]);
    clip(pieces, p, right_of(next - p).normalized(), clipped);
    pieces.swap(clipped);
  }
  if (pieces.size() < 3) return false;
  const Vec2 centres[2] = {a.x, b.x};
  out.area = 0;
  out.gradient.setZero();
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Vec2 &p = pieces[k].at, &r = pieces[(k + 1) % pieces.size()].at;
    const int body = pieces[k].body;
    const Vec2 f = right_of(r - p);
    out.area += 0.5 * cross(p - a.x, r - a.x);
    out.gradient.segment<2>(3 * body) += f;
    out.gradient[3 * body + 2] += cross(0.5 * (p + r) - centres[body], f);
  }
  if (!(out.area > 0)) return false;
  if (second) {
    out.hessian.setZero();
    add_second(pieces, centres, out.hessian);
  }
  return true;
}

}  // namespace saltus

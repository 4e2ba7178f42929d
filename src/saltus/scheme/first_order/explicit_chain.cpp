#include "saltus/scheme/first_order/explicit_chain.hpp"

#include <cmath>
#include <vector>

#include "saltus/scheme/first_order/front.hpp"

namespace saltus {
namespace {

using Array = Eigen::ArrayXd;
using Piece = Eigen::Map<Array>;
using ConstPiece = Eigen::Map<const Array>;

constexpr int block_beads = 256;  // beads; a dozen buffers of them fit into 32 KB

struct Scratch {  // of one block
  double X[block_beads + 2], overlap[block_beads + 1], phi[block_beads + 1], sigma[block_beads + 1];
};

class ExplicitChain final : public Stepper {
 public:
  ExplicitChain(const Chain& chain, const Tableau& t)
      : chain_(chain),
        d_(chain.data()),
        tableau_(with_end_stage(t)),
        order_(saltus::order(t)),
        estimate_order_(std::min(order_, embedded_order(t)) + 1),
        N_(chain.beads()),
        s_(t.stages()),
        forces_(chain.has_local() || chain.has_forces()),
        moves_(chain.left_moves() || chain.right_moves()),
        apart_(!chain.proportional() || forces_ || chain.has_dashpots() || chain.pushed()),
        front_(chain),
        inverse_mass_(d_.m.cwiseInverse()),
        stages_(static_cast<std::size_t>(s_) * N_ * (apart_ ? 2 : 1)) {
    make_rows();
    ends_.assign(static_cast<std::size_t>(s_) + 1, chain.ends(0));
  }

  int order() const override { return order_; }

  int estimate_error(double atol, double rtol) override {
    if (tableau_.embedded.size() == 0) return 0;
    atol_ = atol, rtol_ = rtol;
    return estimate_order_;
  }

  State start(double t, In q, In u) override {
    State x;
    x.t = t, x.q = q, x.u = u;
    x.aux = Vec::Zero((apart_ ? 3 : 2) * static_cast<Eigen::Index>(N_));
    const ChainEnds ends = chain_.ends(t);
    chain_.damping_velocity(ends, q, x.aux.head(N_));
    x.aux.head(N_) = u - x.aux.head(N_);
    chain_.conservative(ends, q, x.aux.segment(N_, N_));
    if (apart_) chain_.damping_velocity(ends, q, x.aux.tail(N_));
    front_.begin(x, ends);
    return x;
  }

  StepReport take_step(const State& x0, double h, State& x1) override {
    StepReport report;
    if (h != h_) scale(h);
    x_ = x0.q.data(), w_ = x0.aux.data();
    const double *v = x0.u.data(), *g = w_ + N_;
    if (moves_)
      for (int i = 1; i <= s_; ++i) ends_[i] = chain_.ends(x0.t + tableau_.c[i] * h);
    front_.find(x0, s_ + 1, [&](int n) {
      if (moves_ && ((n == 0 && chain_.left_moves()) || (n == N_ - 1 && chain_.right_moves()))) return false;
      return std::abs(v[n]) <= front_.rest && std::abs(w_[n]) <= front_.rest &&
             h * std::abs(g[n]) <= front_.rest;
    });
    front_.carry(x0, x1);
    for (int i = 1; i < s_; ++i)
      for_pieces(front_.lo, front_.hi, chain_piece, [&](int from, int to) {
        Scratch room;
        for (int a = from; a < to; a += block_beads) {
          const int n = std::min(block_beads, to - a);
          positions(i, a, n, room);
          rates(i, a, n, stage(i) + a, apart_ ? stage(i, 1) + a : nullptr, room);
        }
      });
    const bool bad = !finish_all(x1, report.error);
    x1.t = x0.t + h;
    report.force_evaluations = s_;
    if (bad) name_the_bad(x1, report);
    return report;
  }

 private:
  // The largest error of a bead, and whether all is finite.
  bool finish_all(State& x1, double& error) {
    struct Part {
      double error = 0;
      bool finite = true;
    };
    const Part all = over_pieces<Part>(
        front_.lo, front_.hi, chain_piece,
        [&](int from, int to) {
          Scratch room;
          Part part;
          for (int a = from; a < to; a += block_beads) {
            const double e = finish(a, std::min(block_beads, to - a), x1, room);
            part.error = std::max(part.error, e);
            part.finite = part.finite && std::isfinite(e);
          }
          return part;
        },
        [](Part& sum, const Part& p) {
          sum.error = std::max(sum.error, p.error), sum.finite = sum.finite && p.finite;
        });
    error = all.error;
    return all.finite;
  }

  // What stage j adds: its weight in front of h² g_j and h s_j, and both with h (and γ) in it.
  struct Term {
    int stage;
    double second, first, force = 0, damp = 0;
  };
  struct Row {
    double c = 0;  // of h w
    std::vector<Term> terms;
  };

  // Stage j ≥ 1 lives here, stage 0 in the state.
  double* stage(int j, int part = 0) {
    return stages_.data() + (part * s_ + j) * static_cast<std::size_t>(N_);
  }
  const double* rate(int j, int part) const {
    return j == 0 ? w_ + (1 + part) * static_cast<std::size_t>(N_)
                  : stages_.data() + (part * s_ + j) * static_cast<std::size_t>(N_);
  }

  Row row(const Eigen::RowVectorXd& second, const Eigen::RowVectorXd& first) const {
    Row out{first.sum(), {}};
    for (int j = 0; j < s_; ++j)
      if (second[j] != 0 || first[j] != 0) out.terms.push_back({j, second[j], first[j]});
    return out;
  }
  void make_rows() {
    const Eigen::MatrixXd& A = tableau_.A;
    rows_.clear();
    for (int i = 0; i <= s_; ++i) rows_.push_back(row(A.row(i) * A, A.row(i)));
    kick_ = row(tableau_.b.transpose(), Eigen::RowVectorXd::Zero(s_ + 1));
    if (tableau_.embedded.size() == 0) return;
    const Eigen::RowVectorXd e = (tableau_.b - tableau_.embedded).transpose();  // Σ e = 0
    error_ = row(e * A, e), error_kick_ = row(e, Eigen::RowVectorXd::Zero(s_ + 1));
    end_ = e[s_];
  }
  void scale(double h) {
    h_ = h;
    const double gamma = apart_ ? 0 : chain_.damping();
    const auto positions = [&](Row& r) {
      for (Term& t : r.terms) t.force = h * (h * t.second + gamma * t.first), t.damp = h * t.first;
    };
    for (Row& r : rows_) positions(r);
    positions(error_);
    for (Row* r : {&kick_, &error_kick_})
      for (Term& t : r->terms) t.force = h * t.second;
  }
  bool estimates() const { return atol_ != 0 || rtol_ != 0; }

  // out += Σ terms over the beads [a, a + n[, two at a time
  template <class Result>
  void add(const std::vector<Term>& terms, int part, int a, Result&& out) const {
    const auto n = out.size();
    const auto piece = [&](const Term& t) { return ConstPiece(rate(t.stage, part) + a, n); };
    const auto weight = [&](const Term& t) { return part ? t.damp : t.force; };
    std::size_t i = 0;
    for (; i + 1 < terms.size(); i += 2)
      out += weight(terms[i]) * piece(terms[i]) + weight(terms[i + 1]) * piece(terms[i + 1]);
    if (i < terms.size()) out += weight(terms[i]) * piece(terms[i]);
  }

  // X of stage i in the block and of its two neighbours into X[0 … n + 1]
  void positions(int i, int a, int n, Scratch& room) const {
    const Row& row = rows_[i];
    const int from = std::max(a - 1, front_.lo), to = std::min(a + n + 1, front_.hi);
    Piece X(room.X + (from - a + 1), to - from);
    X = ConstPiece(x_ + from, to - from) + h_ * row.c * ConstPiece(w_ + from, to - from);
    add(row.terms, 0, from, X);
    if (apart_) add(row.terms, 1, from, X);
    if (from == a) room.X[0] = a > 0 ? x_[a - 1] : ends_[i].left;
    if (to == a + n) room.X[n + 1] = a + n < N_ ? x_[a + n] : ends_[i].right;
  }

  // g and s of stage i at the positions in X
  void rates(int i, int a, int n, double* g, double* s, Scratch& room) const {
    const ConstPiece k(d_.k.data() + a, n + 1), mass(inverse_mass_.data() + a, n);
    Piece overlap(room.overlap, n + 1), phi(room.phi, n + 1);
    if (chain_.has_offsets())
      overlap =
          (ConstPiece(room.X, n + 1) - ConstPiece(room.X + 1, n + 1) + ConstPiece(d_.a.data() + a, n + 1))
              .max(0.0);
    else
      overlap = (ConstPiece(room.X, n + 1) - ConstPiece(room.X + 1, n + 1)).max(0.0);
    phi = k * overlap * overlap.sqrt();
    Piece(g, n) = mass * (phi.head(n) - phi.tail(n));
    if (!apart_) return;
    const ConstPiece X(room.X + 1, n);
    if (chain_.has_local() && chain_.has_forces())
      Piece(g, n) += mass * (ConstPiece(d_.F.data() + a, n) - ConstPiece(d_.K.data() + a, n) * X);
    else if (chain_.has_local())
      Piece(g, n) -= mass * (ConstPiece(d_.K.data() + a, n) * X);
    else if (chain_.has_forces())
      Piece(g, n) += mass * ConstPiece(d_.F.data() + a, n);
    if (moves_ && a == 0) g[0] += mass[0] * ends_[i].left_push;
    if (moves_ && a + n == N_) g[n - 1] += mass[n - 1] * ends_[i].right_push;
    damp(a, n, room);
    const ConstPiece sigma(room.sigma, n + 1);
    Piece(s, n) = mass * (sigma.head(n) - sigma.tail(n));
    if (chain_.has_dashpots()) Piece(s, n) -= mass * ConstPiece(d_.C.data() + a, n) * X;
  }
  // σ of the contacts of a block from φ and the overlaps
  void damp(int a, int n, Scratch& room) const {
    const ConstPiece k(d_.k.data() + a, n + 1), gamma(d_.gamma.data() + a, n + 1);
    const ConstPiece overlap(room.overlap, n + 1), phi(room.phi, n + 1);
    Piece sigma(room.sigma, n + 1);
    if (d_.betas.size() > 0)
      for (int c = 0; c <= n; ++c) sigma[c] = chain_.contact(a + c, overlap[c]).sigma;
    else if (d_.beta == 1.5)
      sigma = gamma * phi;
    else if (d_.beta == 1)
      sigma = gamma * k * overlap;
    else if (d_.beta == 2.5)
      sigma = gamma * phi * overlap;
    else
      sigma = gamma * k * overlap.pow(d_.beta);
  }

  // The end of the step for one block; returns its error over the tolerance, or something not finite.
  double finish(int a, int n, State& x1, Scratch& room) const {
    positions(s_, a, n, room);
    Piece x(x1.q.data() + a, n), v(x1.u.data() + a, n), w(x1.aux.data() + a, n), g(x1.aux.data() + N_ + a, n);
    double* s = apart_ ? x1.aux.data() + 2 * static_cast<std::size_t>(N_) + a : nullptr;
    x = ConstPiece(room.X + 1, n);
    w = ConstPiece(w_ + a, n);
    add(kick_.terms, 0, a, w);
    rates(s_, a, n, g.data(), s, room);
    if (apart_)
      v = w + ConstPiece(s, n);
    else
      v = w + chain_.damping() * g;
    if (!estimates()) return (0 * (x + v)).sum();
    Piece ex(room.overlap, n), ew(room.phi, n);
    ex = h_ * end_ * (apart_ ? 1 : chain_.damping()) * ConstPiece(apart_ ? s : g.data(), n);
    add(error_.terms, 0, a, ex);
    if (apart_) add(error_.terms, 1, a, ex);
    ew = h_ * end_ * g;
    add(error_kick_.terms, 0, a, ew);
    if (rtol_ != 0) ex /= atol_ + rtol_ * x.abs(), ew /= atol_ + rtol_ * w.abs();
    const double most = std::max(ex.abs().maxCoeff(), ew.abs().maxCoeff()) / (rtol_ != 0 ? 1 : atol_);
    return most + (0 * (x + v)).sum();
  }

  void name_the_bad(const State& x1, StepReport& report) const {
    report.status = StepStatus::not_finite;
    for (int n = front_.hi - 1; n >= front_.lo; --n)
      if (!std::isfinite(x1.q.data()[n] + x1.u.data()[n])) report.bad_component = 2 * n;
  }

  const Chain& chain_;
  const ChainData& d_;
  Tableau tableau_;  // with the end as a stage
  int order_, estimate_order_, N_, s_;
  bool forces_, moves_, apart_;  // constant or local forces; ends that move; s is not γ g
  Front front_;
  Vec inverse_mass_;
  std::vector<double> stages_;
  double h_ = 0, atol_ = 0, rtol_ = 0, end_ = 0;  // end_: weight of the end in the error
  std::vector<Row> rows_;
  Row kick_, error_, error_kick_;
  std::vector<ChainEnds> ends_;  // in the stages
  const double *x_ = nullptr, *w_ = nullptr;
};

}  // namespace

std::unique_ptr<Stepper> make_explicit_chain(const Chain& chain, const Tableau& tableau) {
  return std::make_unique<ExplicitChain>(chain, tableau);
}

}  // namespace saltus

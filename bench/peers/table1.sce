// Table 1 of James, Vorotnikov and Brogliato in Scilab, as its authors worked: fsolve for the stages, ode (LSODA) for
// the exact solution. Dimer chain, N = 25, eps = 0.59, gamma = 0.06, t in [0, 30].
//   OMP_NUM_THREADS=1 scilab-cli -nb -f table1.sce
// Prints one line "@@{...}" per method; the CPU time is the least of three runs. jacobian: 1 where fsolve was given
// the analytic Jacobian, which is more than the paper says it did.
mode(0); funcprot(0); lines(0);
global Y h a11 a12 a21 a22 th F0
N = 25; ep = 0.59; gam = 0.06; Tmax = 30; tol = 1e-10;
m = ones(N, 1); m(2:2:N) = ep;
x0 = zeros(N, 1); v0 = zeros(N, 1); v0(1) = 1;

function a = gacc(x)
  d = max(x(1:N-1) - x(2:N), 0); f = d .* sqrt(d);
  a = ([0; f] - [f; 0]) ./ m;
endfunction
function a = Dgv(x, v)
  d = max(x(1:N-1) - x(2:N), 0); q = 1.5 * sqrt(d) .* (v(1:N-1) - v(2:N));
  a = ([0; q] - [q; 0]) ./ m;
endfunction
function J = Dg(x)
  q = 1.5 * sqrt(max(x(1:N-1) - x(2:N), 0));
  J = (diag(q, 1) + diag(q, -1) - diag([0; q] + [q; 0])) ./ (m * ones(1, N));
endfunction
function F = fy(y)
  F = [y(N+1:2*N); gacc(y(1:N))];
endfunction
function F = fkk(t, y)  // (10)-(11)
  a = gacc(y(1:N)); F = [y(N+1:2*N) + gam * a; a];
endfunction

// the stages of (44)-(45)
function r = res_irk(K)
  k1 = K(1:2*N); k2 = K(2*N+1:4*N);
  r = [k1 - fy(Y + h * (a11 * k1 + a12 * k2)); k2 - fy(Y + h * (a21 * k1 + a22 * k2))];
endfunction
function J = jac_irk(K)
  k1 = K(1:2*N); k2 = K(2*N+1:4*N);
  y1 = Y + h * (a11 * k1 + a12 * k2); y2 = Y + h * (a21 * k1 + a22 * k2);
  Z = zeros(N, N); E = eye(N, N);
  J1 = [Z E; Dg(y1(1:N)) Z]; J2 = [Z E; Dg(y2(1:N)) Z];
  J = eye(4*N, 4*N) - h * [a11 * J1 a12 * J1; a21 * J2 a22 * J2];
endfunction
// the step of (34)
function r = res_theta(Y1)
  r = Y1 - Y - h * (th * fy(Y1) + (1 - th) * F0);
endfunction
function J = jac_theta(Y1)
  Z = zeros(N, N); J = eye(2*N, 2*N) - h * th * [Z eye(N, N); Dg(Y1(1:N)) Z];
endfunction

function [X, V, cpu] = run_irk(hh, with_jacobian)  // (58), (64)-(66), (72), (73)
  global Y h a11 a12 a21 a22
  h = hh; n = round(Tmax / h); C = gam / (2 * h); al = sqrt(1.5) * C + 2.5 * sqrt(3) * C^2;
  b1 = 0.5 + sqrt(6) * C; s3 = sqrt(3) / 6;
  a11 = .25 + C + al; a12 = .25 - s3 - al + sqrt(2) * C; a21 = .25 + s3 + al + sqrt(2) * C; a22 = .25 + C - al;
  X = zeros(N, n + 1); V = X; X(:, 1) = x0; V(:, 1) = v0;
  timer();
  Y = [x0; v0 - h * C * gacc(x0) - .5 * (h * C)^2 * Dgv(x0, v0)];
  for i = 1:n
    F = fy(Y);
    if with_jacobian then K = fsolve([F; F], res_irk, jac_irk, tol); else K = fsolve([F; F], res_irk, tol); end
    Y = Y + h * (b1 * K(1:2*N) + (1 - b1) * K(2*N+1:4*N));
    x = Y(1:N); v = Y(N+1:2*N);
    X(:, i+1) = x; V(:, i+1) = v + h * C * gacc(x) + .5 * (h * C)^2 * Dgv(x, v);
  end
  cpu = timer();
endfunction
function [X, V, cpu] = run_theta(hh, with_jacobian)  // (34), (41), (43)
  global Y h th F0
  h = hh; n = round(Tmax / h); th = .5 + gam / (2 * h);
  X = zeros(N, n + 1); V = X; X(:, 1) = x0; V(:, 1) = v0;
  timer();
  Y = [x0; v0 - h * (th - .5) * gacc(x0)];
  for i = 1:n
    F0 = fy(Y);
    if with_jacobian then Y = fsolve(Y + h * F0, res_theta, jac_theta, tol); else Y = fsolve(Y + h * F0, res_theta, tol); end
    X(:, i+1) = Y(1:N); V(:, i+1) = Y(N+1:2*N) + h * (th - .5) * gacc(Y(1:N));
  end
  cpu = timer();
endfunction
function [X, V] = exact(hh)
  y = ode([x0; v0], 0, (0:round(Tmax / hh)) * hh, 1e-13, 1e-15, fkk);
  X = y(1:N, :); V = y(N+1:2*N, :);
  for i = 1:size(X, "c"), V(:, i) = V(:, i) + gam * gacc(X(:, i)); end
endfunction

[X1, V1] = exact(1); [X01, V01] = exact(.1);
for jacobian = [0, 1]
  best = [%inf, %inf, %inf];
  for k = 1:3
    [X, V, c] = run_irk(1, jacobian == 1); best(1) = min(best(1), c); e1 = [max(abs(X - X1)), max(abs(V - V1))];
    [X, V, c] = run_irk(.1, jacobian == 1); best(2) = min(best(2), c); e2 = [max(abs(X - X01)), max(abs(V - V01))];
    [X, V, c] = run_theta(.1, jacobian == 1); best(3) = min(best(3), c); e3 = [max(abs(X - X01)), max(abs(V - V01))];
  end
  form = "@@{""scheme"": ""%s"", ""h"": %g, ""jacobian"": %d, ""error_x"": %.6g, ""error_v"": %.6g, ""ms"": %.6g}\n";
  mprintf(form, "kk-irk", 1, jacobian, e1(1), e1(2), 1000 * best(1));
  mprintf(form, "kk-irk", .1, jacobian, e2(1), e2(2), 1000 * best(2));
  mprintf(form, "kk-theta", .1, jacobian, e3(1), e3(2), 1000 * best(3));
end
exit

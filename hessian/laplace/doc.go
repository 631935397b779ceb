// Package laplace integrates effects out of statistical models. A joint negative log-density f of
// effects u, of which there may be 10⁵, and of parameters θ gives the marginal likelihood of θ by
// Laplace's approximation, which is exact where f is quadratic in u:
//
//	−ln ∫ exp(−f(u, θ)) du ≈ L(θ) = f(û, θ) + ½ ln det f_uu − ½n ln 2π, û(θ) = argmin f(·, θ)
//
// The picture:
//
//	f(u, θ) ── New ──▶ Marginal ──▶ Value, ValueGradient, Hessian, Modes
//	                        │        per θ: Newton's method for û, sparse Cholesky of f_uu,
//	                        │        its inverse on the pattern, third derivatives of f
//	                        └── Fit ─▶ optimum over θ, standard errors, report
//
// f is a reverse.Func of [u; θ]: generic Go, or plain Go that dual/lift has made generic, branches
// and all. Its Hessian in u should be sparse, or small. f must be smooth in u and θ. Operations
// without third derivatives, as those of implicit, may stand where u does not reach them, else New
// returns a *hessian.LackError.
//
// Read laplace.go (what users call, and the gradient), search.go (the mode), second.go (∇²L), then
// fit.go.
//
// # Sources
//
// Skaug and Fournier, Automatic approximation of the marginal likelihood in non-Gaussian
// hierarchical models, Comput. Stat. Data Anal. 51, 2006; Kristensen, Nielsen, Berg, Skaug and
// Bell, TMB: automatic differentiation and Laplace approximation, J. Stat. Softw. 70, 2016. The
// exact ∇²L is not in these.
package laplace

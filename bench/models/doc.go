// Package models holds the models that second derivatives are asked of in
// machine learning: small ones with fixed data, each a generic function of its
// parameters, for tests of every mode of differentiation and to show how such
// functions are written.
//
//	mlp-…             MLP              perceptron with each activation function
//	cross-entropy     CrossEntropy     softmax of a linear classifier
//	rnn               RNN              plain recurrent network through time
//	lstm              LSTM             long short-term memory through time
//	auto-encoder      AutoEncoder      reconstruction through a narrow code
//	vae               VAE              evidence lower bound, reparametrized
//	decoder           Decoder          block of a language model: attention, layer norm
//	score-denoising   ScoreDenoising   score of noisy data
//	score-trace       ScoreTrace       score with the trace of its Jacobian
//	score-hutchinson  ScoreHutchinson  the same, the trace estimated
//	gan               GAN              discriminator against generator
//	gaussian-process  GaussianProcess  kernel ridge regression's marginal likelihood
//	counts            Counts           latent random walk, a sparse Hessian
//	                  SVM              dual of a support vector machine, a program
//
// [All] lists them with their parameters, [Func] has their functions:
//
//	tape, err := reverse.Record(m.X0, models.Func[reverse.Var](m))
//
// but SVM, which is an optimization problem: its solution is differentiated by
// implicit.KKT.
//
// # How they are written
//
// A model is a function of one slice of parameters, which its layers take in
// turn; see layers.go. Data come in as constants: x.Const makes one of a
// float64, and a tape keeps matrix.MulVec or dual.Dot of constants and variables
// as one weighted sum a row. A loss is the mean of a term for each data point,
// by dual.Sum over them: a sum of alike terms, which sparse plans find.
//
// Random draws, as the noise of VAE, are data: drawn before, the function is
// the same at each evaluation. A derivative within the function, as in
// ScoreTrace, is taken by dual.Of over whatever numbers the function runs on.
// Masks and positions depend on no variable: plain loops and float64.
//
// # Matrices
//
// [Dense] lists models whose work is in matrices, large enough to be measured beside the
// same by hand with gonum: GaussianProcess with 300 points, GaussianMixture, Network. They
// are written with package dual/matrix, whose functions are one operation of a tape each.
//
// # Curvature
//
// What Hessians of models are wanted for, in few lines each: [Lanczos] for the
// largest eigenvalues by products Hv and, among the examples, a truncated Newton method.
//
// # Effects
//
// [ThetaLogistic], [Crossed], [Field] and [Volatility] are models with effects that package
// hessian/laplace integrates out, plain Go that lift has made generic; [Spatial] has a dense
// covariance.
package models

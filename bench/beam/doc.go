// Package beam minimizes sums over more data than one machine holds, by Newton's
// method over Apache Beam: each machine adds up value, gradient and sparse Hessian of
// its part of the data by hessian.Chunks, a CombineFn adds up those of all, and the
// step is computed where the program was started.
//
//	go run ./fit -model logistic
//	go run ./fit -model mixture -data 'gs://bucket/rows-*' -dir gs://bucket/tmp \
//	    -runner dataflow -project … -region …
//
// It is a module of its own, so that nobody else pays for what Beam depends on. The
// runner is prism by default, which runs in this process; that of Flink, Spark or
// Dataflow is taken by Beam's flags -runner and -endpoint, see
// https://beam.apache.org/documentation/runners.
//
// # When it is worth it
//
// Not for speed alone as long as one machine can read the data in the time there
// is: hessian.Chunks goes over 10⁸ rows of a logistic regression in 9 s on two
// cores, and a pass of Beam takes some 0.1 s in this process and from seconds to
// minutes on a cluster, to be started and to place its work. A fit takes 5 to 20
// passes. It pays
//
//   - where the data are spread over a cluster or a store that many machines read
//     faster than one: from some 10¹⁰ rows, or 1 TB, on;
//   - where the data are what a Beam pipeline computes, so that the rows never are
//     anywhere as a whole;
//   - where a term takes milliseconds, as the solution of an equation does, and there
//     are millions of them.
//
// What travels is a sum for each bundle of work, 8 bytes a nonzero of the Hessian
// and a variable: terms that couple few of 10⁶ variables are cheap to send, a full
// Hessian of more than some 10³ variables is not.
//
// # Results
//
// Sums are added in an order that is the runner's choice, so that results differ by
// rounding from run to run and from those of one machine. Where a worker fails Beam
// calls it again; a row that fails again fails the pass, and the error names the
// part, the chunk and the row.
package beam

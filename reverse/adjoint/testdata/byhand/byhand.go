package byhand

func Sum(x []float64) float64 { return half(x[0]) * x[1] }

func half(a float64) float64 // in assembly

func halfAdjoint(a, resultb float64) float64 { return resultb / 2 }

func Without(x []float64) float64 { return bare(x[0]) }

func bare(a float64) float64

func Wrong(x []float64) float64 { return other(x[0], x) }

func other(a float64, v []float64) float64 { return a * v[0] }

func otherAdjoint(a float64) float64 { return 1 }

// Fit minimizes a model of package beam by Newton's method over Apache Beam, with the
// runner that Beam's flags choose.
//
//	go run ./fit -model mixture -rows 10000000 -parts 16
//	go run ./fit -data 'gs://bucket/rows-*' -dir gs://bucket/tmp -runner flink -endpoint …
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/hesse-ad/hesse/bench/beam"
)

var (
	model = flag.String("model", "logistic", "logistic or mixture")
	data  = flag.String("data", "", "files of rows, little-endian numbers of 64 bits; the model's own data if empty")
	rows  = flag.Int64("rows", 1_000_000, "rows of the model's own data")
	parts = flag.Int64("parts", 16, "parts that they are divided into")
	dir   = flag.String("dir", "", "directory for results that all workers can write to; a temporary one if empty")
)

func main() {
	flag.Parse()
	sdk.Init()
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	f := beam.Fit{Model: *model, Parts: beam.Parts(*rows, *parts), Run: beamx.Run, Dir: *dir}
	if *data != "" {
		if f.Parts, err = beam.Files(ctx, *data); err != nil {
			return err
		}
	}
	if f.Dir == "" {
		if f.Dir, err = os.MkdirTemp("", "beam"); err != nil {
			return err
		}
		defer os.RemoveAll(f.Dir)
	}
	f.Each = func(x []float64, value, gradient, lambda float64) {
		fmt.Printf("f = %.10g, largest |∂f| %.1e, λ = %.1e\n", value, gradient, lambda)
	}
	r, err := f.Minimize(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%d passes: f = %.10g at %.6f\n", r.Passes, r.F, r.X)
	return nil
}

module github.com/hesse-ad/hesse/internal/lane/generate

go 1.26.0

require (
	github.com/hesse-ad/hesse v0.0.0
	github.com/mmcloughlin/avo v0.5.0
	golang.org/x/tools v0.49.0
)

require (
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
)

replace github.com/hesse-ad/hesse => ../../..

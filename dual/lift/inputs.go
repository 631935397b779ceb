package main

import (
	"fmt"
	"go/types"
	"strings"
)

// seed makes the inputs of a function active, and its other parameters passive
// where they share memory with the caller.
func (a *analysis) seed(in *instance, active []string) error {
	sig := in.fn.Type().(*types.Signature)
	if sig.Params().Len() == 0 {
		return fmt.Errorf("function %s has no parameter", in.fn.Name())
	}
	var inputs []*place
	if active == nil {
		inputs = in.param[:1]
	}
	for _, name := range active {
		path := strings.Split(name, ".")
		p, err := a.find(in, sig, path)
		if err != nil {
			return err
		}
		inputs = append(inputs, p)
	}
	numbers := 0
	marked := map[*place]bool{}
	for _, p := range inputs {
		p.walk(func(p *place) {
			marked[p] = true
			if p.kind == number {
				numbers++
			}
		})
	}
	if numbers == 0 {
		return fmt.Errorf("the inputs of %s hold no float64", in.fn.Name())
	}
	for i, p := range in.param {
		if p.find().kind == number {
			continue // a copy, which may become active
		}
		name := sig.Params().At(i).Name()
		p.walk(func(q *place) {
			if !marked[q] && q.kind == number {
				q.fixed = "the passive parameter " + name
				if q.active {
					a.receives(q, q.why)
				}
			}
		})
	}
	for _, p := range inputs {
		p.walk(func(p *place) {
			if p.kind == number {
				a.activate(p, in.decl.Pos())
			}
		})
	}
	return nil
}

// find is the place of a parameter, or of a field of one.
func (a *analysis) find(in *instance, sig *types.Signature, path []string) (*place, error) {
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		if v.Name() != path[0] {
			continue
		}
		p, t := in.param[i].find(), v.Type()
		for j, name := range path[1:] {
			for p.kind == holder { // of a pointer, what it points to; of a slice or map, every element
				p, t = p.elem.find(), t.Underlying().(interface{ Elem() types.Type }).Elem()
			}
			s, ok := t.Underlying().(*types.Struct)
			k := -1
			if ok {
				k = fieldIndex(s, name)
			}
			if k < 0 || p.kind != record {
				return nil, fmt.Errorf("%s has no field %s with a float64", strings.Join(path[:j+1], "."), name)
			}
			p, t = p.fields[k].find(), s.Field(k).Type()
		}
		return p, nil
	}
	return nil, fmt.Errorf("%s has no parameter %s", in.fn.Name(), path[0])
}

package activity

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// Root adds a function of the program's package whose inputs are active: parameters, or
// fields of parameters as in p.Mu, also of the elements of a slice or map; the first
// parameter if active is nil. Other parameters are passive where they share memory with
// the caller.
func (a *Analysis) Root(name string, active []string) (*Instance, error) {
	p := a.Program
	fn, ok := p.Root.Types.Scope().Lookup(name).(*types.Func)
	if !ok && strings.Contains(name, ".") {
		return nil, fmt.Errorf("%s is no function: name a function that calls the method", name)
	}
	if !ok {
		return nil, fmt.Errorf("no function %s in package %s", name, p.Root.Name)
	}
	fn, decl, pkg := p.Source(fn)
	if decl == nil {
		return nil, fmt.Errorf("function %s has no body", name)
	}
	var err error
	in := a.instance(fn, decl, pkg, nil, nil, token.NoPos, func(in *Instance) { err = a.seed(in, active) })
	return in, err
}

// Function is a function with nothing active, nil if it has no source in Go.
func (a *Analysis) Function(fn *types.Func, env Env) *Instance {
	fn, decl, pkg := a.Program.Source(fn)
	if decl == nil {
		return nil
	}
	return a.instance(fn, decl, pkg, env, nil, token.NoPos, nil)
}

func (a *Analysis) seed(in *Instance, active []string) error {
	sig := in.Fn.Type().(*types.Signature)
	if sig.Params().Len() == 0 {
		return fmt.Errorf("function %s has no parameter", in.Fn.Name())
	}
	var inputs []*Place
	if active == nil {
		inputs = in.Params[:1]
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
	marked := map[*Place]bool{}
	for _, p := range inputs {
		p.Walk(func(p *Place) {
			marked[p] = true
			if p.kind == Number {
				numbers++
			}
		})
	}
	if numbers == 0 {
		return fmt.Errorf("the inputs of %s hold no float64", in.Fn.Name())
	}
	for i, p := range in.Params {
		if p.find().kind == Number {
			continue // a copy, which may become active
		}
		name := sig.Params().At(i).Name()
		p.Walk(func(q *Place) {
			if !marked[q] && q.kind == Number {
				q.fixed = "the passive parameter " + name
			}
		})
	}
	for _, p := range inputs {
		p.Walk(func(p *Place) {
			if p.kind == Number {
				a.activate(p, in.Decl.Pos())
			}
		})
	}
	return nil
}

// find is the place of a parameter, or of a field of one.
func (a *Analysis) find(in *Instance, sig *types.Signature, path []string) (*Place, error) {
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		if v.Name() != path[0] {
			continue
		}
		p, t := in.Params[i].find(), v.Type()
		for j, name := range path[1:] {
			for p.kind == Holder { // of a pointer, what it points to; of a slice or map, every element
				p, t = p.elem.find(), t.Underlying().(interface{ Elem() types.Type }).Elem()
			}
			s, ok := t.Underlying().(*types.Struct)
			k := -1
			if ok {
				k = FieldIndex(s, name)
			}
			if k < 0 || p.kind != Record {
				return nil, fmt.Errorf("%s has no field %s with a float64", strings.Join(path[:j+1], "."), name)
			}
			p, t = p.fields[k].find(), s.Field(k).Type()
		}
		return p, nil
	}
	return nil, fmt.Errorf("%s has no parameter %s", in.Fn.Name(), path[0])
}

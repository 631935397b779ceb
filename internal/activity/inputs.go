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
// the caller. The type arguments of a generic function stand behind its name, as in
// Energy[Spring]; one that is left out is float64.
func (a *Analysis) Root(name string, active []string) (*Instance, error) {
	p := a.Program
	name, args, _ := strings.Cut(name, "[")
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
	env, err := p.typeArguments(fn, args)
	if err != nil {
		return nil, err
	}
	in := a.instance(fn, decl, pkg, env, nil, token.NoPos, func(in *Instance) { err = a.seed(in, active) })
	return in, err
}

// typeArguments are those of fn, from a list that ends with a bracket.
func (p *Program) typeArguments(fn *types.Func, list string) (Env, error) {
	params := fn.Signature().TypeParams()
	if params.Len() == 0 && list == "" {
		return nil, nil
	}
	env := Env{}
	var in []types.Type
	if list != "" { // read as a function type
		tv, err := types.Eval(p.Fset, p.Root.Types, p.Root.Syntax[0].End(), "func("+strings.TrimSuffix(list, "]")+")")
		if err != nil {
			return nil, fmt.Errorf("type arguments [%s: %w", list, err)
		}
		for v := range tv.Type.(*types.Signature).Params().Variables() {
			in = append(in, v.Type())
		}
	}
	given := len(in)
	if given > params.Len() {
		return nil, fmt.Errorf("function %s has %d type parameters", fn.Name(), params.Len())
	}
	for k := range params.Len() {
		if k >= len(in) {
			in = append(in, types.Typ[types.Float64])
		}
		env[params.At(k)] = in[k]
	}
	for k := given; k < len(in); k++ {
		if t := Core(params.At(k)); t != nil {
			in[k] = Substitute(t, env)
			env[params.At(k)] = in[k]
		}
	}
	if _, err := types.Instantiate(context, fn.Signature(), in, true); err != nil {
		return nil, fmt.Errorf("%w: write type arguments behind the name, as in '%s[float64]'", err, fn.Name())
	}
	return env, nil
}

// Core is the type []E of a type parameter whose constraint is ~[]E, likewise of other types
// that are made of types, and nil of other constraints.
func Core(t *types.TypeParam) types.Type {
	if u, ok := t.Constraint().Underlying().(*types.Interface); ok && u.NumEmbeddeds() == 1 && u.NumMethods() == 0 {
		e := u.EmbeddedType(0)
		if union, ok := e.(*types.Union); ok && union.Len() == 1 {
			e = union.Term(0).Type()
		}
		switch e := e.(type) {
		case *types.Slice, *types.Array, *types.Map, *types.Pointer, *types.Signature:
			return e
		}
	}
	return nil
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
		v := sig.Params().At(i)
		copied := a.Rewrites && (p.kind == Record || !refers(p.typ))
		p.Walk(func(q *Place) {
			if !marked[q] && q.kind == Number {
				q.fixed = "the passive parameter " + v.Name()
			}
			copied = copied && !marked[q]
		})
		if copied {
			in.Copies[v] = p
			(&walker{a: a, in: in}).declare(v)
			a.flow(p, in.Vars[v], in.Decl.Pos())
		}
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
				p, t = p.elem.find(), t.Underlying().(hasElem).Elem()
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

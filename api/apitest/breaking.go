package apitest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Break is a change that a client of the older description does not survive.
type Break struct {
	// Operation is "GET /api/session", Place the part of it, as "the query's limit".
	Operation, Place string
	// What changed, and Whom it breaks.
	What, Whom string
}

func (b Break) String() string {
	where := b.Operation
	if b.Place != "" {
		where += ", " + b.Place
	}
	return fmt.Sprintf("%s: %s. It breaks %s.", where, b.What, b.Whom)
}

// Breaking lists the changes from an older description to a newer one that break
// clients: what they may send is refused or ignored, what they count on in an answer is
// gone or of another type. An operation, parameter, field, status or value of an enum
// more is no break, since clients ignore what they do not know; nor are other texts, nor
// other bounds of what is answered. What an operation means is not compared.
func Breaking(older, newer *Document) []Break {
	c := &comparison{older: older, newer: newer}
	for _, call := range older.calls() {
		c.operation = call.String()
		op := newer.operation(call)
		if op == nil {
			c.add("", "the operation is gone", "whoever calls it")
			continue
		}
		c.operations(older.operation(call), op)
	}
	return c.found
}

type comparison struct {
	older, newer *Document
	operation    string
	found        []Break
	// seen are pairs of schemas that are being compared: they may contain themselves.
	seen []pair
}

type pair struct{ was, is *Schema }

func (c *comparison) add(place, what, whom string) {
	c.found = append(c.found, Break{c.operation, place, what, whom})
}

func (c *comparison) operations(was, is *Operation) {
	if len(was.Security) == 0 && len(is.Security) > 0 {
		c.add("", "a token is required now", "clients that send none")
	}
	c.parameters(was.Parameters, is.Parameters)
	c.bodies(was.RequestBody, is.RequestBody)
	for _, status := range slices.Sorted(maps.Keys(was.Responses)) {
		place := "the answer " + status
		r := c.newer.response(is, status)
		if r == nil {
			c.add(place, "the status is gone", "clients that wait for it")
			continue
		}
		c.answers(place, c.older.response(was, status), r)
	}
}

func (c *comparison) parameters(was, is []Parameter) {
	find := func(all []Parameter, p Parameter) int {
		return slices.IndexFunc(all, func(q Parameter) bool { return q.Name == p.Name && q.In == p.In })
	}
	for _, p := range was {
		place := fmt.Sprintf("the %s's %s", p.In, p.Name)
		i := find(is, p)
		if i < 0 {
			c.add(place, "the parameter is gone", "clients that send it")
			continue
		}
		if is[i].Required && !p.Required {
			c.add(place, "the parameter is required now", "clients that leave it out")
		}
		c.taken(place, p.Schema, is[i].Schema)
	}
	for _, p := range is {
		if p.Required && find(was, p) < 0 {
			c.add(fmt.Sprintf("the %s's %s", p.In, p.Name), "the parameter is new and required", "clients that do not know it")
		}
	}
}

func (c *comparison) bodies(was, is *Body) {
	switch {
	case was == nil && (is == nil || !is.Required):
		return
	case was == nil:
		c.add("the body", "a body is required now", "clients that send none")
		return
	case is == nil:
		c.add("the body", "no body is read any more", "clients that send one")
		return
	}
	for _, media := range slices.Sorted(maps.Keys(was.Content)) {
		m, ok := is.Content[media]
		if !ok {
			c.add("the body", media+" is not taken any more", "clients that send it")
			continue
		}
		c.taken("the body", was.Content[media].Schema, m.Schema)
	}
}

func (c *comparison) answers(place string, was, is *Response) {
	for _, name := range slices.Sorted(maps.Keys(was.Headers)) {
		if is.Headers[name] == nil {
			c.add(place, "the header "+name+" is gone", "clients that read it")
			continue
		}
		c.given(place+", header "+name, c.older.header(was.Headers[name]).Schema, c.newer.header(is.Headers[name]).Schema)
	}
	for _, media := range slices.Sorted(maps.Keys(was.Content)) {
		m, ok := is.Content[media]
		if !ok {
			c.add(place, "it is not "+media+" any more", "clients that read it")
			continue
		}
		c.given(place, was.Content[media].Schema, m.Schema)
	}
}

// within compares a pair of schemas, once while it is under way.
func (c *comparison) within(was, is *Schema, compare func(was, is *Schema)) {
	was, is = c.older.resolve(was), c.newer.resolve(is)
	p := pair{was, is}
	if was == nil || is == nil || slices.Contains(c.seen, p) {
		return
	}
	c.seen = append(c.seen, p)
	defer func() { c.seen = c.seen[:len(c.seen)-1] }()
	compare(was, is)
}

// taken compares what may be sent: all that fitted has to fit.
func (c *comparison) taken(place string, was, is *Schema) {
	c.within(was, is, func(was, is *Schema) {
		lost := missing(c.older.typesOf(was), c.newer.typesOf(is))
		if len(lost) > 0 {
			c.add(place, "it may not be "+strings.Join(lost, " or ")+" any more", "clients that send that")
			return
		}
		c.bounds(place, was, is)
		c.takenEnum(place, was, is)
		if is.Format != was.Format && is.Format != "" {
			c.add(place, fmt.Sprintf("its format is %q, it was %q", is.Format, was.Format), "clients that send the other")
		}
		if is.Pattern != was.Pattern && is.Pattern != "" {
			c.add(place, fmt.Sprintf("it has to match %s, it was %q", is.Pattern, was.Pattern), "clients that send something else")
		}
		if is.UniqueItems && !was.UniqueItems {
			c.add(place, "no item may be there twice now", "clients that repeat one")
		}
		if !reflect.DeepEqual(was.Default, is.Default) {
			c.add(place, fmt.Sprintf("what it is where it is left out is %v, it was %v", is.Default, was.Default), "clients that leave it out")
		}
		c.taken(place+"[]", was.Items, is.Items)
		c.takenObject(place, c.older.objectIn(was), c.newer.objectIn(is))
	})
}

func (c *comparison) takenEnum(place string, was, is *Schema) {
	switch lost := missing(namesOf(was.Enum), namesOf(is.Enum)); {
	case len(is.Enum) == 0:
	case len(was.Enum) == 0:
		c.add(place, fmt.Sprintf("it has to be one of %v now", is.Enum), "clients that send something else")
	case len(lost) > 0:
		c.add(place, "it may not be "+strings.Join(lost, " or ")+" any more", "clients that send that")
	}
}

// bounds are tighter where they are new, or have moved inwards.
func (c *comparison) bounds(place string, was, is *Schema) {
	for _, b := range []struct {
		name    string
		was, is *float64
		lower   bool
	}{
		{"minimum", was.Minimum, is.Minimum, true},
		{"maximum", was.Maximum, is.Maximum, false},
		{"minLength", number(was.MinLength), number(is.MinLength), true},
		{"maxLength", number(was.MaxLength), number(is.MaxLength), false},
		{"minItems", number(was.MinItems), number(is.MinItems), true},
		{"maxItems", number(was.MaxItems), number(is.MaxItems), false},
	} {
		switch {
		case b.is == nil:
		case b.was == nil:
			c.add(place, fmt.Sprintf("%s is %v, there was none", b.name, *b.is), "clients that send what is beyond it")
		case b.lower && *b.is > *b.was, !b.lower && *b.is < *b.was:
			c.add(place, fmt.Sprintf("%s is %v, it was %v", b.name, *b.is, *b.was), "clients that send what is between them")
		}
	}
}

func (c *comparison) takenObject(place string, was, is *Schema) {
	for _, name := range missing(is.Required, was.Required) {
		c.add(place+"."+name, "it is required now", "clients that leave it out")
	}
	for _, name := range slices.Sorted(maps.Keys(was.Properties)) {
		if is.Properties[name] == nil {
			c.add(place+"."+name, "the field is gone", "clients that send it")
			continue
		}
		c.taken(place+"."+name, was.Properties[name], is.Properties[name])
	}
	if open(was) && !open(is) {
		c.add(place, "fields it does not name are refused now", "clients that send some")
	}
	c.taken(place+".*", otherSchema(was), otherSchema(is))
}

// given compares what is answered: clients find all they know, as they know it.
func (c *comparison) given(place string, was, is *Schema) {
	c.within(was, is, func(was, is *Schema) {
		if more := missing(c.newer.typesOf(is), c.older.typesOf(was)); len(more) > 0 {
			c.add(place, "it may be "+strings.Join(more, " or ")+" now", "clients that expect "+strings.Join(c.older.typesOf(was), " or "))
			return
		}
		if is.Format != was.Format && was.Format != "" {
			c.add(place, fmt.Sprintf("its format is %q, it was %q", is.Format, was.Format), "clients that read it as that")
		}
		c.givenEnum(place, was, is)
		c.given(place+"[]", was.Items, is.Items)
		c.givenObject(place, c.older.objectIn(was), c.newer.objectIn(is))
	})
}

func (c *comparison) givenEnum(place string, was, is *Schema) {
	switch lost := missing(namesOf(was.Enum), namesOf(is.Enum)); {
	case len(was.Enum) == 0:
	case len(is.Enum) == 0:
		c.add(place, fmt.Sprintf("it may be anything now, it was one of %v", was.Enum), "clients that tell them apart")
	case len(lost) > 0:
		c.add(place, "it is never "+strings.Join(lost, " or ")+" any more", "clients that wait for that")
	}
}

func (c *comparison) givenObject(place string, was, is *Schema) {
	for _, name := range slices.Sorted(maps.Keys(was.Properties)) {
		field := place + "." + name
		switch {
		case is.Properties[name] == nil:
			c.add(field, "the field is gone", "clients that read it")
		case slices.Contains(was.Required, name) && !slices.Contains(is.Required, name):
			c.add(field, "it may be left out now", "clients that count on it")
		default:
			c.given(field, was.Properties[name], is.Properties[name])
		}
	}
	c.given(place+".*", otherSchema(was), otherSchema(is))
}

// allTypes is what a schema allows that names no type.
var allTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// typesOf are the types a value may have, those of alternatives included. A number may
// be an integer.
func (d *Document) typesOf(s *Schema) []string {
	types := slices.Clone([]string(s.Type))
	for _, one := range s.AnyOf {
		types = append(types, d.typesOf(d.resolve(one))...)
	}
	if len(types) == 0 {
		return allTypes
	}
	if slices.Contains(types, "number") {
		types = append(types, "integer")
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// missing are those of one list that are not in another.
func missing(of, in []string) []string {
	return slices.DeleteFunc(slices.Clone(of), func(one string) bool { return slices.Contains(in, one) })
}

func namesOf(values []any) (all []string) {
	for _, v := range values {
		all = append(all, brief(v))
	}
	return all
}

func number(n *int) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

// open reports whether an object may have fields it does not name.
func open(s *Schema) bool { return s.AdditionalProperties == nil || s.AdditionalProperties.allowed }

func otherSchema(s *Schema) *Schema {
	if s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.schema
}

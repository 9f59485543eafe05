package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Roles of a process.
const (
	roleAPI       = "api"
	roleProjector = "projector"
	roleReactions = "reactions"
)

// roles are what a process does. Any number of processes may have each.
type roles []string

var allRoles = roles{roleAPI, roleProjector, roleReactions}

func (r roles) has(role string) bool { return slices.Contains(r, role) }

// String gives them as they are written in the configuration.
func (r roles) String() string { return strings.Join(r, ",") }

// parseRoles reads roles with commas between them; none is all.
func parseRoles(text string) (roles, error) {
	var asked roles
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !allRoles.has(name) {
			return nil, fmt.Errorf("%q is no role: there are %s", name, strings.Join(allRoles, ", "))
		}
		if !asked.has(name) {
			asked = append(asked, name)
		}
	}
	if len(asked) == 0 {
		return allRoles, nil
	}
	return asked, nil
}

func (e *env) roles(name string) roles {
	r, err := parseRoles(e.text(name, ""))
	if err != nil {
		e.faults = append(e.faults, fmt.Errorf("%s: %w", name, err))
	}
	return r
}

// parts are what a process does beside serving, until their context ends. Whatever its
// role, it drops from memory what others erase, and watches its own Postgres.
func (s *system) parts() []func(context.Context) error {
	quiet := func(do func(context.Context)) func(context.Context) error {
		return func(ctx context.Context) error { do(ctx); return nil }
	}
	parts := []func(context.Context) error{quiet(s.followErasures), s.watchPostgres}
	if s.cfg.Roles.has(roleProjector) {
		parts = append(parts, quiet(s.runner.Run), quiet(s.newer.follow))
	}
	if s.cfg.Roles.has(roleReactions) {
		parts = append(parts, s.feed.run, quiet(s.schedule), quiet(s.archiveEnded), quiet(s.followEpochs), quiet(s.workOnKnowledge), s.asked.work)
	}
	return parts
}

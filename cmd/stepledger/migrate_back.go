package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/internal/liveness"
	"github.com/stepledger/stepledger/internal/pgmigrate"
)

// readTarget reads SCHEMA=VERSION.
func readTarget(text string) (s pgmigrate.Schema, version int64, err error) {
	name, number, _ := strings.Cut(text, "=")
	i := slices.IndexFunc(schemas, func(s pgmigrate.Schema) bool { return s.Name == name })
	if i < 0 {
		var names []string
		for _, s := range schemas {
			names = append(names, s.Name)
		}
		return s, 0, fmt.Errorf("--to: there is no schema %q; there are %s", name, strings.Join(names, ", "))
	}
	if version, err = strconv.ParseInt(number, 10, 64); err != nil || version < 1 {
		return s, 0, fmt.Errorf("--to: %q is no version; say %s=1 or more", number, name)
	}
	return schemas[i], version, nil
}

// goBack takes a schema back to a version, or says what that would lose.
func (p program) goBack(ctx context.Context, url, target string, drop bool) error {
	schema, version, err := readTarget(target)
	if err != nil {
		return err
	}
	losses, err := schema.Losses(ctx, url, version)
	if err != nil {
		return err
	}
	if len(losses) == 0 {
		fmt.Fprintf(p.out, "schema %s has no file above %d\n", schema.Name, version)
		return nil
	}
	for _, l := range losses {
		fmt.Fprintf(p.out, "%s %d\tloses: %s\n", l.Schema, l.Version, cmp.Or(l.Loses, "nothing"))
	}
	if !drop {
		return errors.New("nothing was undone: say --drop if that may be lost, and back up before")
	}
	switch n, err := liveness.Living(ctx, url); {
	case err != nil:
		return err
	case n > 0:
		return fmt.Errorf("nothing was undone: %d processes work with this database; stop them first", n)
	}
	if err := schema.Back(ctx, url, version); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "schema %s has version %d\n", schema.Name, version)
	return nil
}

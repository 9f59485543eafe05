package api

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepledger/stepledger/domain"
)

// checkQueryString refuses text a database cannot hold and duplicate parameters, of
// which one would be silently ignored. A list parameter may be repeated; its values
// are joined as huma expects them.
func (s *Server) checkQueryString(raw string, r route) (string, error) {
	if raw == "" {
		return "", nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return "", domain.Errorf(domain.Invalid, domain.CodeInvalidRequest, "the query string cannot be decoded")
	}
	joined := false
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all := values[name]
		if !utf8.ValidString(name) || slices.ContainsFunc(all, notText) {
			return "", invalid(strings.ToValidUTF8(name, "?"), "this is not text")
		}
		if len(all) == 1 {
			continue
		}
		if !s.takesList(r, name) {
			return "", invalid(name, "this is given %d times", len(all))
		}
		values[name] = []string{strings.Join(all, ",")}
		joined = true
	}
	if !joined {
		return raw, nil
	}
	return values.Encode(), nil
}

func notText(v string) bool { return !utf8.ValidString(v) || strings.ContainsRune(v, 0) }

// takesList reports whether a query parameter is a list.
func (s *Server) takesList(r route, name string) bool {
	return slices.ContainsFunc(s.operation(r).Parameters, func(p *huma.Param) bool {
		return p.In == "query" && p.Name == name && p.Schema.Type == huma.TypeArray
	})
}

package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/usage"
)

const bearer = "bearer"

// scalar describes page.Scalar, which does not know OpenAPI.
type scalar string

// Schema implements huma.SchemaProvider.
func (scalar) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean}}}
}

// amount describes usage.Pico, which does not either.
type amount string

// Schema implements huma.SchemaProvider.
func (amount) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "An exact decimal of USD.", Examples: []any{"0.001234"}}
}

// newSchemas is the registry of the description's schemas.
func newSchemas() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	r.RegisterTypeAlias(reflect.TypeFor[page.Scalar](), reflect.TypeFor[scalar]())
	r.RegisterTypeAlias(reflect.TypeFor[usage.Pico](), reflect.TypeFor[amount]())
	return r
}

// config configures huma: JSON only, no documentation pages, no links in answers.
// Huma does not serve the description, since it would build it on first use without a
// lock.
func (s *Server) config() huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Stepledger", Version: s.version(),
				Description: "The event-sourced brain of a browser agent. Success is {\"success\":true,\"data\":…}, " +
					"an error {\"success\":false,\"code\":…,\"message\":…}.",
			},
			Components: &huma.Components{
				Schemas:         newSchemas(),
				Responses:       map[string]*huma.Response{},
				Headers:         rateHeaders,
				SecuritySchemes: map[string]*huma.SecurityScheme{bearer: {Type: "http", Scheme: "bearer"}},
			},
		},
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat},
		DefaultFormat: "application/json",
	}
}

func (s *Server) version() string {
	if s.Version == "" {
		return "dev"
	}
	return s.Version
}

// describe adds to an operation what its types do not say: who may call it, its body,
// its errors and the rate limit headers.
func (s *Server) describe(r route) {
	op := s.operation(r)
	failure := op.Responses["default"].Content
	delete(op.Responses, "default")
	if r.body != nil {
		schemas := s.huma.OpenAPI().Components.Schemas
		schema := schemas.Schema(r.body.of, true, "")
		tolerate(schemas, schema)
		if r.id == "interact" {
			describeCapture(schemas, schemas.SchemaFromRef(schema.Ref))
		}
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
	}
	op.Security = []map[string][]string{}
	if r.method == post {
		op.Description = "Repeating it: " + repeats[r.id] + "."
	}
	success := op.Responses[strconv.Itoa(op.DefaultStatus)]
	s.addRateHeaders(success)
	if !r.open() {
		op.Security = securityOf(r)
		if slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == "atLeast" }) {
			success.Headers["X-Projection-Lag"] = lagHeader
		}
	}
	if r.id == "health" || r.id == "ready" {
		op.Responses["503"] = &huma.Response{Description: "Unhealthy, or about to stop", Content: op.Responses["200"].Content}
		s.addRateHeaders(op.Responses["503"])
	}
	if slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == "If-None-Match" }) {
		op.Responses["304"] = &huma.Response{Description: "Not modified", Headers: success.Headers}
	}
	if r.id == "usageExport" {
		op.Responses["200"].Content = map[string]*huma.MediaType{"text/csv": {Schema: &huma.Schema{Type: huma.TypeString}}}
	}
	if r.id == "sessionExport" {
		schema := s.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[envelope[ExportData]](), true, "ExportEnvelope")
		op.Responses["200"].Content = map[string]*huma.MediaType{"application/json": {Schema: schema}}
	}
	if r.id == "turnPage" {
		op.Responses["200"].Content = map[string]*huma.MediaType{"text/html": {Schema: &huma.Schema{Type: huma.TypeString}}}
	}
	for _, status := range failuresOf(r) {
		op.Responses[strconv.Itoa(status)] = s.failureResponse(status, failure)
	}
}

// securityOf is a token of one of the roles: OpenAPI 3.1 lets a requirement name roles,
// and of several requirements one has to hold.
func securityOf(r route) (all []map[string][]string) {
	roles := rolesOf(r)
	if len(roles) == len(account.Roles) {
		return []map[string][]string{{bearer: {}}}
	}
	for _, role := range roles {
		all = append(all, map[string][]string{bearer: {string(role)}})
	}
	return all
}

// failuresOf lists the error statuses of a route. Every route has 400, for a query
// string that cannot be decoded.
func failuresOf(r route) []int {
	f := []int{http.StatusBadRequest, http.StatusTooManyRequests, http.StatusInternalServerError}
	if r.body != nil {
		f = append(f, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	if r.class != account.Public {
		f = append(f, http.StatusUnauthorized, http.StatusServiceUnavailable)
	}
	if !r.open() && r.class != account.Account || strings.Contains(r.path, "{") {
		f = append(f, http.StatusNotFound)
	}
	if !r.open() && len(rolesOf(r)) < len(account.Roles) {
		f = append(f, http.StatusForbidden)
	}
	switch r.id {
	case "login":
		f = append(f, http.StatusForbidden)
	case "acceptInvite":
		f = append(f, http.StatusNotFound, http.StatusConflict)
	case "interact", "archiveSession":
		f = append(f, http.StatusForbidden, http.StatusConflict)
	case "audit":
		f = append(f, http.StatusNotFound)
	case "requestErasure":
		f = append(f, http.StatusNotFound, http.StatusConflict)
	case "retryParked", "setRole", "disableUser", "invite", "revokeInvite", "issueStatement", "stopTask", "cancelTask", "resumeOwnTask", "ingest":
		f = append(f, http.StatusConflict)
	}
	return f
}

// failureResponse refers to the shared description of a status.
func (s *Server) failureResponse(status int, content map[string]*huma.MediaType) *huma.Response {
	name := strings.ReplaceAll(http.StatusText(status), " ", "")
	all := s.huma.OpenAPI().Components
	if all.Responses[name] == nil {
		resp := &huma.Response{Description: http.StatusText(status), Content: content}
		s.addRateHeaders(resp)
		all.Responses[name] = resp
	}
	return &huma.Response{Ref: "#/components/responses/" + name}
}

// rateHeaders are sent with every answer but those to preflight requests, and those to
// a caller nobody can be asked about because the database of accounts does not answer.
var rateHeaders = map[string]*huma.Header{
	"X-RateLimit-Limit":     {Description: "Requests of this kind the tenant may make per minute; without a token that holds, the address. Sent with every answer, but not while the database of accounts cannot be asked.", Schema: &huma.Schema{Type: huma.TypeInteger}},
	"X-RateLimit-Remaining": {Description: "How many of them are left.", Schema: &huma.Schema{Type: huma.TypeInteger}},
	"X-RateLimit-Reset":     {Description: "Unix time at which all of them are.", Schema: &huma.Schema{Type: huma.TypeInteger}},
}

// lagHeader is sent with reads that did not see everything.
var lagHeader = &huma.Header{
	Description: "By how many log positions the answer is behind; absent if it is not.",
	Schema:      &huma.Schema{Type: huma.TypeInteger},
}

func (s *Server) addRateHeaders(r *huma.Response) {
	headers := map[string]*huma.Header{}
	for name := range rateHeaders {
		headers[name] = &huma.Header{Ref: "#/components/headers/" + name}
	}
	maps.Copy(headers, r.Headers)
	r.Headers = headers
}

// describeCapture describes the page fields of domain/page, which does not know
// OpenAPI.
func describeCapture(schemas huma.Registry, s *huma.Schema) {
	about := func(name, doc string) *huma.Schema {
		p := s.Properties[name]
		p.Description = doc
		return p
	}
	mode := about("domMode", "How the page was extracted; inferred if absent. Filtered: as semantic_v3, with only those elements that seem to matter (mode and tree may stand for domMode and interactiveTree, as the extractor returns them). Nothing is concluded from what such a page lacks; where it matters the answer is needs_full_dom.")
	for _, m := range modes {
		mode.Enum = append(mode.Enum, m)
	}
	full := page.MaxFullDOM
	about("dom", "HTML. At most 500000 UTF-16 units, 5 million in mode full. Required unless the field of domMode carries the page.").MaxLength = &full
	short := page.MaxDOM
	about("skeletonDom", "HTML of the interactive elements, for modes skeleton and hybrid.").MaxLength = &short
	about("url", "Of the tab: absolute, http or https.").Format = "uri"
	about("interactiveTree", "For modes semantic_v3 and filtered. Ids and values may be numbers or strings.")
	about("semanticNodes", "For mode semantic.")
	schemas.SchemaFromRef(s.Properties["viewport"].Ref).Required = nil // an unknown width is none
	about("screenshot", "JPEG, PNG or WebP in base64, bare or as a data URL; null if unchanged. Shown to models that take images, in mode hybrid.").Nullable = true
}

// tolerate allows unknown fields in a body, as decode does.
func tolerate(schemas huma.Registry, s *huma.Schema) {
	if s.Ref != "" {
		s = schemas.SchemaFromRef(s.Ref)
	}
	if s.Items != nil {
		tolerate(schemas, s.Items)
	}
	for _, one := range s.AnyOf {
		tolerate(schemas, one)
	}
	if s.AdditionalProperties == true || s.Properties == nil {
		return
	}
	s.AdditionalProperties = true
	for _, p := range s.Properties {
		tolerate(schemas, p)
	}
}

// Description returns the OpenAPI document in JSON and in YAML.
func (s *Server) Description() (asJSON, asYAML []byte, err error) {
	if asJSON, err = json.Marshal(s.huma.OpenAPI()); err != nil {
		return nil, nil, fmt.Errorf("describe: %w", err)
	}
	if asYAML, err = s.huma.OpenAPI().YAML(); err != nil {
		return nil, nil, fmt.Errorf("describe: %w", err)
	}
	return asJSON, asYAML, nil
}

// serveDescription serves the document at two addresses that are not part of it. The
// document is built on the first request, since that takes longer than the rest of
// New.
func (s *Server) serveDescription() {
	once := sync.OnceValues(func() (files [2][]byte, err error) {
		files[0], files[1], err = s.Description()
		return files, err
	})
	serve := func(path, media string, file int) {
		s.router.Get(path, func(w http.ResponseWriter, r *http.Request) {
			if err := s.limitPublic(callOf(r.Context())); err != nil {
				s.writeError(w, r, err)
				return
			}
			files, err := once()
			if err != nil {
				s.writeError(w, r, err)
				return
			}
			w.Header().Set("Content-Type", media)
			_, _ = w.Write(files[file])
		})
	}
	serve("/openapi.json", "application/openapi+json", 0)
	serve("/openapi.yaml", "application/openapi+yaml", 1)
}

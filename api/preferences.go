package api

import (
	"bytes"
	"context"
	"encoding/json"
)

// PreferencesBody is the body of savePreferences.
type PreferencesBody struct {
	Preferences object `json:"preferences"`
}

// PreferencesData is the answer of both preferences routes.
type PreferencesData struct {
	Preferences object `json:"preferences"`
}

func (s *Server) preferences(ctx context.Context, _ *struct{}) (*reply[PreferencesData], error) {
	doc, err := s.Identity.Preferences(ctx, caller(ctx))
	if err != nil {
		return nil, err
	}
	return ok(PreferencesData{object(doc)}), nil
}

func (s *Server) savePreferences(ctx context.Context, _ *struct{}, body []byte) (*reply[PreferencesData], error) {
	var b PreferencesBody
	limits := documentLimits
	limits.Fold = 1 // in the client's own object names are as it likes
	if err := decodeBody(body, &b, limits); err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(b.Preferences, []byte("{")) {
		return nil, invalid("preferences", "preferences must be one JSON object")
	}
	if err := s.Identity.SavePreferences(ctx, caller(ctx), json.RawMessage(b.Preferences)); err != nil {
		return nil, err
	}
	return ok(PreferencesData(b)), nil
}

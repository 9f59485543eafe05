package api

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// object is a JSON object of any content, kept byte for byte.
type object json.RawMessage

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) { return json.RawMessage(o).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (o *object) UnmarshalJSON(data []byte) error { return (*json.RawMessage)(o).UnmarshalJSON(data) }

// Schema implements huma.SchemaProvider.
func (object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// stored is JSON that was encoded as a T earlier and is sent unchanged.
type stored[T any] json.RawMessage

// MarshalJSON implements json.Marshaler.
func (s stored[T]) MarshalJSON() ([]byte, error) { return json.RawMessage(s).MarshalJSON() }

// Schema implements huma.SchemaProvider.
func (stored[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

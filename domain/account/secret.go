package account

import (
	"fmt"
	"log/slog"
)

// Secret is a password or a token. However it is printed, logged or encoded it shows
// as ***. Reveal is the only way to its text, so every place that handles one can be
// found by searching for Reveal.
type Secret string

const hidden = "***"

// Reveal returns the text.
func (s Secret) Reveal() string { return string(s) }

// String implements fmt.Stringer.
func (Secret) String() string { return hidden }

// GoString implements fmt.GoStringer.
func (Secret) GoString() string { return hidden }

// Format implements fmt.Formatter: no verb shows the text.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(hidden)) }

// LogValue implements slog.LogValuer.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText implements encoding.TextMarshaler, and with it JSON.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

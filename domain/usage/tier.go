package usage

import "strings"

// Service tiers. The standard one is "" in prices and in what is asked for, and
// spelt out in what a provider says it gave, where "" means that it did not say.
const (
	StandardTier = ""
	Batch        = "batch"
	Flex         = "flex"
	Priority     = "priority"

	servedAsUsual = "standard"
)

// ServiceTier is a provider's name of a service tier as prices have it.
func ServiceTier(name string) string {
	name = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), "service_tier_")
	switch name {
	case servedAsUsual, "default", "auto", "on_demand", "unspecified":
		return StandardTier
	}
	return name
}

// servedTier is a provider's word for the tier it gave as reports have it.
func servedTier(name string) string {
	if name != "" && ServiceTier(name) == StandardTier {
		return servedAsUsual
	}
	return ServiceTier(name)
}

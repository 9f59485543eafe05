package usage

import "strings"

// Service tiers. The standard one is "" in prices and requests. In reports it is
// spelt out, and "" means that the provider did not say.
const (
	StandardTier = ""
	Batch        = "batch"
	Flex         = "flex"
	Priority     = "priority"

	servedAsUsual = "standard"
)

// ServiceTier normalises a provider's tier name for prices.
func ServiceTier(name string) string {
	name = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), "service_tier_")
	switch name {
	case servedAsUsual, "default", "auto", "on_demand", "unspecified":
		return StandardTier
	}
	return name
}

// servedTier normalises a provider's tier name for reports.
func servedTier(name string) string {
	if name != "" && ServiceTier(name) == StandardTier {
		return servedAsUsual
	}
	return ServiceTier(name)
}

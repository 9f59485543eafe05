// Package check holds the tests of what deploy/ ships: that manifests and compose files keep
// to their schemas, that rules and dashboards ask for metrics there are and alerts fire at
// their thresholds, that each alert has its page in the runbook, that the image's build
// works without an engine, and that make check leaves out nothing that CI runs. It is a
// module of its own, so that the libraries that read these files (Prometheus, the parser of
// Containerfiles) are no dependencies of the product.
//
// It promises nothing of a cluster or a container engine: neither ran.
package check

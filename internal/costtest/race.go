//go:build race

package costtest

// Measures is false under the race detector, whose own work is most of the cost there:
// what is measured runs once then.
const Measures = false

// Package commands has one file per use case of the write side. A use case
// reads a stream, folds it, decides and appends; ports.go says what else it
// needs from outside, and transact.go is the only loop in the system.
//
// The interact turn is large enough for a package of its own, interact.
package commands

// Package do carries out a program that was read from a task (domain/instruction): it
// finds the first step that is not done, what is to be done for it on the page as it
// is, and knows when the program is done.
//
//	next.go      which step is next; what was done for it before (reasoning.Step.For)
//	click.go     click, open, close, expand, hover, drag, submit
//	choose.go    choose an option, tick and untick boxes
//	fill.go      enter and set values; clear
//	control.go   how a control is brought to a value: lists, toggles, calendars
//	command.go   what an application offers: archive, delete, rename, add … to
//	travel.go    navigate, back, search, scroll, press, wait, find
//	value.go     values that are read from the page
//	move.go      what is answered
//
// # What it promises
//
//   - A step is done when an action that completes it worked, or when the page already
//     has what it was to bring about. No step is skipped, and none is done before the
//     ones before it, except as long as its condition does not hold.
//   - It acts on the one element that is meant. Of several it asks which; of none it has
//     it looked for (package explore), and asks when that leads no further.
//   - A value that was given is entered or asked about, never dropped.
//   - It proposes no action on an element on which the same action failed for the same
//     step.
//
// # Limits
//
// It does what was said and plans nothing: a goal that is not said in steps is for the
// forms of package act, or for a model.
package do

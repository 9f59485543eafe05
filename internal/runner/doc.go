// Package runner does one task from beginning to end with the client of
// internal/browser: it checks that the server takes the token, starts a Chromium,
// opens the page, runs the loop of capture, question and action, answers what the
// server asks, and tells what happens as it happens.
//
// It promises that
//   - Run ends with a Result whatever happens: its Status says how, and ExitCode what
//     a program should end with;
//   - every step that an answer asks for is told before it is executed (Step), and the
//     server's verdict on it when it comes (Verdict), in order, on the goroutine of Run;
//   - while somebody holds the task on the server, the run waits, and tells who it is
//     waiting for (Pause); its time goes on;
//   - a run that is stopped (its context, its time, its number of steps) leaves the task
//     as it is on the server: TaskID goes on with it;
//   - what is typed into secret fields stands in no event.
//
// It does not repeat a task, and does not end one on the server.
package runner

// Package web is the pages engineers and finance look at: tasks turn by turn, states,
// differences, causes, usage, skills, what is known, calibration and read models.
//
// It promises that
//   - a page shows what the API answers to the same user, asked in this process: who
//     may see what, limits and errors are those of the API, and nothing is read twice
//     in two ways;
//   - looking writes nothing; the few forms that change something are POST, and
//     refused when another site sends them;
//   - nothing is loaded from elsewhere, and no page needs its script: that only saves
//     loading whole pages;
//   - what people, pages and models wrote is shown as text, and a captured page only in
//     a sandboxed frame, as a document that does nothing (internal/dom/snapshot).
//
// It does not keep anything between requests. The token of a login is in a cookie that
// scripts cannot read.
package web

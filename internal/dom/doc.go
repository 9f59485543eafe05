// Package dom reads what a client captured of a page, HTML or one of its trees, into
// a page.Page, and removes secrets from a capture before it is stored.
//
// It promises that any input is read or refused with a typed error, never a panic;
// that time and memory are linear in the input and everything in the result is
// bounded (limits.go); that the same capture gives the same page; and that the value
// of a secret field is in no page, even if the page repeats it outside of the field.
// Text that no person can see is dropped if the document itself says so (hidden,
// aria-hidden, inline styles, closed dialogs and details, invisible characters).
// Controls that no person can see are marked Hidden, apart from native fields behind
// a drawing of their own (isBehindDrawing). For a check box, radio button or file
// field that is hidden its label is the control (replaceByLabels). A node of a tree
// is as visible as the client says.
//
// Names follow the W3C's accessible name computation as far as the document alone
// allows; without a name, the text a person would take for the label is used. The
// value of a field inside a label is part of the name, that of a secret field never.
// If nothing is readable on a control, its name is made of its author's names for it,
// or is the text of its row, and marked so (NameGuessed). What distinguishes controls of the same name is kept
// beside the name: the row, the layer over the page, the form, the label beside a
// drop-down made of other elements.
//
// It runs no scripts, and reads style sheets only in the document itself and for
// names alone (sheet): an element hidden by a class counts as visible unless the
// client's data-visible says otherwise. It fetches nothing, resolves no URLs, and
// does not look into iframes, srcdoc included: a client that captures frames tags
// what is in them (data-frame-id) or lists it in its tree. Shadow trees are read if
// they are declared in the markup (shadowrootmode).
//
// Not everything a client sends becomes part of the page. The viewport and the scroll
// position stay in the capture, since the client left out what is outside. Of a
// container's scroll depth only whether there is more counts. That a node is in a
// shadow tree does not matter, since ids reach into them. The counts of meta are the
// client's own.
//
// HTML is read in one parse and one walk; names are worked out afterwards, since a
// label may follow its field.
package dom

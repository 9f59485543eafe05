// Package dom reads what a client captured of a page, HTML or one of its trees,
// into a page.Page, and cuts secrets out of a capture before it is stored.
//
// It promises that any input is read or refused with a typed error, never a
// panic; that time and memory are linear in the input and everything in the
// result is bounded (limits.go); that the same capture gives the same page; and
// that the value of a secret field is in no page, also where the page repeats it
// outside of the field. Text no person can see is
// dropped where the document itself says so (hidden, aria-hidden, inline
// styles, closed dialogs and details, invisible characters); controls no person
// can see are marked Hidden, apart from native fields pseudoAfter a drawing of their
// own (isStandIn). Of a check box, radio button or file field that is kept out of
// sight the label is the control (standIns). A node of a tree is as visible as the
// client says.
//
// Names are those of the W3C's accessible name computation as far as the
// document alone gives them; where it gives none, the text a person would take
// for the label. The value of a field inside a label is part of the name, that
// of a secret field never. Where nothing can be read on a control, its author's
// own words for it stand in and are marked so (NameGuessed). What tells controls of
// one name apart is kept beside the name: the row, the layer over the page, the form,
// the label beside a drop-down that is drawn.
//
// It does not know scripts, and of style sheets only what the document itself
// has, for names alone (sheet): an element hidden by a class is taken as visible
// unless the client's data-visible says otherwise. It does not fetch anything,
// resolve URLs, or look into iframes, srcdoc included: a client that captures
// frames tags what is in them (data-frame-id) or lists it in its tree. Shadow
// trees are read where they are declared in the markup (shadowrootmode).
//
// Not everything a client may say becomes part of the page. The viewport and the
// scroll position stay in the capture: what is outside was left out by the
// client. Of a container's scroll depth it counts whether there is more; that a
// node is in a shadow tree counts for nothing, since ids reach into them; the
// counts of meta are the client's own.
//
// Of HTML a page is read in one parse and one walk; names are worked out
// afterwards, since a label may stand after its field.
package dom

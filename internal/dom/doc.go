// Package dom reads what a client captured of a page, HTML or one of its trees,
// into a page.Page, and cuts secrets out of a capture before it is stored.
//
// It promises that any input is read or refused with a typed error, never a
// panic; that time and memory are linear in the input and everything in the
// result is bounded (limits.go); that the same capture gives the same page; and
// that the value of a secret field is in no page. Text no person can see is
// dropped where the document itself says so (hidden, aria-hidden, inline
// styles, closed dialogs and details, invisible characters); controls no person
// can see are marked Hidden, apart from native fields behind a drawing of their
// own (isStandIn). A node of a tree is as visible as the client says.
//
// It does not know style sheets or scripts: an element hidden by a class is
// taken as visible unless the client's data-visible says otherwise. It does not
// fetch anything, resolve URLs, or look into iframes.
//
// Of HTML a page is read in one parse and one walk; names are worked out
// afterwards, since a label may stand after its field.
package dom

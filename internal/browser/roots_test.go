package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// serveHTML serves one document from an origin of its own.
func serveHTML(t testing.TB, body string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>test</title>", body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// ask evaluates an expression in the scripts' world of a frame and decodes what it gives.
func (t *Tab) ask(test *testing.T, frame cdp.FrameID, out any, expression string) {
	test.Helper()
	err := t.do(test.Context(), func(ctx context.Context, target *chromedp.Target) error {
		w, err := cdp.Call(ctx, target, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: world})
		if err != nil {
			return err
		}
		here := func(p *runtime.EvaluateParams) { p.ContextID = w.ExecutionContextID }
		result, err := chromedp.Evaluate[*runtime.RemoteObject](expression, chromedp.EvalAsValue, chromedp.EvalAwaitPromise, here)(ctx, target)
		if err != nil || out == nil {
			return err
		}
		return json.Unmarshal(result.Value, out)
	})
	if err != nil {
		test.Fatalf("%s: %v", expression, err)
	}
}

// framesOf lists the frames of a tab, the outer before the inner.
func (t *Tab) framesOf(test *testing.T) []cdp.FrameID {
	test.Helper()
	var list []cdp.FrameID
	err := t.do(test.Context(), func(ctx context.Context, target *chromedp.Target) error {
		tree, err := cdp.Call(ctx, target, page.GetFrameTree, cdp.Empty{})
		if err != nil {
			return err
		}
		var add func(f *page.FrameTree)
		add = func(f *page.FrameTree) {
			list = append(list, f.Frame.ID)
			for _, child := range f.ChildFrames {
				add(child)
			}
		}
		add(tree.FrameTree)
		return nil
	})
	if err != nil {
		test.Fatal(err)
	}
	return list
}

type rootCapture struct {
	LastID, LastFrame int
	HTML              string
	Focused           string
	Nodes             []rawNode
	Frames            []struct {
		Token string
		Frame int
		Box   [4]float64
		Hit   bool
	}
}

func (c rootCapture) node(t *testing.T, name string) rawNode {
	t.Helper()
	for _, n := range c.Nodes {
		if n.Name == name {
			return n
		}
	}
	t.Fatalf("no node %q in %+v", name, c.Nodes)
	return rawNode{}
}

type framePoint struct {
	Found, Hit bool
	X, Y       float64
	Cover      string
}

// A frame of another origin with one of a third in it: their scripts find their places,
// number their elements without a clash, and their points are points of the tab.
func TestRoots_FramesOfOtherOrigins(t *testing.T) {
	t.Parallel()
	inner := serveHTML(t, `<style>body{margin:0}</style><button style="position:absolute;left:10px;top:5px;width:80px;height:20px" onclick="this.textContent='Paid'">Pay</button>`)
	middle := serveHTML(t, `<style>body{margin:0}</style><button>Middle</button><iframe src="`+inner+`" style="position:absolute;left:30px;top:40px;width:200px;height:60px;border:2px solid;padding:6px"></iframe>`)
	tab := openHTML(t, `<style>body{margin:0}</style><button>Top</button><iframe srcdoc="<button>Same</button>"></iframe>
		<iframe title="Payment" src="`+middle+`" style="position:absolute;left:100px;top:200px;width:400px;height:200px;border:5px solid;padding:15px"></iframe>`)
	frames := tab.framesOf(t)
	if len(frames) != 4 {
		t.Fatalf("%d frames", len(frames))
	}
	var top, mid, in rootCapture
	top = tab.captureRoot(t, frames[0], frames[2], "m", `{start: 0, full: false, limit: 1e6}`)
	if f := top.Frames[0]; f.Box != [4]float64{120, 220, 400, 200} || !f.Hit || top.LastFrame != 2 {
		t.Fatalf("frames %+v, last frame %d", top.Frames, top.LastFrame)
	}
	if !strings.Contains(top.HTML, `title="Payment"`) || !strings.Contains(top.HTML, `><div data-stepledger-frame="m"></div></div>`) {
		t.Errorf("html %s", top.HTML)
	}
	mid = tab.captureRoot(t, frames[2], frames[3], "i", fmt.Sprintf(`{start: %d, startFrame: %d, frame: %d, offset: {x: 120, y: 220}, full: false, limit: 1e6}`, top.LastID, top.LastFrame, top.Frames[0].Frame))
	tab.ask(t, frames[3], &in, fmt.Sprintf(`stepledger.capture({start: %d, startFrame: %d, frame: %d, offset: {x: %v, y: %v}, full: false, limit: 1e6})`,
		mid.LastID, mid.LastFrame, mid.Frames[0].Frame, mid.Frames[0].Box[0], mid.Frames[0].Box[1]))
	pay := in.node(t, "Pay")
	if pay.ID != fmt.Sprintf("f3_%d", in.LastID) || pay.Frame != 3 || pay.Box != [4]float64{168, 273, 80, 20} {
		t.Errorf("the innermost button is %+v", pay)
	}
	if m := mid.node(t, "Middle"); m.ID != fmt.Sprintf("f2_%d", mid.LastID) {
		t.Errorf("the middle button is %q", m.ID)
	}
	if strings.Contains(in.HTML, "<html") || !strings.HasPrefix(in.HTML, "<body") {
		t.Errorf("a frame's html: %s", in.HTML)
	}

	var point framePoint
	tab.ask(t, frames[3], &point, fmt.Sprintf(`stepledger.locate(%q)`, pay.ID))
	for i, token := range []string{"i", "m"} {
		tab.ask(t, frames[2-2*i], &point, fmt.Sprintf(`stepledger.frameAt(%q, %v, %v)`, token, point.X, point.Y))
		if !point.Hit {
			t.Fatalf("%s: %+v", token, point)
		}
	}
	if point.X != 208 || point.Y != 283 {
		t.Errorf("the point is %v, %v", point.X, point.Y)
	}
	tab.ask(t, frames[0], nil, `document.body.insertAdjacentHTML("beforeend", "<div style='position:fixed;inset:0;background:#fff'>Cookies</div>")`)
	tab.ask(t, frames[0], &point, `stepledger.frameAt("m", 50, 50)`)
	if point.Hit || !strings.Contains(point.Cover, "Cookies") {
		t.Errorf("behind a layer: %+v", point)
	}
}

// captureRoot lets the child of a frame say hello and captures the frame.
func (t *Tab) captureRoot(test *testing.T, frame, child cdp.FrameID, token, options string) rootCapture {
	test.Helper()
	var c rootCapture
	for end := time.Now().Add(patience); len(c.Frames) == 0; { // the message takes its time
		t.ask(test, child, nil, fmt.Sprintf(`stepledger.hello(%q)`, token))
		t.ask(test, frame, &c, `stepledger.capture(`+options+`)`)
		if time.Now().After(end) {
			test.Fatal("the child was not heard")
		}
	}
	return c
}

// What is far down in a frame that is scrolled away is brought into view.
func TestRoots_ShowFrame(t *testing.T) {
	t.Parallel()
	child := serveHTML(t, `<style>body{margin:0}</style><div style="height:900px"></div><button>Deep</button>`)
	tab := openHTML(t, `<div style="height:3000px"></div><div style="height:300px;overflow:auto"><div style="height:700px"></div>
		<iframe src="`+child+`" style="height:1000px"></iframe></div><div style="height:3000px"></div>`)
	frames := tab.framesOf(t)
	tab.captureRoot(t, frames[0], frames[1], "c", `{start: 0, full: false, limit: 1e6}`)
	var point framePoint
	tab.ask(t, frames[0], &point, `stepledger.frameAt("c", 20, 910)`)
	if !point.Found || point.Hit {
		t.Fatalf("before: %+v", point)
	}
	tab.ask(t, frames[0], nil, `stepledger.showFrame("c", [0, 900, 40, 20])`)
	tab.ask(t, frames[0], &point, `stepledger.frameAt("c", 20, 910)`)
	if !point.Hit {
		t.Errorf("after: %+v", point)
	}
	tab.ask(t, frames[0], &point, `stepledger.frameAt("nobody's", 1, 1)`)
	if point.Found {
		t.Error("a token that nobody named has a frame")
	}
}

// A page that posts a token again cannot move it to another frame.
func TestRoots_TheFirstToNameATokenHasIt(t *testing.T) {
	t.Parallel()
	a, b := serveHTML(t, `A`), serveHTML(t, `B`)
	tab := openHTML(t, `<iframe id="a" src="`+a+`"></iframe><iframe id="b" src="`+b+`"></iframe>`)
	frames := tab.framesOf(t)
	first := tab.captureRoot(t, frames[0], frames[1], "a", `{start: 0, full: false, limit: 1e6}`)
	tab.ask(t, frames[2], nil, `parent.postMessage({stepledger: "a"}, "*")`)
	second := tab.captureRoot(t, frames[0], frames[2], "b", `{start: 0, full: false, limit: 1e6, tokens: ["b"]}`)
	if len(second.Frames) != 1 || second.Frames[0].Frame == first.Frames[0].Frame {
		t.Errorf("asked for b alone: %+v", second.Frames)
	}
	third := tab.captureRoot(t, frames[0], frames[2], "b", `{start: 0, full: false, limit: 1e6, tokens: ["a"]}`)
	if len(third.Frames) != 1 || third.Frames[0].Frame != first.Frames[0].Frame {
		t.Errorf("a is %+v, was %+v", third.Frames, first.Frames)
	}
}

// A frame's document begins inside its border and its padding.
func TestTab_Execute_InAFrameWithPadding(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<iframe style="border:9px solid;padding:40px 30px;width:200px;height:60px" srcdoc="<style>body{margin:0}</style>
		<button style='height:15px' onclick='top.document.title = &quot;hit&quot;'>In</button><button style='height:15px' onclick='top.document.title = &quot;missed&quot;'>Near</button>"></iframe>`)
	c := tab.mustCapture(t)
	tab.does(t, click(id(t, c, "btn", "In")))
	if got := tab.mustCapture(t).Title; got != "hit" {
		t.Errorf("title %q", got)
	}
}

// A document knows which actions it was armed for.
func TestArm_KnowsItsTokens(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<p>Hello</p>`)
	var armed struct {
		Document, Token string
		Again           bool
	}
	for _, want := range []bool{false, true} {
		tab.ask(t, tab.shows().frame, &armed, `stepledger.arm("", "one")`)
		if armed.Again != want || armed.Token != "one" || armed.Document == "" {
			t.Errorf("armed %+v, want again %v", armed, want)
		}
	}
	tab.ask(t, tab.shows().frame, &armed, `stepledger.arm("", "two")`)
	if armed.Again {
		t.Error("another action is taken for the first")
	}
}

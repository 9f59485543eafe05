package browser

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const (
	// chooserWithin is how long a click may take to ask for a file.
	chooserWithin = time.Second
	// maxFilesNamed is how many files a refusal names.
	maxFilesNamed = 30
)

// errNoFile is returned for a name that no file has.
var errNoFile = errors.New("no such file")

// upload gives a file to the field that an element is, or belongs to: to the one that a
// click on the element asks a file for, and else it drops the file there.
func (t *Tab) upload(ctx context.Context, id, name string, r *Report) error {
	path, err := t.fileOnDisk(name)
	if errors.Is(err, errNoFile) {
		return refuse(CodeNoFile, "there is no file %q; there are: %s", name, strings.Join(t.fileNames(), ", "))
	}
	if err != nil {
		return err
	}
	l, err := t.locate(ctx, id, r)
	if err != nil {
		return err
	}
	if done, err := t.fillFileInput(ctx, l.ID, path); done || err != nil {
		return err
	}
	if l, err = t.target(ctx, l.ID, r); err != nil {
		return err
	}
	t.shows().chooser.forget()
	if err := t.clickAt(ctx, l); err != nil {
		return err
	}
	if field, asked := t.shows().chooser.wait(ctx, chooserWithin); asked {
		return t.setFiles(ctx, dom.SetFileInputFilesParams{Files: []string{path}, BackendNodeID: field})
	}
	return t.dropFile(ctx, l, path)
}

// fillFileInput sets the field that the script finds for an element.
func (t *Tab) fillFileInput(ctx context.Context, id, path string) (done bool, err error) {
	err = t.evaluate(ctx, t.rootOf(id), expression("fileInput", id), func(ctx context.Context, target *chromedp.Target, el *runtime.RemoteObject) error {
		if el.ObjectID == "" {
			return nil
		}
		done, t.begun = true, true
		_, err := cdp.Call(ctx, target, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{path}, ObjectID: el.ObjectID})
		return err
	})
	return done, err
}

func (t *Tab) setFiles(ctx context.Context, files dom.SetFileInputFilesParams) error {
	return t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, dom.SetFileInputFiles, files)
		return err
	})
}

// dropFile drops a file on an element, as a person drags it there from a folder.
func (t *Tab) dropFile(ctx context.Context, l located, path string) error {
	const copies = 1
	return t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
			_, err := cdp.Call(ctx, target, input.DispatchDragEvent, input.DispatchDragEventParams{
				Type: kind, X: l.X, Y: l.Y, Data: &input.DragData{Items: []*input.DragDataItem{}, Files: []string{path}, DragOperationsMask: copies},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// fileNames lists the files the user has allowed.
func (t *Tab) fileNames() []string {
	var names []string
	if t.opts.Files == nil {
		return nil
	}
	_ = fs.WalkDir(t.opts.Files, ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && len(names) < maxFilesNamed {
			names = append(names, path)
		}
		return nil // what cannot be read cannot be sent either
	})
	return names
}

// fileOnDisk copies a file of the user's to where the browser can read it, under its own
// name. It is there until the tab closes.
func (t *Tab) fileOnDisk(name string) (string, error) {
	if t.opts.Files == nil || !fs.ValidPath(name) {
		return "", errNoFile
	}
	if info, err := fs.Stat(t.opts.Files, name); err != nil || !info.Mode().IsRegular() {
		return "", errNoFile
	}
	content, err := fs.ReadFile(t.opts.Files, name)
	if err != nil {
		return "", fmt.Errorf("read the file %s: %w", name, err)
	}
	dir, err := os.MkdirTemp("", "stepledger-upload-")
	if err != nil {
		return "", err
	}
	t.dropped = append(t.dropped, dir)
	path := filepath.Join(dir, filepath.Base(name))
	return path, os.WriteFile(path, content, 0o600)
}

// fileChooser is told when a page asks for a file. The browser's own dialog never opens.
type fileChooser struct{ asked chan cdp.BackendNodeID }

func newFileChooser() fileChooser { return fileChooser{make(chan cdp.BackendNodeID, 1)} }

// ask takes the field that wants a file; 0 if no field does, and the file goes to a script.
func (c fileChooser) ask(field cdp.BackendNodeID) {
	select {
	case c.asked <- field:
	default: // nobody has taken the one before
	}
}

func (c fileChooser) forget() {
	select {
	case <-c.asked:
	default:
	}
}

func (c fileChooser) wait(ctx context.Context, within time.Duration) (field cdp.BackendNodeID, asked bool) {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case field = <-c.asked:
		return field, field != 0
	case <-timer.C:
	case <-ctx.Done():
	}
	return 0, false
}

// interceptChooser keeps the browser's own choice of files from opening in a window.
func interceptChooser(ctx context.Context, target *chromedp.Target) error {
	_, err := cdp.Call(ctx, target, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true})
	return err
}

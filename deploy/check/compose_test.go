package check

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Compose files keep to the compose specification, images have versions, and what is mounted
// or built from is there.
func TestCompose(t *testing.T) {
	t.Parallel()
	s := schema(t, "compose-spec.json", "")
	for _, name := range files(t, "deploy/compose*.yaml") {
		doc := documents(t, name)[0]
		delete(doc, "x-node")
		delete(doc, "x-settings")
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		services, _ := at(doc, "services").(map[string]any)
		for service, v := range services {
			for _, fault := range serviceFaults(filepath.Dir(name), v) {
				t.Errorf("%s: %s %s", name, service, fault)
			}
		}
	}
	doc := documents(t, "deploy/compose.yaml")[0]
	at(doc, "services", "app").(map[string]any)["evironment"] = map[string]any{}
	if s.Validate(doc) == nil {
		t.Error("a misspelt name is accepted")
	}
}

var pinned = regexp.MustCompile(`:v?\d+\.\d+(\.\d+)?(-[a-z0-9.]+)?$`)

func serviceFaults(dir string, service any) (faults []string) {
	exists := func(name string) {
		if _, err := os.Stat(filepath.Join(root, dir, name)); err != nil {
			faults = append(faults, "names "+name+", which is not there")
		}
	}
	if image := text(service, "image"); image != "" {
		faults = append(faults, imageFaults(image)...)
	}
	if file := text(service, "build", "dockerfile"); file != "" {
		exists(filepath.Join(text(service, "build", "context"), file))
	}
	if file := text(service, "extends", "file"); file != "" {
		exists(file)
	}
	for _, v := range list(service, "volumes") {
		if from, _, _ := strings.Cut(v.(string), ":"); strings.HasPrefix(from, ".") {
			exists(from)
		}
	}
	for _, p := range list(service, "ports") {
		if !strings.HasPrefix(p.(string), "127.0.0.1:") {
			faults = append(faults, "has a port that is bound to every address")
		}
	}
	return faults
}

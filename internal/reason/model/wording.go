package model

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/internal/llm"
)

//go:embed prompts
var files embed.FS

// wording is a prompt template. Its name ends in a version, which is raised with
// every change of its files; its hash is over the files.
type wording struct {
	name   string
	hash   string
	system string
	user   *template.Template
	schema json.RawMessage
	// limit bounds the answer in tokens, thinking included.
	limit int
}

// The prompts. Every change of a file needs a new version here; a test compares the
// hashes with the names.
var (
	actPrompt       = load("act/12", "act.system.txt", "act.user.txt", "act.schema.json", 4096)
	fullVerdict     = load("verify/5", "verify.system.txt", "verify.user.txt", "verify.schema.json", 2048)
	partVerdict     = load("verify-part/3", "verify.system.txt", "verify.user.txt", "verify_part.schema.json", 2048)
	lightVerdict    = load("verify-light/4", "verify_light.system.txt", "verify_light.user.txt", "verify.schema.json", 1024)
	confirmPrompt   = load("confirm/6", "confirm.system.txt", "confirm.user.txt", "confirm.schema.json", 2048)
	correctPrompt   = load("correct/6", "correct.system.txt", "correct.user.txt", "correct.schema.json", 4096)
	planPrompt      = load("plan/7", "plan.system.txt", "plan.user.txt", "plan.schema.json", 4096)
	planCheckPrompt = load("plan-check/6", "plan_check.system.txt", "plan_check.user.txt", "plan_check.schema.json", 2048)
	critiquePrompt  = load("critique/1", "critique.system.txt", "critique.user.txt", "critique.schema.json", 1024)
	repair          = template.Must(template.New("repair").Parse(read("repair.txt")))
)

// repairSuffix marks the repair of an unusable answer in the ledger.
const repairSuffix = "+repair"

func load(name, system, user, schema string, limit int) wording {
	h := sha256.New()
	for _, f := range []string{system, user, schema, "repair.txt"} {
		h.Write([]byte(read(f)))
		h.Write([]byte{0})
	}
	if strings.Contains(read(system), "{{offers}}") { // its list of actions is part of it
		fmt.Fprint(h, offers, endOffers, searchOffer, severalRule)
	}
	return wording{
		name:   name,
		hash:   hex.EncodeToString(h.Sum(nil)),
		system: strings.TrimSpace(read(system)),
		user:   template.Must(template.New(name).Parse(read(user))),
		schema: json.RawMessage(read(schema)),
		limit:  limit,
	}
}

func read(name string) string {
	b, err := files.ReadFile("prompts/" + name)
	if err != nil {
		panic("model: an embedded prompt cannot be missing: " + err.Error())
	}
	return strings.Replace(string(b), "{{legend}}", prompt.Legend, 1)
}

// request fills in the template.
func (w wording) request(fields map[string]string) llm.Request {
	schemaName, _, _ := strings.Cut(w.name, "/")
	return llm.Request{
		System: strings.NewReplacer(
			"{{offers}}", fields["Offers"], "{{several}}\n", fields["Several"], "{{can}}", fields["Can"],
		).Replace(w.system),
		User:            llm.Text(fill(w.user, fields)),
		Schema:          w.schema,
		SchemaName:      strings.ReplaceAll(schemaName, "-", "_"),
		MaxOutputTokens: w.limit,
	}
}

func fill(t *template.Template, fields map[string]string) string {
	var b strings.Builder
	if err := t.Execute(&b, fields); err != nil {
		panic("model: a template over strings cannot fail: " + err.Error())
	}
	return strings.TrimSpace(b.String())
}

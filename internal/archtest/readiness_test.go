package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The documents whose tables "Production Readiness Status" say what there is.
const (
	interactFlow        = "Interact Flow"
	verificationProcess = "Verification Process"
)

// component is a row of such a table, with the tests that show it as "package.Test".
type component struct {
	document, name string
	tests          []string
}

// readiness has the components that are built.
var readiness = []component{
	{interactFlow, "Core Interact Loop", []string{
		"cmd/stepledger.TestTask_FromFirstRequestToReadModels", "cmd/stepledger.TestBranches_Acting", "cmd/stepledger.TestBranches_UnusableAnswers",
		"cmd/stepledger.TestCrash_AtEveryPointOfATask", "commands/interact.TestInteract_EveryTaskEnds",
	}},
	{interactFlow, "4-Step Reasoning Pipeline", []string{
		"cmd/stepledger.TestBranches_Planning", "cmd/stepledger.TestBranches_Search", "commands/interact.TestPlan_AsksTheUserFirst", "internal/reason/model.TestReasoner_Plan",
	}},
	{interactFlow, "Planning Engine", []string{"cmd/stepledger.TestBranches_Planning", "commands/interact.TestPlan_IsMadeOnceAndMoves", "commands/interact.TestPlan_Checkpoint", "domain/plan.TestScores"}},
	{interactFlow, "Verification Engine", []string{"cmd/stepledger.TestInteract_UnderJudgement", "cmd/stepledger.TestBranches_Acting", "internal/reason.TestChain", "internal/reason/rules.TestVerify_EveryRule"}},
	{interactFlow, "Self-Correction Engine", []string{
		"cmd/stepledger.TestModel_CorrectionAndProofAreOnTheBooks", "cmd/stepledger.TestBranches_Acting", "internal/reason/model.TestReasoner_Correct_strategies", "internal/reason/rules.TestCorrect",
	}},
	{interactFlow, "Outcome Prediction", []string{"cmd/stepledger.TestBranches_LookAhead", "domain/page.TestExpectedOf", "domain/page.TestChecks"}},
	{interactFlow, "Step Refinement", []string{"commands/interact.TestInteract_Acting", "commands/interact.TestTurn_ValuesInTheFormOfTheControl", "internal/reason/model.TestReasoner_Act"}},
	// The graph is a table of nodes and edges.
	{interactFlow, "LangGraph.js + Complexity Routing", []string{"commands/interact.TestGraph_EveryEdgeIsWalked", "domain/complexity.TestOf", "cmd/stepledger.TestBranches_Planning"}},
	// Traces and reported errors are decorators and followers of the log.
	{interactFlow, "LangFuse + Sentry Separation", []string{
		"cmd/stepledger.TestTracing_AWholeTask", "internal/trace.TestLangfuse_TurnsAndScores", "internal/observe.TestReportErrors_OnlyErrorsAndNothingOfAnybodys",
	}},
	// The log is the ledger; what finance reads is a projection of it.
	{interactFlow, "Hybrid Cost Tracking", []string{
		"cmd/stepledger.TestModel_EveryTokenIsOnTheBooks", "cmd/stepledger.TestBranches_Planning", "domain/usage.TestReplay_SumsAreExact",
		"projections/usage.TestProjection_IsTheFoldOfTheLedger", "internal/trace.TestCall_ASpanWithItsBill",
	}},
	{interactFlow, "Action Chaining", []string{
		"cmd/stepledger.TestChain_RulesFillAForm", "cmd/stepledger.TestChain_PartialFailureAtEachIndex", "cmd/stepledger.TestChain_FiveFieldsInChromium", "domain/chain.TestRecover_RepeatsNothingAndLosesNothing",
	}},
	{interactFlow, "DOM Similarity Algorithm", []string{"domain/page.TestSimilarity", "domain/page.TestSimilarity_isAMeasure", "domain/page.TestReplanBelow_coversMajorChangesOfStructure"}},
	{interactFlow, "Multi-Source Synthesis", []string{"cmd/stepledger.TestBranches_Information", "commands/interact.TestContext", "domain/reasoning.TestPlanAnswer_Route"}},
	{interactFlow, "Dynamic Interrupt", []string{"cmd/stepledger.TestBranches_Information", "commands/interact.TestMissingInfo", "internal/reason/model.TestReasoner_Act_MissingInfo"}},
	{interactFlow, "Hierarchical Planning", []string{
		"cmd/stepledger.TestBranches_Parts", "commands/interact.TestParts_ContextIsReset", "commands/interact.TestParts_OutputIsChecked", "commands/interact.TestParts_SynthesisIsChecked", "domain/plan.TestHierarchy_KeepsItsContracts",
	}},
	{interactFlow, "Dynamic Re-Planning", []string{"cmd/stepledger.TestBranches_Replanning", "commands/interact.TestPlan_IsCheckedWhenThePageChanges", "domain/plan.TestCheck"}},
	{interactFlow, "Look-Ahead Verification", []string{"cmd/stepledger.TestBranches_LookAhead", "commands/interact.TestLookAhead", "domain/reasoning.TestVerdict_LookAhead", "domain/page.TestNextGoal"}},
	{interactFlow, "Critic Loop", []string{"cmd/stepledger.TestBranches_Critic", "commands/interact.TestReview", "domain/critic.TestReview_Values", "domain/reasoning.TestNeedsCritic"}},
	{interactFlow, "Skills Library", []string{"cmd/stepledger.TestDemo", "projections/skills.TestApply_WhatTeaches", "projections/skills.TestQueries_Find", "commands/interact.TestTurn_SkillsShownAreRecorded"}},
	{interactFlow, "Conditional Planning", []string{"cmd/stepledger.TestBranches_Contingency", "domain/plan.TestPlan_Foreseen", "domain/plan.TestPlan_Take"}},
	{interactFlow, "Tiered Verification", []string{
		"cmd/stepledger.TestBranches_Acting", "internal/reason/model.TestReasoner_Verify_tiers", "internal/reason/model.TestPrompt_lightVerificationIsAboutAHundredTokens",
		"internal/reason.TestChain_theModelIsNotPaidForWhatRulesKnow",
	}},
	{interactFlow, "V3 Semantic Extraction", []string{"api.TestInteract_UnderstandsTheTreeAsItIsExtracted", "domain/page.TestNodeV3_ReadsEveryFieldButScrollDirectly", "internal/dom.TestRead_modesAgree", "cmd/stepledger.TestInteract_UnderJudgement"}},
	{interactFlow, "Sentinel Verification", []string{"api.TestInteract_HandsOnWhatItReceived", "domain/page.TestObserve", "internal/reason/rules.TestVerify_ClientReport", "cmd/stepledger.TestInteract_UnderJudgement"}},

	{verificationProcess, "Verification Engine", []string{"cmd/stepledger.TestInteract_UnderJudgement", "cmd/stepledger.TestBranches_Acting", "internal/reason.TestChain", "internal/reason/model.TestReasoner_Verify"}},
	{verificationProcess, "Outcome Prediction", []string{"cmd/stepledger.TestBranches_LookAhead", "domain/page.TestExpectedOf"}},
	{verificationProcess, "Action Type Classifier", []string{"domain/action.TestKindOf"}},
	{verificationProcess, "DOM Helpers", []string{"internal/dom.TestRead_golden", "domain/page.TestLocate", "domain/page.TestFindAgain"}},
	{verificationProcess, "Verification Node", []string{"cmd/stepledger.TestInteract_UnderJudgement", "commands/interact.TestGraph_EveryEdgeIsWalked", "commands/interact.TestTurn_VerdictAndNextAction"}},
	{verificationProcess, "Correction Node", []string{"cmd/stepledger.TestBranches_Acting", "commands/interact.TestTurn_CorrectionSavesTheStep"}},
	{verificationProcess, "URL Tracking (urlAtAction)", []string{"domain/page.TestDrifted", "domain/page.TestObserve", "internal/reason/rules.TestVerify_Navigation"}},
	{verificationProcess, "Smart DOM Context", []string{"domain/prompt.TestPage_keepsItsBudget", "domain/prompt.TestWindow", "domain/prompt.TestRank"}},
	{verificationProcess, "Action Type Templates", []string{"domain/page.TestExpectedOf", "domain/page.TestChecks"}},
	{verificationProcess, "Client Verification Schema", []string{"api.TestInteract_HandsOnWhatItReceived", "api.TestInteract_UnderstandsOtherSpellings", "internal/reason/rules.TestVerify_ClientReport"}},
	{verificationProcess, "Observation-Based Verification", []string{
		"internal/reason/model.TestReasoner_Verify_seesObservationsOnly", "domain/page.TestDiff_accountsForEveryElement", "domain/page.TestObserve", "domain/page.TestConfidence",
	}},
	{verificationProcess, "beforeState on TaskAction", []string{
		"domain/page.TestBefore_survivesJSON", "domain/task.TestState_RemembersWhatItActedOn", "commands/interact.TestVerify_WithoutAPageBeforeItIsSkipped",
	}},
	{verificationProcess, "clientObservations in request", []string{"api.TestInteract_HandsOnWhatItReceived", "cmd/stepledger.TestInteract_UnderJudgement", "domain/page.TestWitness_Since", "internal/browser.TestWitness_Network"}},
}

// notBuilt are the rows without a test, and why.
var notBuilt = map[string]string{
	"Knowledge Extraction Pipeline": "built with knowledge ingestion",
	"Two-Phase SPA Ingestion":       "built with knowledge ingestion",
}

// Every row of the tables names tests that exist, or why there are none.
func TestReadiness(t *testing.T) {
	t.Parallel()
	for _, fault := range unshown(t, os.DirFS("../.."), readiness) {
		t.Error(fault)
	}
	for _, name := range slices.Sorted(maps.Keys(notBuilt)) {
		t.Logf("%s, %s: no test shows it, since it is %s", interactFlow, name, notBuilt[name])
		if slices.ContainsFunc(readiness, func(c component) bool { return c.name == name }) {
			t.Errorf("%s has tests: take it off notBuilt", name)
		}
	}
}

func TestReadiness_WhatIsMissed(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"a/b/a_test.go":  {Data: []byte("package b\nimport \"testing\"\nfunc TestThere(t *testing.T) {}\nfunc (x) TestOfAType(t *testing.T) {}\nfunc TestOfNothing() {}")},
		"a/b/x_test.go":  {Data: []byte("package b_test\nimport \"testing\"\nfunc TestOutside(t *testing.T) {}")},
		"a/b/notests.go": {Data: []byte("package b\nfunc TestInProduct(t int) {}")},
	}
	got := unshown(t, tree, []component{
		{"D", "shown", []string{"a/b.TestThere", "a/b.TestOutside"}},
		{"D", "bare", nil},
		{"D", "shown", []string{"a/b.TestThere"}},
		{"D", "gone", []string{"a/b.TestGone", "a/b.TestOfAType", "a/b.TestOfNothing", "a/b.TestInProduct", "a/none.TestThere", "TestThere"}},
	})
	want := []string{
		"D, bare: no test shows it", "D, shown: two rows have this name",
		"D, gone: there is no test a/b.TestGone", "D, gone: there is no test a/b.TestOfAType", "D, gone: there is no test a/b.TestOfNothing",
		"D, gone: there is no test a/b.TestInProduct", "D, gone: there is no test a/none.TestThere", "D, gone: there is no test TestThere",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// unshown says what is wrong with rows: tests that do not exist, rows that name none
// or stand twice.
func unshown(t *testing.T, module fs.FS, rows []component) (faults []string) {
	t.Helper()
	tests, seen := map[string][]string{}, map[string]bool{}
	for _, row := range rows {
		place := row.document + ", " + row.name
		if seen[place] {
			faults = append(faults, place+": two rows have this name")
		}
		seen[place] = true
		if len(row.tests) == 0 {
			faults = append(faults, place+": no test shows it")
		}
		for _, named := range row.tests {
			pkg, name, _ := strings.Cut(named, ".")
			if _, read := tests[pkg]; !read {
				tests[pkg] = testsOf(t, module, pkg)
			}
			if !slices.Contains(tests[pkg], name) {
				faults = append(faults, fmt.Sprintf("%s: there is no test %s", place, named))
			}
		}
	}
	return faults
}

// testsOf are the names of the tests in a package's directory.
func testsOf(t *testing.T, module fs.FS, pkg string) (names []string) {
	t.Helper()
	files, err := fs.Glob(module, path.Join(pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(module, file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && isTest(fn) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

func isTest(fn *ast.FuncDecl) bool {
	return fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != "TestMain" && fn.Type.Params.NumFields() == 1
}

package skills_test

import (
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/projections/projtest"
)

// Goals are alike or not in any language; what the database's locale takes for
// letters does not matter.
func TestQueries_Find_AnyLanguage(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	for _, tt := range []struct {
		language, learnt string
		alike            []string
		apart            []string
	}{
		{"English", "Add a new patient with name 'Jas'",
			[]string{"add a new patient with name 'Mia'", "Add new patients", "patient: add a new one with name Jas"},
			[]string{"delete the archived invoices", "log in"}},
		{"German", "Neuen Patienten anlegen", []string{"neuen Patienten Jörg Müller anlegen", "Neue Patientin anlegen"}, []string{"Rechnung drucken"}},
		{"Chinese", "添加新患者", []string{"添加患者", "添加新患者 王小明", "请添加新患者"}, []string{"删除患者", "打印发票", "添加用户"}},
		{"Japanese", "新しい患者を追加", []string{"患者を追加", "新しい患者を追加してください"}, []string{"請求書を印刷"}},
		{"Korean", "새 환자 추가", []string{"새 환자를 추가", "새 환자 추가하기"}, []string{"청구서 인쇄"}},
		{"Arabic", "إضافة مريض جديد", []string{"إضافة مريض جديد اسمه سامي", "مريض جديد إضافة"}, []string{"طباعة الفاتورة"}},
		{"Hebrew", "הוסף מטופל חדש", []string{"הוסף מטופל חדש בשם דן"}, []string{"הדפס חשבונית"}},
		{"Russian", "Добавить нового пациента", []string{"добавить нового пациента Иванова"}, []string{"Распечатать счёт"}},
		{"Hindi", "नया मरीज जोड़ें", []string{"नया मरीज राम जोड़ें"}, []string{"बिल प्रिंट करें"}},
		{"Thai", "เพิ่มผู้ป่วยใหม่", []string{"เพิ่มผู้ป่วย"}, []string{"พิมพ์ใบแจ้งหนี้"}},
		{"no language", "+", []string{" + "}, []string{"-", ""}},
	} {
		t.Run(tt.language, func(t *testing.T) {
			k := begin(e, tt.learnt)
			k.Tenant = tt.language
			k.Act(projtest.Click("68"), menu).Verdict(false).Correct(reasoning.AlternativeSelector, projtest.Click("79"), search).Verdict(true)
			for _, goal := range append(tt.alike, tt.learnt) {
				if len(find(t, e, tt.language, site, goal, time.Now())) != 1 {
					t.Errorf("%q is not found for %q", tt.learnt, goal)
				}
			}
			for _, goal := range tt.apart {
				if len(find(t, e, tt.language, site, goal, time.Now())) != 0 {
					t.Errorf("%q is found for %q", tt.learnt, goal)
				}
			}
		})
	}
}

// The same lesson for a goal in other words is the same skill.
func TestApply_Deduplicated(t *testing.T) {
	t.Parallel()
	const goal = "Add a new patient with name 'Jas'"
	for _, tt := range []struct {
		name  string
		again func(*projtest.Env)
		want  int
	}{
		{"the same again", func(e *projtest.Env) { lesson(e, goal) }, 1},
		{"another value", func(e *projtest.Env) { lesson(e, "Add a new patient with name 'Mia'") }, 1},
		{"other words", func(e *projtest.Env) { lesson(e, "add a patient") }, 1},
		{"a long text that only begins alike", func(e *projtest.Env) { lesson(e, "print everything there is about invoices") }, 2},
		{"another way", func(e *projtest.Env) {
			begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false).
				Correct(reasoning.AlternativeSelector, projtest.Click("1"), other).Verdict(true)
		}, 2},
		{"another failure", func(e *projtest.Env) {
			begin(e, goal).Act(projtest.Click("1"), other).Verdict(false).
				Correct(reasoning.AlternativeSelector, projtest.Click("79"), search).Verdict(true)
		}, 2},
		{"another site", func(e *projtest.Env) {
			e.Task(e.Session(), "https://other.example/", goal).Turn("https://other.example/").Act(projtest.Click("68"), menu).Verdict(false).
				Correct(reasoning.AlternativeSelector, projtest.Click("79"), search).Verdict(true)
		}, 2},
		{"another tenant", func(e *projtest.Env) {
			k := begin(e, goal)
			k.Tenant = "globex"
			k.Act(projtest.Click("68"), menu).Verdict(false).Correct(reasoning.AlternativeSelector, projtest.Click("79"), search).Verdict(true)
		}, 2},
		{"twice in a step", func(e *projtest.Env) {
			begin(e, goal).Act(projtest.Click("68"), menu).Verdict(false).Correct(reasoning.AlternativeSelector, projtest.Click("68"), menu).Verdict(false).
				Correct(reasoning.AlternativeSelector, projtest.Click("79"), search).Verdict(true)
		}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			lesson(e, goal)
			tt.again(e)
			find(t, e, projtest.Tenant, site, goal, time.Now())
			if n := e.Count(`select count(*) from read.skill`); n != tt.want {
				t.Errorf("%d skills, want %d", n, tt.want)
			}
			if n := e.Count(`select count(*) from read.parked`); n != 0 {
				t.Errorf("%d events are parked", n)
			}
			if tt.want == 1 && e.Count(`select successes from read.skill`) != 2 {
				t.Error("learnt again, and not counted")
			}
		})
	}
}

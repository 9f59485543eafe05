package domtest

import (
	"fmt"
	"strings"
)

// Hostile are pages made to cost more than their size, by what is asked of a page:
// names, groups, twins, options, rules of style sheets, nesting, fields whose values
// have to be cut out, lines that tick.
var Hostile = []Shape{
	{"labels", each("<label>Field %[1]d name<input id=f%[1]d></label>")},
	{"values", each("<label>F %[1]d<input id=f%[1]d value='a %[1]d' required></label>")},
	{"one_label", each("<label>a<input id=f%d></label>")},
	{"no_label", again("<input>")},
	{"text_between", again("some text<input>")},
	{"one_button", each("<button id=b%d>Save</button>")},
	{"buttons", each("<button id=b%[1]d>Save %[1]d</button>")},
	{"links", each("<a href=/p id=b%d>Save a</a>")},
	{"radios", each("<label><input type=radio name=a id=r%d>a</label>")},
	{"boxes", each("<label><input type=checkbox id=r%[1]d>a %[1]d</label>")},
	{"options", each("<select id=s%d aria-label=a>" + strings.Repeat("<option>a", 400) + "</select>")},
	{"selects", each("<select id=s%[1]d aria-label=b><option>a %[1]d</select>")},
	{"rows", between("<table>", each("<tr><td>Jas %[1]d<td><button id=d%[1]d>Delete</button></tr>"))},
	{"one_row", between("<table><tr>", each("<td>Jas %[1]d<td><button id=d%[1]d>Delete</button>"))},
	{"list", between("<ul role=listbox aria-label=a>", each("<li role=option id=o%[1]d>a %[1]d</li>"))},
	{"lists", each("<ul role=listbox aria-label=a><li role=option id=o%[1]d>a %[1]d</li>")},
	{"one_id", again("<input id=x>")},
	{"labels_of_one", between("<input id=x>", again("<label for=x>l</label>"))},
	{"data_list", between("<datalist id=d>"+strings.Repeat("<option>a", 2_000)+"</datalist>", each("<input list=d id=i%d role=combobox aria-controls=d>"))},
	{"deep", again("<div>")},
	{"deep_buttons", between(strings.Repeat("<div>", 400), each("<button id=b%d>x</button>"))},
	{"deep_groups", between(strings.Repeat("<fieldset><legend>a</legend>", 150), each("<input id=b%d>"))},
	{"bold", again("<p><b>")},
	{"nobr", again("<nobr>")},
	{"tables", again("<table><tr><td>")},
	{"open_selects", again("<select><option>")},
	{"forms_in_links", again("<a><form><p>")},
	{"clickable", again("<div onclick=x>a ")},
	{"buttons_in_buttons", again("<div role=button>a ")},
	{"links_in_links", again("<span role=link>a<i>")},
	{"dialogs", again("<div role=dialog aria-label=a><button>x</button>")},
	{"details", again("<details><summary>a</summary>")},
	{"shadow", again("<div><template shadowrootmode=open><slot></slot><button>a</button></template>b</div>")},
	{"frames", again("<iframe srcdoc='<button>a</button>'></iframe>")},
	{"names_by_id", between(labels(2_000), again("<input aria-labelledby='"+ids(1_000)+"'>"))},
	{"chained_names", each("<span id=a%[1]d aria-labelledby='a1%[1]d a2%[1]d a3%[1]d'>x</span><button aria-labelledby=a%[1]d>")},
	{"owned", each("<div id=a%[1]d aria-owns=a1%[1]d role=button>x</div>")},
	{"classes", styled(".c%d{display:none}", "<a class=c%d href=x>y</a>")},
	{"nested_rules", styled("div div div .c{display:none}", "<a class=c href=x>y</a>")},
	{"sibling_rules", styled("a:not(.x):nth-child(2n+1)~a{visibility:hidden}", "<a href=x>y</a>")},
	{"alerts", each("<div role=alert>Error %d</div>")},
	{"alerts_in_alerts", again("<div role=alert class=error>E ")},
	{"toasts", again("<div class='toast error success alert'>Error " + strings.Repeat("x", 300) + "</div>")},
	{"headings", each("<h2>Head %d</h2>")},
	{"passwords", each("<input type=password id=p%[1]d value=s%[1]d>")},
	{"one_password", between("<input type=password value=a>", again("a "))},
	{"escaped", again("&lt;input type=password value=x&gt;")},
	{"text", between("<p>", again("word "))},
	{"percent", between("<p>", again("5% "))},
	{"ages", between("<p>", again("5 m "))},
	{"clocks", again("<p>Updated 12:03:59, 5 minutes ago, in 5 s</p>")},
	{"attributes", between("<input ", each("a%d=b "))},
	{"attributes_each", again("<input " + strings.Repeat("a ", 20) + ">")},
	{"tags_in_tags", again("<input ")},
	{"quotes", again("<input value='")},
	{"less_than", again("<")},
	{"comments", again("<!--")},
	{"scripts", again("<script><!--<script>")},
	{"textareas", again("<textarea name=password>")},
	{"covered", each("<button id=b%[1]d data-occluded=true>Accept %[1]d</button>")},
	{"covers", each("<div role=dialog aria-modal=true aria-label='cookies %[1]d'><button id=b%[1]d>Accept</button></div>")},
	{"over_a_page", between("<div role=dialog aria-modal=true aria-label=Cookies?>", each("<button id=b%[1]d data-occluded=true>Accept %[1]d</button>"))},
	{"add_forms", each("<form><label>Thing<input id=f%[1]d></label><button id=b%[1]d>Add thing</button></form>")},
	{"drawn_lists", each("<label>State %[1]d</label><button id=b%[1]d aria-haspopup=listbox>x %[1]d</button>")},
	{"drawn_rows", each("<div><span>Jas a %[1]d</span><button id=b%[1]d>Delete</button></div>")},
	{"rows_in_rows", again("<div role=row>Jas <button>Delete</button>")},
	{"hints", each("<button id=b%[1]d title='Save a %[1]d' aria-description=x>x</button>")},
	{"days", each("<table><tr><td role=gridcell id=d%[1]d>%[1]d</table>")},
	{"numbers", each("<select id=s%[1]d aria-label=b><option>1,0%[1]d<option>12:30<option>3 May 2024</select>")},
	{"editable", each("<div contenteditable id=e%d>a</div>")},
	{"more", each("<button id=m%d>Load more</button>")},
	{"secret_text", between("<input type=password value='"+strings.Repeat("a", 300)+"b'>", again("a"))},
	{"secret_escapes", between("<input type=password value='"+strings.Repeat("%41", 100)+"b'>", again("%41"))},
	{"half_secret", func(size int) string {
		return "<input type=password value='" + strings.Repeat("a", size/2) + "b'>" + strings.Repeat("a", size/2)
	}},
	{"tokens", again("sk_live_4eC39HqLyjWDarjtT1zdp7dc ")},
	{"addresses", again("<a href='https://u:p@a.b/reset/x?token=x&amp;a=%41'>a</a>")},
	{"languages", again("<p>not saved. 保存されませんでした。</p>")},
}

// again repeats a piece of markup up to a size.
func again(piece string) func(int) string {
	return func(size int) string { return strings.Repeat(piece, max(1, size/len(piece))) }
}

// each is again with the number of the piece in it.
func each(format string) func(int) string {
	return func(size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			if strings.Contains(format, "%") {
				fmt.Fprintf(&b, format, i)
			} else {
				b.WriteString(format)
			}
		}
		return b.String()
	}
}

// between has something before it.
func between(before string, page func(int) string) func(int) string {
	return func(size int) string { return before + page(size) }
}

// styled has half of its size in style sheets.
func styled(rule, element string) func(int) string {
	return func(size int) string {
		return "<style>" + each(rule)(size/2) + "</style>" + strings.Repeat("<div>", 100) + each(element)(size/2)
	}
}

func labels(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<span id=l%[1]d>word %[1]d</span>", i)
	}
	return b.String()
}

func ids(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "l%d ", i)
	}
	return b.String()
}

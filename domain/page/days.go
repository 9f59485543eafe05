package page

import "strconv"

// daysOfMonth is the length of the shortest month.
const daysOfMonth = 28

// MarkDays marks the days of other months in calendars: a grid that begins with the
// last days of one month and ends with the first of another has some days twice, and
// only those of the middle month are meant. A calendar is recognised by its numbers,
// which count up without a gap and start again at 1.
func MarkDays(es []Element) {
	for i := 0; i < len(es); {
		months, end := countMonths(es, i)
		whole := false
		for _, m := range months {
			whole = whole || m[1]-m[0] >= daysOfMonth
		}
		for _, m := range months {
			for j := m[0]; whole && m[1]-m[0] < daysOfMonth && j < m[1]; j++ {
				es[j].OtherMonth = true
			}
		}
		i = end
	}
}

// countMonths returns the runs of days that begin at an element, each from its first
// day to after its last, and the next element where one may begin.
func countMonths(es []Element, from int) (months [][2]int, end int) {
	last := 0
	for end = from; end < len(es); end++ {
		day := dayOf(es[end])
		switch {
		case day == 0 || end > from && es[end].Role != es[from].Role:
			return months, max(end, from+1)
		case last > 0 && day == last+1:
			months[len(months)-1][1] = end + 1
		case last == 0 || day == 1 && last >= daysOfMonth:
			months = append(months, [2]int{end, end + 1})
		default:
			return months, end
		}
		last = day
	}
	return months, end
}

// dayOf returns the day of the month an element is named by, or 0.
func dayOf(e Element) int {
	if len(e.Name) > 2 {
		return 0
	}
	n, err := strconv.Atoi(e.Name)
	if err != nil || n < 1 || n > 31 {
		return 0
	}
	return n
}

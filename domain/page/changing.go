package page

import (
	"slices"
	"strings"
)

// changesByItself reports elements whose value changes without any action: timers and
// progress bars by their role, players by their name.
func changesByItself(role, name string) bool {
	switch role {
	case "timer", "progressbar", "marquee":
		return true
	case "slider":
		return slices.ContainsFunc(strings.Fields(strings.ToLower(name)), func(w string) bool {
			return isOneOf(core(w), "seek", "playback", "elapsed", "progress", "timeline", "scrubber") > 0
		})
	}
	return false
}

// isAdvert reports the region of an advertisement by its name; its content may change
// at any time. A carousel is none, since it may be what the action was for.
func isAdvert(group string) bool {
	const longest = 40
	if group == "" || len(group) > longest || group[0] < 0x80 && !strings.ContainsRune("apsw", rune(group[0]|0x20)) {
		return false // nearly every group, without a look at its words
	}
	words := strings.Fields(strings.ToLower(group))
	return len(words) > 0 && len(words) < 4 && isOneOf(core(words[0]),
		"ad", "ads", "advert", "advertisement", "advertisements", "advertising", "sponsored", "promoted",
		"anzeige", "werbung", "publicidad", "publicité", "pubblicità", "реклама", "広告", "广告") > 0
}

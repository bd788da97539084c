package inspect

const (
	// maxRecursion bounds how many frames are read where a recursion is told, recursionStep those of one question.
	maxRecursion  = 2000
	recursionStep = 250
	// maxPeriod is how many functions may call each other in turn.
	maxPeriod = 4
	// fewest is the number of rounds from which a recursion is told once.
	fewest = 3
)

// recurring keeps the first round of each recursion, and counts the others.
func recurring(frames []Frame) []Frame {
	out := make([]Frame, 0, len(frames))
	for i := 0; i < len(frames); {
		period, rounds := roundsAt(frames[i:])
		for k := range period {
			f := frames[i+k]
			f.Repeated = rounds - 1
			out = append(out, f)
		}
		i += period * rounds
	}
	return out
}

// roundsAt returns how many frames at the beginning repeat, and how often: 1 and 1 when they do not.
func roundsAt(frames []Frame) (period, rounds int) {
	for period = 1; period <= maxPeriod; period++ {
		rounds = 1
		for sameRound(frames, period, rounds) {
			rounds++
		}
		if rounds >= fewest {
			return period, rounds
		}
	}
	return 1, 1
}

// sameRound reports whether a round of this period is as the first one.
func sameRound(frames []Frame, period, round int) bool {
	if (round+1)*period > len(frames) {
		return false
	}
	for k := range period {
		if !samePlace(frames[k], frames[round*period+k]) {
			return false
		}
	}
	return true
}

func samePlace(a, b Frame) bool {
	if a.Function != b.Function || a.Folded != b.Folded || (a.Location == nil) != (b.Location == nil) {
		return false
	}
	return a.Location == nil || a.Location.File == b.Location.File && a.Location.Line == b.Location.Line
}

func recurs(frames []Frame) bool {
	for _, f := range frames {
		if f.Repeated > 0 {
			return true
		}
	}
	return false
}

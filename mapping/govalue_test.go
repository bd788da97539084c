package mapping

import "testing"

func TestGoText(t *testing.T) {
	for _, c := range []struct{ typ, value, want string }{
		{"time.Duration", "1500000000", "1.5s (1500000000 ns)"},
		{"time.Duration", "time.Second (1000000000)", "1s (1000000000 ns)"},
		{"time.Duration", "-250000", "-250µs (-250000 ns)"},
		{"time.Duration", "(unreadable no address)", ""},
		{"time.Time", "time.Time(2026-11-29T07:03:08Z, +1294){wall: 14031828215775584754, ext: 1294}",
			"2026-11-29T07:03:08.513499634Z"},
		{"time.Time", "time.Time(2026-01-02T03:04:05Z){wall: 6000000, ext: 63902919845, loc: *time.Location nil}",
			"2026-01-02T03:04:05.006Z"},
		{"time.Time", "time.Time(2026-01-02T03:04:05Z){wall: 0, ext: 63902919845}", "2026-01-02T03:04:05Z"},
		{"time.Time", "time.Time(2026-01-02T03:04:05Z){...}", "2026-01-02T03:04:05Z"},
		{"time.Time", "time.Time {wall: 0, ext: 0}", ""},
		{"int64", "1500000000", ""},
		{"[]uint8", "[]uint8 len: 2, cap: 5, [104,105]", `[]uint8 len: 2, cap: 5, [104,105] "hi"`},
		{"[2]uint8", "[2]uint8 [104,10]", `[2]uint8 [104,10] "h\n"`},
		{"[]uint8", "[]uint8 len: 65, cap: 65, [104,195,...+63 more]",
			`[]uint8 len: 65, cap: 65, [104,195,...+63 more] "h"...`},
		{"[]uint8", "[]uint8 len: 2, cap: 2, [195,169]", `[]uint8 len: 2, cap: 2, [195,169] "é"`},
		{"[]uint8", "[]uint8 len: 2, cap: 2, [0,255]", ""},
		{"[]uint8", "[]uint8 len: 1, cap: 1, [195]", ""},
		{"[]uint8", "[]uint8 len: 0, cap: 0, []", ""},
		{"[]uint8", "[]uint8 len: 0, cap: 0, nil", ""},
		{"[]int", "[]int len: 2, cap: 2, [104,105]", ""},
		{"map[string]uint8", "map[string]uint8 [104,105]", ""},
	} {
		got, ok := GoText(c.value, c.typ)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("GoText(%q, %q) = %q, %v; want %q", c.value, c.typ, got, ok, c.want)
		}
	}
}

func TestGoWaitReason(t *testing.T) {
	for value, want := range map[string]string{
		"waitReasonChanReceive (19) = 0x13":  "chan receive",
		"waitReasonSyncMutexLock (22)":       "sync mutex lock",
		"waitReasonForceGCIdle (11) = 0xb":   "force gc idle",
		"waitReasonGCSweepWait (8) = 0x8":    "gc sweep wait",
		"waitReasonIOWait (2)":               "io wait",
		"waitReasonSelectNoCases (17)":       "select no cases",
		"waitReasonSleep":                    "sleep",
		"waitReasonZero (0)":                 "",
		"19":                                 "",
		"":                                   "",
		"waitReasonSemacquire (18) = 0x12":   "semacquire",
		"waitReasonTraceReaderBlocked (24)":  "trace reader blocked",
		"waitReasonGarbageCollectionScan 1)": "garbage collection scan",
	} {
		if got := GoWaitReason(value); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

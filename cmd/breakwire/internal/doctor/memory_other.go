//go:build !linux

package doctor

import "time"

// memoryOfStop returns 0: huge pages are a matter of Linux.
func memoryOfStop() time.Duration { return 0 }

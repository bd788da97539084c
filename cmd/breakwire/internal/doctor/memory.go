package doctor

import (
	"fmt"
	"os"
	"regexp"
	"time"
)

const hugePagesFile = "/sys/kernel/mm/transparent_hugepage/enabled"

// slowStop is the time for the memory of one stop from which on it is worth a warning.
const slowStop = 10 * time.Millisecond

// hugePages reports whether new memory makes each stop of netcoredbg slow: the runtime's debugger library maps 4 MiB
// three times at each stop. setting is the text of hugePagesFile. cost is the time for such memory, 0 when it is not
// known.
func hugePages(setting string, cost time.Duration) []finding {
	chosen := regexp.MustCompile(`\[(\w+)\]`).FindStringSubmatch(setting)
	if chosen == nil || chosen[1] == "always" || cost < slowStop {
		return nil
	}
	return []finding{{warning,
		fmt.Sprintf("each stop of netcoredbg takes about %d ms more here: new memory is slow, and transparent huge pages "+
			"are set to %s", cost.Milliseconds(), chosen[1]),
		"echo always | sudo tee " + hugePagesFile + " (until the machine starts again)"}}
}

// examineMemory measures the memory of a stop.
func examineMemory() []finding {
	setting, err := os.ReadFile(hugePagesFile)
	if err != nil {
		return nil // not Linux, or a kernel without huge pages
	}
	return hugePages(string(setting), memoryOfStop())
}

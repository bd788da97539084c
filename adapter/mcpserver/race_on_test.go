//go:build race

package mcpserver_test

// raceEnabled makes the largest tests smaller under the race detector.
const raceEnabled = true

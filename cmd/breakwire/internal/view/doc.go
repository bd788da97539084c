// Package view shows a timeline, as one self-contained HTML page or as lines for a terminal.
//
// The page contains its script, its style, the chart library and the data. All text in a recording comes from an
// untrusted program. So the data is JSON in which no byte can end its element, the script inserts data only as text,
// and a content security policy forbids other scripts and all connections.
package view

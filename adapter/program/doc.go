// Package program finds out what to start and how: launch configurations, projects and what they build, environments,
// and the hosts that run programs. It knows no session and no debugger.
package program

// Package view shows a timeline: as one HTML page that needs nothing else, and as lines for a terminal.
//
// The page holds its script, its style, the chart library and the data. Everything in a recording is text from a
// program that nobody vouches for, so the data goes into the page as JSON in which no byte can end its element, the
// script puts text into the page only as text, and a content security policy forbids the page every script but its own
// and every connection.
package view

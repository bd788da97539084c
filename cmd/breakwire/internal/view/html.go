package view

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"breakwire/dapclient/transcript/timeline"
)

// The parts of the page. uPlot is the unmodified distribution of its npm package; see docs/dependencies.md.
var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string
	//go:embed page/model.js
	modelJS string
	//go:embed page/lanes.js
	lanesJS string
	//go:embed page/chart.js
	chartJS string
	//go:embed page/table.js
	tableJS string
	//go:embed page/detail.js
	detailJS string
	//go:embed page/app.js
	appJS string
	//go:embed page/uplot/uPlot.iife.min.js
	uplotJS string
	//go:embed page/uplot/uPlot.min.css
	uplotCSS string
)

// About is the page's information about its origin.
type About struct {
	Name    string // of the recording
	Version string // of breakwire
}

// HTML writes the page.
func HTML(w io.Writer, t *timeline.Timeline, sources []Source, about About) error {
	// json.Marshal writes <, > and & as escapes, so nothing in the data can end its element.
	data, err := json.Marshal(newPayload(t, sources, about))
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	script := strings.Join([]string{modelJS, lanesJS, chartJS, tableJS, detailJS, appJS}, "\n")
	style := uplotCSS + pageCSS
	policy := fmt.Sprintf("default-src 'none'; script-src '%s' '%s'; style-src '%s'; img-src data:; base-uri 'none'; "+
		"form-action 'none'",
		digest(uplotJS), digest(script), digest(style))
	title := about.Name
	if title == "" {
		title = "recording"
	}
	out := bufio.NewWriterSize(w, 64<<10)
	_, err = strings.NewReplacer(
		"{{policy}}", policy,
		"{{title}}", html.EscapeString(title),
		"{{style}}", style,
		"{{uplot}}", uplotJS,
		"{{data}}", string(data),
		"{{script}}", script,
	).WriteString(out, pageHTML)
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// digest returns the hash of a script or style for the content security policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

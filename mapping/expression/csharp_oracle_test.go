package expression

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// csharpOracle is a second, smaller C# reader, for machines without Roslyn. It removes the simple literals and checks
// whether the rest can have an effect.
func csharpOracle(_ testing.TB, texts []string) []string {
	verdicts := make([]string, len(texts))
	for i, text := range texts {
		verdicts[i] = csharpVerdict(text)
	}
	return verdicts
}

var (
	csharpLiteral = regexp.MustCompile(`@"(?:[^"\pC\x{2028}\x{2029}]|"")*"|"(?:[^"\\\pC\x{2028}\x{2029}]|\\[\\"'nrt0])*"` +
		`|'(?:[^'\\\pC\x{2028}\x{2029}]|\\[\\"'nrt0])'`)
	csharpPlain  = regexp.MustCompile(`^[\pL_0-9 \t\r\n@$().,?:!~+\-*/%&|^<>=\[\]]*$`)
	csharpWord   = regexp.MustCompile(`[@$]?[\pL_][\pL_0-9]*`)
	csharpEffect = regexp.MustCompile(`//|/\*|\+\+|--|=>|->|[^=!<>]=[^=]|^=|[^=!]=$|<<=|>>=|[@$][^\pL_]|[@$]$`)
	csharpCall   = regexp.MustCompile(`([\pL_0-9]+|[\])>!§])\s*\(`)
	csharpActs   = words(`
		and or new await throw delegate stackalloc async ref out in with switch when
		return lock using goto static __makeref __refvalue __arglist`)
	csharpTests = words("is as not")
	// Between is and the literal of its pattern C# needs no blank.
	csharpBeside = regexp.MustCompile(`((?:^|[^\pL_0-9@$])(?:is|not))§`)
	csharpForms  = words("typeof sizeof default nameof checked unchecked")
)

func csharpVerdict(text string) string {
	bare := csharpLiteral.ReplaceAllString(text, "§")
	if strings.Contains(text, "§") {
		bare = csharpLiteral.ReplaceAllString(strings.ReplaceAll(text, "§", "x"), "§")
	}
	bare = csharpBeside.ReplaceAllString(bare, "$1 §")
	if !csharpPlain.MatchString(strings.ReplaceAll(bare, "§", " ")) {
		return "characters"
	}
	if i := strings.Index(bare, "§§"); i >= 0 || regexp.MustCompile(`[\pL_0-9@$]§|§[\pL_0-9]`).MatchString(bare) {
		return "a literal beside another or beside a word"
	}
	if m := csharpEffect.FindString(bare); m != "" {
		return "effect " + m
	}
	if csharpList.MatchString(bare) {
		return "a collection"
	}
	for _, m := range append(csharpDeclared.FindAllString(bare, -1), csharpDeclares.FindAllString(bare, -1)...) {
		if !csharpNumber.MatchString(m) {
			return "a declaration"
		}
	}
	last, lastEnd := "", -1
	for _, at := range csharpWord.FindAllStringIndex(bare, -1) {
		w := bare[at[0]:at[1]]
		before := strings.TrimRight(bare[:at[0]], " \t\r\n")
		if csharpActs[w] && !strings.HasSuffix(before, ".") {
			return "word " + w
		}
		if lastEnd >= 0 && strings.TrimSpace(bare[lastEnd:at[0]]) == "" && !csharpTests[w] && !csharpTests[last] {
			return "two words"
		}
		last, lastEnd = w, at[1]
	}
	for _, m := range csharpCall.FindAllStringSubmatchIndex(bare, -1) {
		before := bare[m[2]:m[3]]
		from := strings.TrimRight(bare[:m[2]], " \t\r\n")
		switch {
		case csharpForms[before] && !csharpMember.MatchString(from):
		case before == ")" && isCast(bare[:m[3]]):
		case before == ">" && !isGeneric(bare[:m[3]]):
		case before == "!" && notAfterOperand(strings.TrimRight(from, "! \t\r\n")):
		default:
			return "call behind " + before
		}
	}
	return "ok"
}

var (
	csharpList = regexp.MustCompile(`(?:^|[^\pL_0-9\])!?§>\s])\s*\[|\?\s+\[`)
	// a type with arguments and a name, behind or before the comma of a tuple
	csharpDeclares = regexp.MustCompile(`,\s*[\pL_@][\pL_0-9\s.:@$]*<[\pL_0-9\s.,?:<>\[\]*@$]*>\s*[\pL_@]`)
	csharpDeclared = regexp.MustCompile(`\(\s*[\pL_@][\pL_0-9\s.:@$]*<[\pL_0-9\s.,?:<>\[\]*@$]*>\s*[\pL_@][\pL_0-9]*\s*,`)
	csharpMember   = regexp.MustCompile(`(?:^|[^.])\.$|::$`)
	csharpCast     = regexp.MustCompile(`\(\s*(?:s?byte|bool|char|u?short|u?int|u?long|float|double|decimal|` +
		`string|object|nu?int)\s*\??\s*(?:\[\s*\]\s*)*\)$`)
	csharpOpening   = regexp.MustCompile(`[\pL_0-9]\s*<`)
	csharpArguments = regexp.MustCompile(`^(?:[\pL_0-9\s.,?:<>\[\]*@$]|\([\pL_0-9\s.,?:<>\[\]*@$]*\))*>$`)
	csharpNumber    = regexp.MustCompile(`(?:^|[^\pL_0-9])[0-9]`)
	csharpOperand   = regexp.MustCompile(`[\pL_0-9)\]§]$`)
)

// isGeneric reports whether a text may end with type arguments. Their square brackets are their own; a number is none.
func isGeneric(text string) bool {
	for _, at := range csharpOpening.FindAllStringIndex(text, -1) {
		arguments, depth := text[at[1]:], 0
		for _, c := range arguments {
			switch c {
			case '[':
				depth++
			case ']':
				depth--
			}
			if depth < 0 {
				break
			}
		}
		if depth == 0 && csharpArguments.MatchString(arguments) && !csharpNumber.MatchString(arguments) {
			return true
		}
	}
	return false
}

// isCast reports whether a text ends with a C# type in brackets that does not follow an operand.
func isCast(text string) bool {
	at := csharpCast.FindStringIndex(text)
	if at == nil {
		return false
	}
	return notAfterOperand(strings.TrimRight(text[:at[0]], "! \t\r\n"))
}

// notAfterOperand reports whether a text ends where an operand may begin.
func notAfterOperand(text string) bool {
	return isCast(text) || !csharpOperand.MatchString(text) && !isGeneric(text)
}

// TestCSharpVerdicts: texts with what Roslyn, the compiler's parser, says of them, made with
//
//	BREAKWIRE_ROSLYN="dotnet verdict.dll" BREAKWIRE_UPDATE=1 go test -run TestCSharpVerdicts ./mapping/expression
//
// where verdict.dll is testdata/verdict.cs. None that is accepted holds what a look may not.
func TestCSharpVerdicts(t *testing.T) {
	table := filepath.Join("testdata", "csharp.tsv")
	if o := roslyn(t); o != nil && os.Getenv("BREAKWIRE_UPDATE") != "" {
		writeVerdicts(t, table, o)
	}
	file, err := os.Open(table)
	require.NoError(t, err)
	defer file.Close()
	rows, accepted, harmless := 0, 0, 0
	for lines := bufio.NewScanner(file); lines.Scan(); rows++ {
		verdict, quoted, ok := strings.Cut(lines.Text(), "\t")
		require.True(t, ok, lines.Text())
		text, err := strconv.Unquote(quoted)
		require.NoError(t, err, quoted)
		if verdict == "ok" {
			harmless++
		}
		if Safe(CSharp, text) == nil {
			accepted++
			if verdict != "ok" {
				t.Errorf("%s is taken for safe, and holds %s", quoted, verdict)
			}
		}
	}
	t.Logf("%d rows, %d harmless, %d of them accepted", rows, harmless, accepted)
	require.Greater(t, rows, 4000)
	require.Greater(t, accepted, 2000)
}

// writeVerdicts writes the table: texts that hide an effect, 2,500 accepted texts, and as many rejected ones.
func writeVerdicts(t *testing.T, table string, o oracle) {
	var texts []string
	seen, safe, unsafe := map[string]bool{}, 0, 0
	take := func(text string, count *int) {
		if !seen[text] && *count < 2500 {
			seen[text] = true
			texts = append(texts, text)
			*count++
		}
	}
	for _, text := range hidden[CSharp] {
		take(text, &unsafe)
	}
	for w := newWriter(CSharp, 7); safe < 2500 || unsafe < 2500; {
		if text := w.text(); Safe(CSharp, text) == nil {
			take(text, &safe)
		} else {
			take(text, &unsafe)
		}
	}
	var out strings.Builder
	for i, verdict := range o(t, texts) {
		fmt.Fprintf(&out, "%s\t%s\n", verdict, strconv.QuoteToASCII(texts[i]))
	}
	require.NoError(t, os.WriteFile(table, []byte(out.String()), 0o600))
}

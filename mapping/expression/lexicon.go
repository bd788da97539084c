package expression

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// lexicon lists the tokens of safe expressions in a language. Any other character is rejected.
type lexicon struct {
	operators map[string]bool
	number    *regexp.Regexp
	keywords  map[string]bool // words that are not names
	comments  []string        // beginnings of comments
	text      quoting         // "..."
	char      quoting         // '...'
	raw       bool            // `...`
	sigils    string          // characters allowed before a name; no string follows them
}

type quoting uint8

const (
	unquoted quoting = iota
	oneChar
	anyText
	plainText // letters, digits and characters without a meaning in any language
)

const (
	decimal  = `(?:0|[1-9][0-9]*)`
	fraction = `(?:(?:0|[1-9][0-9]*)?\.[0-9]+(?:[eE][+-]?[0-9]+)?|[1-9][0-9]*[eE][+-]?[0-9]+)`
	hex      = `0[xX][0-9a-fA-F]+`
	bits     = `0[bB][01]+`
	octal    = `0[oO][0-7]+`
	cOctal   = `0[0-7]+`

	csharpDigits   = `[0-9](?:_*[0-9])*`
	csharpDecimal  = `(?:0|[1-9](?:_*[0-9])*)`
	csharpExponent = `[eE][+-]?` + csharpDigits
	csharpFraction = `(?:` + csharpDecimal + `?\.` + csharpDigits + `(?:` + csharpExponent + `)?|[1-9](?:_*[0-9])*` +
		csharpExponent + `)`
	csharpHex  = `0[xX](?:_*[0-9a-fA-F])+`
	csharpBits = `0[bB](?:_*[01])+`

	csharpSuffix = `(?:[uU][lL]?|[lL][uU]?)?`
	cSuffix      = `(?:[uU](?:ll|LL|[lL])?|(?:ll|LL|[lL])[uU]?)?`
)

func wholeNumber(forms ...string) *regexp.Regexp {
	r := regexp.MustCompile(`^(?:` + strings.Join(forms, "|") + `)`)
	r.Longest()
	return r
}

const (
	everywhere  = ` ( ) [ ] . , + - * / % == != < > <= >= `
	withEffects = ` = { } += -= *= /= %= &= |= ^= <<= >>= `
	likeC       = ` && || & | ^ ~ ! << >> ? : ++ -- -> `

	csharpWords = `
		abstract async await break case catch class const continue delegate do else enum event explicit extern
		finally fixed for foreach goto if implicit in interface internal lock namespace new operator out
		override params private protected public readonly ref return sealed stackalloc static struct switch
		throw try unsafe using virtual void volatile while with is as and or not when typeof sizeof default checked unchecked
		__arglist __makeref __reftype __refvalue`
	pythonWords = `
		and as assert async await break class continue def del elif else except finally for from global if
		import in is lambda nonlocal not or pass raise return try while with yield`
	cTypeWords = `
		bool char short int long float double signed unsigned void wchar_t size_t ssize_t ptrdiff_t
		int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t`
	csharpConstants = `this base true false null`
	csharpTypeWords = `bool byte sbyte char short ushort int uint long ulong float double decimal string object`
	pythonConstants = `None True False`

	cWords = `
		alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t
		class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue
		decltype default delete do double dynamic_cast else enum explicit export extern float for friend goto if
		inline int long mutable namespace new noexcept not not_eq operator or or_eq private protected public
		register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast
		struct switch template thread_local throw try typedef typeid typename typeof union unsigned using
		virtual void volatile wchar_t while xor xor_eq __asm __asm__ __alignof __alignof__ __attribute__
		__extension__ __imag __imag__ __label__ __real __real__ __typeof __typeof__`
)

func words(lists ...string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(strings.Join(lists, " ")) {
		all[w] = true
	}
	return all
}

// unknown is any other language. Its lexicon has only what means the same in all languages.
const unknown Language = ""

var lexicons = sync.OnceValue(func() map[Language]*lexicon {
	return map[Language]*lexicon{
		CSharp: {
			operators: words(everywhere, withEffects, likeC, ` ?? ??= ?. ?[ >>> >>>= :: .. => `),
			number: wholeNumber(csharpDecimal+csharpSuffix, csharpDecimal+`[fFdDmM]`, csharpFraction+`[fFdDmM]?`,
				csharpHex+csharpSuffix, csharpBits+csharpSuffix),
			keywords: words(csharpWords, csharpConstants, csharpTypeWords),
			comments: []string{"//", "/*", "#"},
			text:     anyText, char: oneChar, sigils: "@$",
		},
		Go: {
			operators: words(everywhere, withEffects, ` && || & | ^ &^ ! << >> : := &^= <- ++ -- ... `),
			number:    wholeNumber(decimal, fraction, hex, bits, octal, cOctal),
			comments:  []string{"//", "/*"},
			text:      anyText, char: oneChar, raw: true,
		},
		Python: {
			operators: words(everywhere, withEffects, ` & | ^ ~ << >> ** // @ : := **= //= @= -> `),
			number:    wholeNumber(decimal, fraction, hex, bits, octal),
			keywords:  words(pythonWords, pythonConstants),
			comments:  []string{"#"},
			text:      anyText, char: anyText,
		},
		C: {
			operators: words(everywhere, withEffects, likeC, ` :: `),
			number:    wholeNumber(decimal+cSuffix, fraction+`[fFlL]?`, hex+cSuffix, bits+cSuffix, cOctal+cSuffix),
			keywords:  words(cWords, cTypeWords),
			comments:  []string{"//", "/*"},
			text:      anyText, char: oneChar,
		},
		JavaScript: {
			operators: words(everywhere, withEffects, ` && || & | ^ ~ ! << >> >>> ? : ++ -- ?? ?. => ** === !== `,
				` **= >>>= &&= ||= ??= `),
			number:   wholeNumber(decimal+`n?`, fraction, hex+`n?`, bits+`n?`, octal+`n?`),
			keywords: words(javascriptWords, javascriptConstants),
			comments: []string{"//", "/*", "<!--", "-->"},
			text:     anyText, char: anyText, sigils: "$#",
		},
		unknown: {
			operators: words(everywhere, withEffects, ` && || ++ -- `),
			number:    wholeNumber(decimal),
			keywords:  words(csharpWords, pythonWords, cWords, javascriptWords),
			comments:  []string{"//", "/*", "#"},
			text:      plainText,
		},
	}
})

// reader splits a text into tokens. It stops at the first character that it does not accept.
type reader struct {
	*lexicon
	lang   Language
	text   string
	at     int
	tokens []Token
	bad    *Rejection
}

// read returns the tokens of a text, or why it is rejected.
func read(lang Language, text string) ([]Token, *Rejection) {
	if len(text) > MaxLength {
		return nil, &Rejection{Category: ParseError, Offending: strings.ToValidUTF8(text[:40], "") + "..."}
	}
	r := &reader{lexicon: lexicons()[lang], lang: lang, text: text}
	if lang == Python && strings.Contains(text, "@LINE@") {
		r.reject(ParseError, strings.Index(text, "@LINE@"), "debugpy reads @LINE@ as the end of a line")
	}
	open, newLine := 0, false
	for r.bad == nil && r.at < len(text) {
		from := r.at
		switch text[from] {
		case '\n', '\r':
			newLine = true
			r.at++
			continue
		case ' ', '\t':
			r.at++
			continue
		}
		r.next()
		if r.bad == nil && newLine && lang == Python && open <= 0 && len(r.tokens) > 1 {
			r.bad = &Rejection{ParseError, text[from:r.at], "in Python a line ends the expression: write it in one"}
		}
		newLine = false
		switch text[from] {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open--
		}
	}
	return r.tokens, r.bad
}

// reject records the rest of the text from an offset, and the advice.
func (r *reader) reject(c Category, from int, advice string) {
	if r.bad == nil {
		r.bad = &Rejection{Category: c, Offending: strings.TrimSpace(r.text[from:]), Advice: advice}
	}
}

func (r *reader) add(kind Kind, end int) {
	r.tokens = append(r.tokens, Token{Kind: kind, Text: r.text[r.at:end], Start: r.at, End: end})
	r.at = end
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// wordEnd returns where the word at an offset ends: letters of any alphabet, and the digits 0 to 9.
func wordEnd(text string, at int) int {
	for end := at; ; {
		c, size := utf8.DecodeRuneInString(text[end:])
		if size == 0 || c == utf8.RuneError || c != '_' && !unicode.IsLetter(c) && (end == at || c < '0' || c > '9') {
			return end
		}
		end += size
	}
}

func (r *reader) byteAt(i int) byte {
	if i < len(r.text) {
		return r.text[i]
	}
	return 0
}

func (r *reader) next() {
	rest := r.text[r.at:]
	for _, mark := range r.comments {
		if strings.HasPrefix(rest, mark) {
			r.reject(ParseError, r.at, "comments are not read: leave it out")
			return
		}
	}
	c := r.text[r.at]
	start := r.at
	for start < len(r.text) && strings.IndexByte(r.sigils, r.text[start]) >= 0 {
		start++
	}
	end := wordEnd(r.text, start)
	switch {
	case r.lang == CSharp && rest[0] == '@' && start == r.at+1 && r.byteAt(start) == '"':
		r.verbatim()
	case start > r.at && r.byteAt(start) == '"':
		category := ParseError
		if strings.Contains(r.text[r.at:start], "$") {
			category = Other
		}
		r.reject(category, r.at, `strings with a prefix are not read: write a plain one, with \ before " and \`)
	case end > start && start-r.at <= 1:
		r.word(end)
	case isDigit(c) || c == '.' && isDigit(r.byteAt(r.at+1)):
		r.digits()
	case c == '"':
		r.quoted(r.lexicon.text)
	case c == '\'' && r.char != unquoted:
		r.quoted(r.char)
	case c == '`' && r.raw:
		r.rawString()
	default:
		r.operator()
	}
}

func (r *reader) word(end int) {
	if q := r.byteAt(end); q == '"' || q == '\'' || q == '`' && r.raw {
		category := ParseError
		if r.lang == Python && strings.ContainsAny(r.text[r.at:end], "fFtT") {
			category = Other
		}
		r.reject(category, r.at, "strings with a prefix are not read: write a plain one, or a space behind the word")
		return
	}
	r.add(Ident, end)
}

// goesOn reports whether a letter, a digit or a quote directly follows a number or a string.
func (r *reader) goesOn(end int) bool {
	c := r.byteAt(end)
	return wordEnd(r.text, end) > end || isDigit(c) || c == '\'' || c == '"' || c == '`'
}

func (r *reader) digits() {
	end := r.at + len(r.number.FindString(r.text[r.at:]))
	isRange := r.lang == CSharp && r.byteAt(end+1) == '.'
	if end == r.at || r.goesOn(end) || r.byteAt(end) == '.' && !isRange {
		r.reject(ParseError, r.at, "numbers are read as 12, 1.5 or 0x1F: write it so, with a space before a word")
		return
	}
	r.add(Number, end)
}

// escapes are the characters that may follow a backslash in every language.
const escapes = `\"'nrt0`

func (r *reader) quoted(kind quoting) {
	quote, count := r.text[r.at], 0
	end := r.at + 1
	for end < len(r.text) && r.text[end] != quote {
		c, size := utf8.DecodeRuneInString(r.text[end:])
		switch {
		case c == '\\' && end+1 < len(r.text) && strings.IndexByte(escapes, r.text[end+1]) >= 0:
			size = 2
		case c == '\\':
			r.reject(ParseError, r.at, `of escapes only \\ \" \' \n \r \t \0 are read: write the character itself`)
			return
		case c == utf8.RuneError && size <= 1, !unicode.IsGraphic(c):
			r.reject(ParseError, r.at, inOneLine)
			return
		case kind == plainText && c != ' ' && wordEnd(string(c), 0) == 0 && !strings.ContainsRune("0123456789.,:-", c):
			r.reject(ParseError, r.at, "the language is not known: write letters, digits and spaces in strings")
			return
		case r.lang == C && strings.HasPrefix(r.text[end:], "??"):
			r.reject(ParseError, r.at, "?? may begin a trigraph: write one ?")
			return
		}
		end += size
		count++
	}
	switch {
	case end >= len(r.text):
		r.reject(ParseError, r.at, "the string does not end")
	case kind == oneChar && count != 1:
		r.reject(ParseError, r.at, "between ' and ' stands one character: write a string with \"")
	case r.goesOn(end + 1):
		r.reject(ParseError, r.at, `strings have one quote on each side and no suffix: write it so, with \ before inner ones`)
	default:
		r.add(String, end+1)
	}
}

// verbatim reads @"..." of C#, in which "" is a quote and a backslash means nothing.
func (r *reader) verbatim() {
	end := r.at + len(`@"`)
	for end < len(r.text) && (r.text[end] != '"' || r.byteAt(end+1) == '"') {
		c, size := utf8.DecodeRuneInString(r.text[end:])
		if c == utf8.RuneError && size <= 1 || !unicode.IsGraphic(c) {
			r.reject(ParseError, r.at, inOneLine)
			return
		}
		if c == '"' {
			size = 2
		}
		end += size
	}
	switch {
	case end >= len(r.text):
		r.reject(ParseError, r.at, "the string does not end")
	case r.goesOn(end + 1):
		r.reject(ParseError, r.at, `behind a string stands no letter, digit or quote`)
	default:
		r.add(String, end+1)
	}
}

func (r *reader) rawString() {
	body, _, ended := strings.Cut(r.text[r.at+1:], "`")
	invisible := func(c rune) bool { return c == utf8.RuneError || !unicode.IsGraphic(c) }
	if !ended || strings.IndexFunc(body, invisible) >= 0 {
		r.reject(ParseError, r.at, inOneLine)
		return
	}
	r.add(String, r.at+len(body)+2)
}

const inOneLine = "a string stands in one line and holds no control characters"

func (r *reader) operator() {
	for n := min(len(">>>="), len(r.text)-r.at); n > 0; n-- {
		op := r.text[r.at : r.at+n]
		if op == "?." && isDigit(r.byteAt(r.at+2)) { // a ? .5 : b
			continue
		}
		if r.operators[op] && !(op == ".." && r.byteAt(r.at+2) == '.') {
			r.add(Op, r.at+n)
			return
		}
	}
	_, size := utf8.DecodeRuneInString(r.text[r.at:])
	c := strings.ToValidUTF8(r.text[r.at:r.at+size], "\ufffd")
	r.bad = &Rejection{ParseError, c, "this character is not read outside of a string"}
}

package mapping

import (
	"path"
	"strings"
	"sync"
)

// IsUserCode reports whether a frame with source belongs to the program, not to a library of its language. file may
// have the separators of any system.
func IsUserCode(function, file string) bool {
	file = strings.ReplaceAll(file, `\`, "/")
	switch {
	case file == "":
		return false
	case strings.Contains(file, "/pkg/mod/"), strings.Contains(file, "/site-packages/"),
		strings.Contains(file, "/dist-packages/"):
		return false
	case strings.HasPrefix(file, "/rustc/"), strings.Contains(file, "/lib/rustlib/src/rust/"),
		strings.Contains(file, "/.cargo/registry/src/"), strings.Contains(file, "/.cargo/git/checkouts/"):
		return false
	case strings.HasPrefix(file, "/usr/include/"), strings.HasPrefix(file, "/usr/lib/gcc/"),
		strings.Contains(file, "/include/c++/"):
		return false // the standard library of C++
	case strings.HasPrefix(file, "<"): // Python: <frozen importlib._bootstrap>, <string>
		return false
	}
	switch path.Ext(file) {
	case ".go", ".s":
		if IsTrimmedGo(file) {
			dir := path.Dir(file)
			return !strings.Contains(dir, "@") && !standardDir(dir)
		}
		return !inGoRoot(file, goPackage(function))
	case ".py":
		lib := strings.LastIndex(file, "/lib/python")
		return lib < 0 || strings.Count(file[lib+len("/lib/python"):], "/") == 0
	}
	return true
}

// goStandard lists the packages of Go 1.26's standard library, and goInternal the folders of its internal ones. A
// test reports what a later Go adds.
var goStandard = sync.OnceValue(func() map[string]bool {
	return words(`archive/tar archive/zip bufio bytes cmp compress/bzip2 compress/flate compress/gzip compress/lzw
		compress/zlib container/heap container/list container/ring context crypto crypto/aes crypto/cipher crypto/des
		crypto/dsa crypto/ecdh crypto/ecdsa crypto/ed25519 crypto/elliptic crypto/fips140 crypto/hkdf crypto/hmac
		crypto/hpke crypto/md5 crypto/mlkem crypto/mlkem/mlkemtest crypto/pbkdf2 crypto/rand crypto/rc4 crypto/rsa
		crypto/sha1 crypto/sha256 crypto/sha3 crypto/sha512 crypto/subtle crypto/tls crypto/x509 crypto/x509/pkix
		database/sql database/sql/driver debug/buildinfo debug/dwarf debug/elf debug/gosym debug/macho debug/pe
		debug/plan9obj embed encoding encoding/ascii85 encoding/asn1 encoding/base32 encoding/base64 encoding/binary
		encoding/csv encoding/gob encoding/hex encoding/json encoding/pem encoding/xml errors expvar flag fmt go/ast
		go/build go/build/constraint go/constant go/doc go/doc/comment go/format go/importer go/internal/gccgoimporter
		go/internal/gcimporter go/internal/scannerhooks go/internal/srcimporter go/parser go/printer go/scanner
		go/token go/types go/version hash hash/adler32 hash/crc32 hash/crc64 hash/fnv hash/maphash html html/template
		image image/color image/color/palette image/draw image/gif image/jpeg image/png index/suffixarray io io/fs
		io/ioutil iter log log/slog log/syslog maps math math/big math/bits math/cmplx math/rand math/rand/v2 mime
		mime/multipart mime/quotedprintable net net/http net/http/cgi net/http/cookiejar net/http/fcgi
		net/http/httptest net/http/httptrace net/http/httputil net/http/pprof net/mail net/netip net/rpc
		net/rpc/jsonrpc net/smtp net/textproto net/url os os/exec os/signal os/user path path/filepath plugin reflect
		regexp regexp/syntax runtime runtime/cgo runtime/coverage runtime/debug runtime/metrics runtime/pprof
		runtime/race runtime/trace slices sort strconv strings structs sync sync/atomic syscall testing
		testing/cryptotest testing/fstest testing/iotest testing/quick testing/slogtest testing/synctest text/scanner
		text/tabwriter text/template text/template/parse time time/tzdata unicode unicode/utf16 unicode/utf8 unique
		unsafe weak`)
})

var goInternal = sync.OnceValue(func() map[string]bool {
	return words(`abi asan bisect buildcfg bytealg byteorder cfg cgrouptest chacha8rand copyright coverage cpu dag
		diff exportdata filepathlite fmtsort fuzz goarch godebug godebugs goexperiment goos goroot gover goversion
		lazyregexp lazytemplate msan nettrace obscuretestdata oserror pkgbits platform poll profile profilerecord race
		reflectlite runtime saferio singleflight strconv stringslite sync synctest syscall sysinfo syslist testenv
		testhash testlog testpty trace txtar types unsafeheader weak xcoff zstd`)
})

func words(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}

// inGoRoot reports whether a file belongs to the standard library: /usr/local/go/src/net/http/server.go contains
// net/http.(*conn).serve, which Delve names http.(*conn).serve. A user's program may be in a folder named src too.
func inGoRoot(file, pkg string) bool {
	i := strings.LastIndex(file, "/src/")
	if i < 0 || pkg == "main" {
		return false
	}
	if first, _, _ := strings.Cut(pkg, "/"); strings.Contains(first, ".") {
		return false
	}
	dir := path.Dir(file[i+len("/src/"):])
	if dir == pkg {
		return true
	}
	return standardDir(dir)
}

// standardDir reports whether a folder below GOROOT/src is one of the standard library.
func standardDir(dir string) bool {
	if public, _, ok := strings.Cut(dir, "/internal"); ok && goStandard()[public] {
		return true // net/http/internal
	}
	if inner, ok := strings.CutPrefix(dir, "internal/"); ok {
		first, _, _ := strings.Cut(inner, "/")
		return goInternal()[first]
	}
	return goStandard()[dir] || strings.HasPrefix(dir, "vendor/golang.org/x/")
}

// IsTrimmedGo reports whether a source file is named as in a program that was built with -trimpath: by the path of its
// module or package. Names that the toolchain makes begin with _ or <.
func IsTrimmedGo(file string) bool {
	base := path.Base(file)
	return path.Ext(file) == ".go" && !IsAbs(file) && base[0] != '_' && base[0] != '<'
}

// goPackage returns the package of a function's full name. Type arguments contain paths too.
func goPackage(function string) string {
	function, _, _ = strings.Cut(function, "[")
	slash := strings.LastIndexByte(function, '/')
	dot := strings.IndexByte(function[slash+1:], '.')
	if dot < 0 {
		return function
	}
	return function[:slash+1+dot]
}

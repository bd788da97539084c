package portablepdb

import (
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"breakwire/mapping/ecma335"
)

const (
	// maxDocuments limits the rows, because the smallest rows cost much memory.
	maxDocuments = 1 << 17
	// maxHash is the longest hash that is kept, in bytes; those in use have 20 and 32.
	maxHash = 64
)

// Document is a source file as the compiler named it.
type Document struct {
	// Path is unchanged, with the separators of the machine that compiled. In deterministic builds it begins with /_/
	// and exists nowhere.
	Path string
	// Language is "C#", "VB" or "F#", empty for others.
	Language string
	// HashAlgorithm is "SHA-1" or "SHA-256", empty when there is no hash or its kind is unknown.
	HashAlgorithm string
	// Hash is of the file's bytes, in hexadecimal digits, empty when there is none.
	Hash string
}

// GUIDs in the byte order of the file: the first three groups are little-endian.
var (
	languages = sync.OnceValue(func() map[[16]byte]string {
		return map[[16]byte]string{
			guid("3f5162f8-07c6-11d3-9053-00c04fa302a1"): "C#",
			guid("3a12d0b8-c26c-11d0-b442-00a0244a1dd2"): "VB",
			guid("ab4f38c9-b6e6-43ba-be3b-58080b2ccce3"): "F#",
		}
	})
	hashAlgorithms = sync.OnceValue(func() map[[16]byte]string {
		return map[[16]byte]string{
			guid("ff1816ec-aa5e-4d10-87f7-6f4963833460"): "SHA-1",
			guid("8829d00f-11b8-4213-878b-770e8597ac16"): "SHA-256",
		}
	})
)

// guid parses a constant of this package.
func guid(text string) (g [16]byte) {
	b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(b) != len(g) {
		panic("portablepdb: GUID " + text)
	}
	for to, from := range []int{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15} {
		g[to] = b[from]
	}
	return g
}

// readDocuments reads the Document table. index maps the number of a row, less one, to the document. Rows with the
// same path map to the same document, rows without a path to -1.
func (p *PDB) readDocuments(md *metadata, spend *budget) (index []int32, err error) {
	if md.documents.Count > maxDocuments {
		return nil, fmt.Errorf("%d documents: %w", md.documents.Count, ErrTooLarge)
	}
	p.documents = make([]Document, 0, md.documents.Count)
	p.byPath = make(map[string]int, md.documents.Count)
	index = make([]int32, md.documents.Count)
	r := md.documents.All()
	for row := range index {
		name, algorithm := r.Index(md.LargeBlobs), r.Index(md.LargeGUIDs)
		hash, language := r.Index(md.LargeBlobs), r.Index(md.LargeGUIDs)
		path, err := md.documentName(name, spend)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", row+1, err)
		}
		if path == "" {
			index[row] = -1
			continue
		}
		if known, ok := p.byPath[path]; ok {
			index[row] = int32(known)
			continue
		}
		d := Document{Path: path, Language: languages()[md.GUID(language)]}
		if sum, ok := md.Blob(hash); ok && len(sum) > 0 && len(sum) <= maxHash {
			if err := spend.take(2 * len(sum)); err != nil {
				return nil, err
			}
			d.Hash, d.HashAlgorithm = hex.EncodeToString(sum), hashAlgorithms()[md.GUID(algorithm)]
		}
		index[row] = int32(len(p.documents))
		p.byPath[path] = len(p.documents)
		p.documents = append(p.documents, d)
	}
	p.lines = make([][]int32, len(p.documents))
	return index, nil
}

// documentName builds a path. Its blob has a separator, zero for none, and the blob indexes of the parts.
func (md *metadata) documentName(index uint32, spend *budget) (string, error) {
	blob, ok := md.Blob(index)
	if !ok {
		return "", fmt.Errorf("name at %#x: %w", index, ErrFormat)
	}
	if err := spend.take(len(blob)); err != nil || len(blob) == 0 {
		return "", err
	}
	first, size := utf8.DecodeRune(blob)
	if first == utf8.RuneError {
		return "", fmt.Errorf("separator of the name at %#x: %w", index, ErrFormat)
	}
	separator := blob[:size]
	if first == 0 {
		separator = nil
	}
	var path []byte
	r := &ecma335.Reader{Rest: blob[size:]}
	for n := 0; len(r.Rest) > 0; n++ {
		at := uint32(r.Unsigned())
		part, ok := md.Blob(at)
		if !ok || r.Bad {
			return "", fmt.Errorf("part %d of the name at %#x: %w", n+1, index, ErrFormat)
		}
		if err := spend.take(len(separator) + len(part)); err != nil {
			return "", err
		}
		if n > 0 {
			path = append(path, separator...)
		}
		path = append(path, part...)
	}
	return strings.ToValidUTF8(string(path), "\uFFFD"), nil
}

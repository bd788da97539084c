package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"
)

// The config file describes debug adapters for which breakwire has no profile (docs/profiles.md). It is JSON with
// comments and trailing commas. It is parsed into a tree with positions, so that every error names its line.

// settings is the content of a config file.
type settings struct {
	file     string
	profiles []customProfile
	pathMaps []string
}

// node is a value of the file with its position.
type node struct {
	file  *source
	value hujson.Value
}

type source struct {
	name string
	text []byte
}

// errorf returns an error with the position of a node: FILE:LINE: what.
func (n node) errorf(format string, args ...any) error {
	line := 1 + strings.Count(string(n.file.text[:n.value.StartOffset]), "\n")
	return fmt.Errorf("%s:%d: %s", n.file.name, line, fmt.Sprintf(format, args...))
}

// member is one name and value of an object.
type member struct {
	name  string
	key   node
	value node
}

func (n node) object() ([]member, error) {
	o, ok := n.value.Value.(*hujson.Object)
	if !ok {
		return nil, n.errorf("want an object {...}")
	}
	var list []member
	seen := map[string]bool{}
	for _, m := range o.Members {
		name := m.Name.Value.(hujson.Literal).String()
		key := node{n.file, m.Name}
		if seen[name] {
			return nil, key.errorf("%q is there twice", name)
		}
		seen[name] = true
		list = append(list, member{name, key, node{n.file, m.Value}})
	}
	return list, nil
}

func (n node) array() ([]node, error) {
	a, ok := n.value.Value.(*hujson.Array)
	if !ok {
		return nil, n.errorf("want a list [...]")
	}
	var list []node
	for _, v := range a.Elements {
		list = append(list, node{n.file, v})
	}
	return list, nil
}

func (n node) text() (string, error) {
	l, ok := n.value.Value.(hujson.Literal)
	if !ok || l.Kind() != '"' {
		return "", n.errorf("want a text in quotes")
	}
	return l.String(), nil
}

func (n node) boolean() (bool, error) {
	l, ok := n.value.Value.(hujson.Literal)
	if !ok || l.Kind() != 't' && l.Kind() != 'f' {
		return false, n.errorf("want true or false")
	}
	return l.Bool(), nil
}

func (n node) texts() ([]string, error) {
	items, err := n.array()
	if err != nil {
		return nil, err
	}
	var list []string
	for _, item := range items {
		text, err := item.text()
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, nil
}

func (n node) textMap() (map[string]string, error) {
	members, err := n.object()
	if err != nil {
		return nil, err
	}
	m := map[string]string{}
	for _, each := range members {
		if m[each.name], err = each.value.text(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// defaultSettings returns the path of the user's config file.
func defaultSettings() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "breakwire", "config.jsonc")
}

// readSettings reads a config file. Without a name it reads the user's, which need not exist.
func readSettings(file string) (settings, error) {
	optional := file == ""
	if optional {
		if file = defaultSettings(); file == "" {
			return settings{}, nil
		}
	}
	text, err := os.ReadFile(file)
	if optional && errors.Is(err, fs.ErrNotExist) {
		return settings{}, nil
	}
	if err != nil {
		return settings{}, fmt.Errorf("read the config file: %w", err)
	}
	return parseSettings(file, text)
}

func parseSettings(file string, text []byte) (settings, error) {
	text = []byte(strings.TrimPrefix(string(text), "\ufeff"))
	s := settings{file: file}
	root, err := hujson.Parse(text)
	if err != nil {
		return s, fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "hujson: "))
	}
	members, err := node{&source{file, text}, root}.object()
	if err != nil {
		return s, err
	}
	for _, m := range members {
		switch m.name {
		case "$schema":
		case "pathMaps":
			s.pathMaps, err = m.value.texts()
		case "profiles":
			s.profiles, err = parseProfiles(m.value)
		default:
			err = unknownName(m, []string{"profiles", "pathMaps"})
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

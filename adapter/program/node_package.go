package program

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// nodePackage is a package.json, as far as a start needs it.
type nodePackage struct {
	folder          string
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
	Type            string            `json:"type"`
	Bin             json.RawMessage   `json:"bin"`
	PackageManager  string            `json:"packageManager"`
	Jest            json.RawMessage   `json:"jest"`
}

// readPackage returns the package.json of a folder.
func readPackage(folder string) (*nodePackage, error) {
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return nil, err
	}
	p := &nodePackage{folder: folder}
	return p, json.Unmarshal(text, p)
}

// upward calls visit for a folder and those above it, until it returns true.
func upward(folder string, visit func(folder string) bool) bool {
	for !visit(folder) {
		if folder == filepath.Dir(folder) {
			return false
		}
		folder = filepath.Dir(folder)
	}
	return true
}

// nearestPackage returns the package of a folder: that of the nearest package.json. Without one it is the folder
// itself.
func nearestPackage(folder string) *nodePackage {
	found := &nodePackage{folder: folder}
	upward(folder, func(dir string) bool {
		p, err := readPackage(dir)
		if err == nil {
			found = p
		}
		return err == nil
	})
	return found
}

// nodeModule returns the folder of a package that programs of a folder find, "" when there is none.
func nodeModule(folder, name string) (module string) {
	upward(folder, func(dir string) bool {
		candidate := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
		if IsFile(filepath.Join(candidate, "package.json")) {
			module = candidate
		}
		return module != ""
	})
	return module
}

// moduleCommand returns the script of a package's command, "" when the package has none.
func moduleCommand(module, name string) string {
	p, err := readPackage(module)
	if err != nil {
		return ""
	}
	var one string
	var several map[string]string
	if json.Unmarshal(p.Bin, &one) != nil {
		_ = json.Unmarshal(p.Bin, &several)
		one = several[name]
	}
	if one == "" {
		return ""
	}
	return filepath.Join(module, filepath.FromSlash(one))
}

// packageManager returns the command that runs a package's scripts: that of packageManager or of the lock file.
func (p *nodePackage) packageManager() string {
	if name, _, _ := strings.Cut(p.PackageManager, "@"); slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name) {
		return name
	}
	name := "npm"
	upward(p.folder, func(dir string) bool {
		for _, lock := range [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"package-lock.json", "npm"}} {
			if IsFile(filepath.Join(dir, lock[0])) {
				name = lock[1]
				return true
			}
		}
		return false
	})
	return name
}

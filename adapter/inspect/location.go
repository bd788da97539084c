package inspect

// Location is a place in source. File is the client-side path, after path mapping; Line and Column are 1-based.
type Location struct {
	File         string `json:"file,omitempty"`
	Line         int    `json:"line,omitempty"`
	Column       int    `json:"column,omitempty"`
	FunctionName string `json:"functionName,omitempty"`
	ModuleName   string `json:"moduleName,omitempty"`
}

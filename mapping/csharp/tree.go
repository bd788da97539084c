package csharp

// Node is an expression, a type, a pattern, or a part of one.
type Node interface {
	// Range returns the byte offsets of the first byte and of the byte after the last one.
	Range() (start, end int)
}

// Span is the place of a node in its text.
type Span struct{ Start, End int }

// Range returns the span.
func (s Span) Range() (start, end int) { return s.Start, s.End }

// Literal is a number, a text, a character, true, false or null. Value is nil, a bool, a *big.Int, the digits of a
// real number as string, a character as uint16, or the UTF-16 units of a text.
type Literal struct {
	Span
	Type   string // the C# keyword; "null" for null, "utf8" for a text with the suffix u8
	Source string
	Value  any
}

// Interpolated is $"...{hole}...".
type Interpolated struct {
	Span
	Open, Close string
	Braces      int // how many { begin a hole
	Parts       []Part
}

// Part is a text, or a hole when Hole is set.
type Part struct {
	Text, Source string
	Hole         Node
	Align        Node
	Format       string // "" is no format
	Written      string // the format as it stands in the source
}

// Name is a simple name, this, base, or a keyword type such as int before a dot.
type Name struct {
	Span
	Alias   string // global in global::System
	Name    string
	Keyword bool // this, base or a keyword type; not a name written @this
	Args    []*Type
}

// Is reports whether a name is this keyword.
func (n *Name) Is(keyword string) bool { return n.Keyword && n.Name == keyword }

// Member is x.Name, x?.Name or x->Name.
type Member struct {
	Span
	Of   Node
	Op   string
	Name string
	Args []*Type
}

// Index is x[...] or x?[...].
type Index struct {
	Span
	Of   Node
	Null bool
	Args []Argument
}

// Call is x(...).
type Call struct {
	Span
	Of   Node
	Args []Argument
}

// Argument is an argument of a call, an element of a tuple, or a member of an anonymous object.
type Argument struct {
	Span
	Name  string
	Mode  string // ref, out, in or ""
	Value Node
}

// Unary is an operator before its operand: + - ! ~ ^ & * ++ -- await throw ref.
type Unary struct {
	Span
	Op string
	X  Node
}

// Postfix is an operator after its operand: ++ -- !.
type Postfix struct {
	Span
	Op string
	X  Node
}

// Binary is an operator between two operands, without assignments.
type Binary struct {
	Span
	Op   string
	L, R Node
}

// Assign is = or an operator with =. In an initializer, L is a name or an Indexed.
type Assign struct {
	Span
	Op   string
	L, R Node
}

// Conditional is If ? Then : Else.
type Conditional struct {
	Span
	If, Then, Else Node
}

// Cast is (Type)X.
type Cast struct {
	Span
	Type *Type
	X    Node
}

// As is X as Type.
type As struct {
	Span
	X    Node
	Type *Type
}

// Is is X is Pattern.
type Is struct {
	Span
	X       Node
	Pattern Node
}

// Slice is From..To. Both may be nil.
type Slice struct {
	Span
	From, To Node
}

// Paren is (X).
type Paren struct {
	Span
	X Node
}

// Tuple is (a, b) with two or more elements.
type Tuple struct {
	Span
	Items []Argument
}

// Lambda is a function without a name: x => body, (int x) => body, x => { statements } or delegate { statements }.
type Lambda struct {
	Span
	Modifiers []string
	Delegate  bool
	Return    *Type
	Bare      bool // without brackets around the parameters; a delegate without a list
	Params    []Parameter
	Body      Node
	Block     string // statements, with their braces, when Body is nil
}

// Parameter is a parameter of a lambda.
type Parameter struct {
	Span
	Mode    string
	Type    *Type
	Name    string
	Default Node
}

// New is new Type(...) { ... }. Type is nil in new(...).
type New struct {
	Span
	Type    *Type
	Args    []Argument
	HasArgs bool
	Init    *Initializer
}

// NewArray is new Type[n] { ... }, and stackalloc. Type is the type of the elements, nil in new[] { ... }.
type NewArray struct {
	Span
	Stack bool
	Type  *Type
	Sizes []Node // empty in new int[] { ... }
	Rank  int
	More  []int // ranks of the brackets that follow
	Init  *Initializer
}

// Anonymous is new { A = 1, x.B }.
type Anonymous struct {
	Span
	Items []Argument
}

// Initializer is { ... } behind new or with, and inside of another one.
type Initializer struct {
	Span
	Items []Node
}

// Indexed is [i] on the left side in an initializer.
type Indexed struct {
	Span
	Args []Argument
}

// Collection is [a, ..b].
type Collection struct {
	Span
	Items []Node
}

// Spread is ..x in a collection.
type Spread struct {
	Span
	X Node
}

// With is X with { ... }.
type With struct {
	Span
	X    Node
	Init *Initializer
}

// Switch is X switch { pattern => value, ... }.
type Switch struct {
	Span
	X    Node
	Arms []Arm
}

// Arm is a case of a switch.
type Arm struct {
	Span
	Pattern Node
	When    Node
	Value   Node
}

// OfType is typeof(T), sizeof(T) or default(T). Type is nil in default.
type OfType struct {
	Span
	Op   string
	Type *Type
}

// Checked is checked(x) or unchecked(x).
type Checked struct {
	Span
	Op string
	X  Node
}

// Declaration is a variable that an expression declares: out var x, (int a, var b) = t. Type is nil for var.
type Declaration struct {
	Span
	Type  *Type
	Name  string
	Names []Node // of var (a, b), instead of Name
}

// Query is from x in xs ... select y.
type Query struct {
	Span
	Clauses []Clause
}

// Clause is a part of a query. Op is from, let, where, join, orderby, select, group or into.
type Clause struct {
	Span
	Op         string
	Type       *Type
	Name       string
	X          Node // from, join: after in
	On, Equals Node // join
	Into       string
	By         Node // group
	Keys       []Key
}

// Key is a key of orderby.
type Key struct {
	X         Node
	Direction string // ascending, descending or ""
}

// Type is the name of a type. Exactly one of Names, Of, Tuple and Unbound is set.
type Type struct {
	Span
	Alias   string
	Names   []TypeName
	Of      *Type     // of an array, nullable or pointer
	Suffix  string    // ?, * or brackets such as [,]
	Tuple   []Element // of a tuple
	Unbound bool      // in typeof(List<>)
}

// TypeName is one name of a qualified type with its type arguments.
type TypeName struct {
	Name    string
	Keyword bool // int, not a name written @int
	Args    []*Type
}

// Element is an element of a tuple's type.
type Element struct {
	Type *Type
	Name string
}

// Constant is a pattern that compares. It may also be the name of a type: only who knows the names can tell.
type Constant struct {
	Span
	X Node
}

// TypePattern is a pattern that can only be a type, or a type with a variable: int, List<int> x.
type TypePattern struct {
	Span
	Type *Type
	Name string
}

// Relation is a pattern with < <= > or >=.
type Relation struct {
	Span
	Op string
	X  Node
}

// Not is not pattern.
type Not struct {
	Span
	X Node
}

// Both is a pattern with and or with or.
type Both struct {
	Span
	Op   string
	L, R Node
}

// ParenPattern is a pattern in brackets.
type ParenPattern struct {
	Span
	X Node
}

// VarPattern is var x or var (a, b). Name is _ for _.
type VarPattern struct {
	Span
	Name  string
	Names []Node
}

// Discard is the pattern _.
type Discard struct{ Span }

// Properties is Type (a, b) { Name: pattern } name. Each part may be absent.
type Properties struct {
	Span
	Type     *Type
	HasItems bool
	Items    []SubPattern
	HasNamed bool
	Named    []SubPattern
	Name     string
}

// SubPattern is a pattern inside another one, with the member that it tests: A.B.
type SubPattern struct {
	Span
	Path    []string
	Pattern Node
}

// ListPattern is [a, .., b] name.
type ListPattern struct {
	Span
	Items []Node
	Name  string
}

// SlicePattern is .. or ..pattern in a list.
type SlicePattern struct {
	Span
	X Node
}

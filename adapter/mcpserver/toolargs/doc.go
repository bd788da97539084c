// Package toolargs reads the arguments of tools into structs, and makes the input schemas of these structs.
//
// A tool's parameters are a Go struct. Tags say everything else, once, for the schema that the
// client sees and for the checks that it meets; a method has the descriptions:
//
//		type stepArgs struct {
//			Session string `arg:"session_id"`
//			Mode    string `arg:"mode" enum:"over,in|into,out" default:"over" alias:"type,stepType"`
//			Count   int    `arg:"count" default:"1" min:"1" max:"100"`
//			Thread  *int   `arg:"thread_id"`
//			Value   string `arg:"value,required,loose"`
//		}
//
//		func (stepArgs) Docs() toolargs.Docs { return toolargs.Docs{"session_id": "..."} }
//
//	  - arg: the name, then flags. required: must be there and not null. loose: a number or a boolean
//	    is taken as its text where text is asked for (values and hit conditions, which models write as numbers).
//	    words: a text is taken for a list, split as a shell does. long: it may be longer than maxText.
//	    unlisted: taken, but not in the schema.
//	  - alias: other names, taken in silence; they are not in the schema.
//	  - enum: the values, for text and the items of a list; "in|into" takes into for in. Case does not matter.
//	  - min, max: bounds of a number, of the length of a text or of the number of items.
//	  - default: used when the parameter is absent.
//
// Fields may be string, int, int64, uint64, bool, []string, map[string]string, map[string]*string
// (null stays nil), structs of the same kind and lists of them, and pointers to these (nil when absent).
// Embedded structs are flattened. A struct that breaks these rules panics when its tool is registered.
package toolargs

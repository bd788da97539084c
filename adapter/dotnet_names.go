package adapter

// shortNames are types of the runtime that programs name without their namespace.
var shortNames = map[string]string{
	"Math": "System", "MathF": "System", "DateTime": "System", "DateTimeOffset": "System", "DateOnly": "System", "TimeOnly": "System", "TimeSpan": "System", "Guid": "System",
	"Console": "System", "Convert": "System", "Environment": "System", "GC": "System", "Array": "System", "Enum": "System", "String": "System", "Char": "System",
	"Int32": "System", "Int64": "System", "Double": "System", "Decimal": "System", "BitConverter": "System", "Uri": "System", "Type": "System", "Activator": "System",
	"AppContext": "System", "AppDomain": "System", "Version": "System", "Random": "System", "Tuple": "System", "Nullable": "System", "Object": "System",
	"Thread": "System.Threading", "Monitor": "System.Threading", "Interlocked": "System.Threading", "ThreadPool": "System.Threading", "Timeout": "System.Threading",
	"Task": "System.Threading.Tasks", "Path": "System.IO", "File": "System.IO", "Directory": "System.IO", "Encoding": "System.Text", "Enumerable": "System.Linq",
	"CultureInfo": "System.Globalization", "Process": "System.Diagnostics", "Stopwatch": "System.Diagnostics", "Debugger": "System.Diagnostics",
	"Regex": "System.Text.RegularExpressions", "BigInteger": "System.Numerics", "RuntimeInformation": "System.Runtime.InteropServices", "Assembly": "System.Reflection",
	"JsonSerializer": "System.Text.Json",
}

// keywordTypes are the keywords of types whose static members netcoredbg finds under the full name only.
var keywordTypes = map[string]string{
	"int": "System.Int32", "long": "System.Int64", "short": "System.Int16", "byte": "System.Byte", "uint": "System.UInt32", "ulong": "System.UInt64", "ushort": "System.UInt16",
	"sbyte": "System.SByte", "double": "System.Double", "float": "System.Single", "decimal": "System.Decimal", "char": "System.Char", "bool": "System.Boolean",
	"string": "System.String", "object": "System.Object",
}

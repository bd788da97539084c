package dotnet

import (
	"strings"
	"sync"
)

// runtimeBases are the exceptions of the .NET runtime by their base type, all below System. They do not change between
// versions, so the debugger is not asked for them.
const runtimeBases = `
ApplicationException: Reflection.InvalidFilterCriteriaException Reflection.TargetException
	Reflection.TargetInvocationException Reflection.TargetParameterCountException
	Threading.WaitHandleCannotBeOpenedException
ArgumentException: ArgumentNullException ArgumentOutOfRangeException DuplicateWaitObjectException
	Globalization.CultureNotFoundException Text.DecoderFallbackException Text.EncoderFallbackException
	Text.RegularExpressions.RegexParseException
ArithmeticException: DivideByZeroException NotFiniteNumberException OverflowException
ComponentModel.Win32Exception: Net.HttpListenerException Net.NetworkInformation.NetworkInformationException
	Net.Sockets.SocketException Net.WebSockets.WebSocketException
Exception: AggregateException ApplicationException ComponentModel.DataAnnotations.ValidationException
	Diagnostics.Tracing.EventSourceException Diagnostics.UnreachableException InvalidTimeZoneException
	Net.Http.HttpRequestException SystemException Text.Json.JsonException Threading.BarrierPostPhaseException
	Threading.LockRecursionException Threading.Tasks.TaskSchedulerException TimeZoneNotFoundException
FormatException: Net.CookieException Reflection.CustomAttributeFormatException UriFormatException
IO.IOException: IO.Compression.ZLibException IO.DirectoryNotFoundException IO.DriveNotFoundException
	IO.EndOfStreamException IO.FileLoadException IO.FileNotFoundException IO.PathTooLongException
	Net.Http.HttpIOException Net.Quic.QuicException
InvalidOperationException: Net.NetworkInformation.PingException Net.ProtocolViolationException
	Net.WebException ObjectDisposedException Runtime.CompilerServices.SwitchExpressionException
	Threading.Channels.ChannelClosedException
MemberAccessException: FieldAccessException MethodAccessException MissingMemberException
MissingMemberException: MissingFieldException MissingMethodException
Net.Http.HttpIOException: Net.Http.HttpProtocolException
NotSupportedException: PlatformNotSupportedException
OperationCanceledException: Threading.Tasks.TaskCanceledException
OutOfMemoryException: InsufficientMemoryException
Runtime.InteropServices.ExternalException: ComponentModel.Win32Exception Data.Common.DbException
	Runtime.InteropServices.COMException Runtime.InteropServices.SEHException
Security.Cryptography.CryptographicException: Security.Cryptography.CryptographicUnexpectedOperationException
SystemException: AccessViolationException ArgumentException ArithmeticException ArrayTypeMismatchException
	BadImageFormatException Collections.Generic.KeyNotFoundException DataMisalignedException FormatException
	IO.IOException IO.InternalBufferOverflowException IO.InvalidDataException IndexOutOfRangeException
	InsufficientExecutionStackException InvalidCastException InvalidOperationException InvalidProgramException
	MemberAccessException NotImplementedException NotSupportedException NullReferenceException
	OperationCanceledException OutOfMemoryException RankException Reflection.AmbiguousMatchException
	Reflection.ReflectionTypeLoadException Resources.MissingManifestResourceException
	Runtime.InteropServices.ExternalException Runtime.Serialization.SerializationException
	Security.Cryptography.CryptographicException Security.SecurityException Security.VerificationException
	StackOverflowException Threading.AbandonedMutexException Threading.SemaphoreFullException
	Threading.SynchronizationLockException Threading.ThreadAbortException Threading.ThreadInterruptedException
	Threading.ThreadStartException Threading.ThreadStateException TimeoutException TypeInitializationException
	TypeLoadException UnauthorizedAccessException Xml.XmlException
TimeoutException: Text.RegularExpressions.RegexMatchTimeoutException
TypeLoadException: DllNotFoundException EntryPointNotFoundException TypeAccessException
`

// baseOf has the base type of each exception of the runtime.
var baseOf = sync.OnceValue(func() map[string]string {
	known := map[string]string{}
	for line := range strings.Lines(strings.ReplaceAll(strings.TrimSpace(runtimeBases), "\n\t", " ")) {
		base, types, _ := strings.Cut(line, ": ")
		for _, typ := range strings.Fields(types) {
			known["System."+typ] = "System." + base
		}
	}
	return known
})

// BasesOf returns the base types of an exception of the runtime up to System.Exception. ok is false for other types.
func BasesOf(typ string) (bases []string, ok bool) {
	ok = true
	for typ != "System.Exception" {
		if typ, ok = baseOf()[typ]; !ok {
			return nil, false
		}
		bases = append(bases, typ)
	}
	return bases, true
}

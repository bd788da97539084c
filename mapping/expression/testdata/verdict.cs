using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

// Says what texts are as expressions of C#, in the words of Roslyn. It reads a JSON string a line and answers each with a line: ok, or the kinds
// of syntax that a look may not hold, and "error" where Roslyn reports one. $name is what netcoredbg calls its own; it is read as @name.
static class Verdict
{
    static readonly HashSet<SyntaxKind> ok = new HashSet<SyntaxKind> {
        SyntaxKind.IdentifierName, SyntaxKind.QualifiedName, SyntaxKind.AliasQualifiedName, SyntaxKind.GenericName, SyntaxKind.TypeArgumentList,
        SyntaxKind.PredefinedType, SyntaxKind.NullableType, SyntaxKind.ArrayType, SyntaxKind.ArrayRankSpecifier, SyntaxKind.OmittedArraySizeExpression,
        SyntaxKind.OmittedTypeArgument, SyntaxKind.ParenthesizedExpression, SyntaxKind.TupleExpression, SyntaxKind.Argument,
        SyntaxKind.NumericLiteralExpression, SyntaxKind.StringLiteralExpression, SyntaxKind.CharacterLiteralExpression, SyntaxKind.TrueLiteralExpression,
        SyntaxKind.FalseLiteralExpression, SyntaxKind.NullLiteralExpression, SyntaxKind.SimpleMemberAccessExpression, SyntaxKind.ElementAccessExpression,
        SyntaxKind.BracketedArgumentList, SyntaxKind.ConditionalAccessExpression, SyntaxKind.MemberBindingExpression, SyntaxKind.ElementBindingExpression,
        SyntaxKind.CastExpression, SyntaxKind.LogicalNotExpression, SyntaxKind.BitwiseNotExpression, SyntaxKind.UnaryPlusExpression,
        SyntaxKind.UnaryMinusExpression, SyntaxKind.IndexExpression, SyntaxKind.SuppressNullableWarningExpression, SyntaxKind.ConditionalExpression,
        SyntaxKind.IsExpression, SyntaxKind.AsExpression, SyntaxKind.IsPatternExpression, SyntaxKind.ConstantPattern, SyntaxKind.TypePattern,
        SyntaxKind.NotPattern, SyntaxKind.RangeExpression, SyntaxKind.ThisExpression, SyntaxKind.BaseExpression, SyntaxKind.TypeOfExpression,
        SyntaxKind.SizeOfExpression, SyntaxKind.DefaultExpression, SyntaxKind.CheckedExpression, SyntaxKind.UncheckedExpression,
        SyntaxKind.AddExpression, SyntaxKind.SubtractExpression, SyntaxKind.MultiplyExpression, SyntaxKind.DivideExpression, SyntaxKind.ModuloExpression,
        SyntaxKind.EqualsExpression, SyntaxKind.NotEqualsExpression, SyntaxKind.LessThanExpression, SyntaxKind.LessThanOrEqualExpression,
        SyntaxKind.GreaterThanExpression, SyntaxKind.GreaterThanOrEqualExpression, SyntaxKind.LogicalAndExpression, SyntaxKind.LogicalOrExpression,
        SyntaxKind.BitwiseAndExpression, SyntaxKind.BitwiseOrExpression, SyntaxKind.ExclusiveOrExpression, SyntaxKind.LeftShiftExpression,
        SyntaxKind.RightShiftExpression, SyntaxKind.UnsignedRightShiftExpression, SyntaxKind.CoalesceExpression,
    };
    static readonly HashSet<SyntaxKind> frame = new HashSet<SyntaxKind> {
        SyntaxKind.CompilationUnit, SyntaxKind.GlobalStatement, SyntaxKind.ExpressionStatement, SyntaxKind.ClassDeclaration, SyntaxKind.MethodDeclaration,
        SyntaxKind.ParameterList, SyntaxKind.Block, SyntaxKind.ReturnStatement };
    static readonly Regex sigil = new Regex(@"\$(?=[\p{L}_])");

    static bool Exempt(SyntaxNode n) =>
        n is InvocationExpressionSyntax i && i.Expression is IdentifierNameSyntax f && f.Identifier.Text == "nameof" && i.ArgumentList.Arguments.Count == 1
        || n is ArgumentListSyntax && Exempt(n.Parent);

    static void Take(SortedSet<string> bad, SyntaxNode root, bool errors)
    {
        foreach (var n in root.DescendantNodesAndSelf(descendIntoTrivia: true))
            if (!ok.Contains(n.Kind()) && !frame.Contains(n.Kind()) && !Exempt(n)) bad.Add(n.Kind().ToString());
        foreach (var t in root.DescendantTrivia(descendIntoTrivia: true))
            if (t.Kind() != SyntaxKind.WhitespaceTrivia && t.Kind() != SyntaxKind.EndOfLineTrivia) bad.Add(t.Kind().ToString());
        if (errors && root.GetDiagnostics().Any(d => d.Severity == DiagnosticSeverity.Error)) bad.Add("error");
    }

    static void Main(string[] args)
    {
        var plain = new CSharpParseOptions(LanguageVersion.Preview, DocumentationMode.Diagnose);
        var script = plain.WithKind(SourceCodeKind.Script);
        var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false));
        string line;
        var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        while ((line = input.ReadLine()) != null)
        {
            var text = sigil.Replace(JsonSerializer.Deserialize<string>(line), "@");
            var bad = new SortedSet<string>(StringComparer.Ordinal);
            Take(bad, SyntaxFactory.ParseExpression(text, 0, plain, true), true);
            Take(bad, CSharpSyntaxTree.ParseText("class C { async Task M() { return " + text + "\n; } }", plain).GetRoot(), true);
            Take(bad, CSharpSyntaxTree.ParseText("return " + text + "\n;", script).GetRoot(), true);
            output.WriteLine(bad.Count == 0 ? "ok" : string.Join(",", bad));
            output.Flush();
        }
    }
}

"""Says what texts are, in the words of the parsers of Python and C.

Reads a JSON string a line and answers each with a line: ok, or what the text holds that a look may not.
"""
import ast
import json
import re
import sys
import unicodedata
import warnings

PYTHON = {
    'Expression', 'Name', 'Load', 'Constant', 'Attribute', 'Subscript', 'Slice', 'Tuple', 'IfExp', 'BoolOp', 'And', 'Or', 'BinOp', 'UnaryOp',
    'Compare', 'Add', 'Sub', 'Mult', 'Div', 'FloorDiv', 'Mod', 'Pow', 'MatMult', 'LShift', 'RShift', 'BitOr', 'BitXor', 'BitAnd', 'UAdd',
    'USub', 'Not', 'Invert', 'Eq', 'NotEq', 'Lt', 'LtE', 'Gt', 'GtE', 'Is', 'IsNot', 'In', 'NotIn',
}


def python(text):
    try:
        tree = ast.parse(text.replace('@LINE@', '\n').strip(' \t\r\n'), mode='eval')
    except (RecursionError, MemoryError):
        return 'ok'  # nothing that is not read can run
    except (SyntaxError, ValueError) as e:
        return type(e).__name__
    return verdict({type(n).__name__ for n in ast.walk(tree)} - PYTHON)


def known(text):
    """Replaces letters that are newer than this Python's Unicode: for it they are no letters, and nothing is read."""
    return ''.join('z' if unicodedata.category(c) == 'Cn' else c for c in text)


def verdict(found):
    return ','.join(sorted(found)) or 'ok'


TYPES = ('size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t wchar_t bool '
         'Named__').split()
C = {
    'Return', 'BinaryOp', 'UnaryOp', 'TernaryOp', 'Cast', 'Constant', 'ID', 'StructRef', 'ArrayRef', 'Typename', 'TypeDecl', 'PtrDecl',
    'IdentifierType', 'Struct', 'Union', 'Enum',
}
LITERAL = re.compile(r'("(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')')
BINARY = set('+ - * / % == != < > <= >= && || & | ^ << >>'.split())
# What pycparser does not read: letters of other alphabets, ::, and names of types that it was not told. A name with a star behind it in
# brackets is one of those.
POINTER = re.compile(r'\(\s*(?:const\s+)?(?!(?:struct|union|enum|const|void|char|short|int|long|float|double|signed|unsigned)\b)[A-Za-z_]\w*'
                     r'((?:\s+const\b)?(?:\s*\*(?:\s*const\b)?)+\s*\))')
MARKS = re.compile(r'[<>]{2}=?|[<>]=|->|\w+|[<>()\[\]]', re.ASCII)


def c_words(text):
    text = re.sub(r'[^\W\d_]', lambda m: m.group() if m.group().isascii() else 'z', text)
    text = re.sub(r'(?<=\w)\s*::\s*(?=[A-Za-z_])', '__', text)
    text = re.sub(r'::\s*(?=[A-Za-z_])', ' ', text)
    return POINTER.sub(r'(Named__ \1', text)


def template(text):
    """Tells whether C++ may read f<a>(b) somewhere, which C does not have."""
    marks = MARKS.findall(text)
    opened = [False]
    for i, m in enumerate(marks):
        if m in '([':
            opened.append(False)
        elif m in ')]':
            opened.pop()
            opened = opened or [False]
        elif m == '<' and i and re.match(r'[A-Za-z_]', marks[i - 1]):
            opened[-1] = True
        elif m in ('>', '>>') and opened[-1] and re.search(re.escape(m) + r'\s*\(', text):
            if marks[i + 1:i + 2] == ['(']:
                return True
    return False


def c_found(node, found):
    name = type(node).__name__
    if name not in C:
        found.add(name)
    if name == 'UnaryOp' and node.op in ('++', '--', 'p++', 'p--') or name == 'BinaryOp' and node.op not in BINARY:
        found.add(node.op)
    if name == 'Cast' and type(node.to_type.type).__name__ == 'TypeDecl':
        kind = node.to_type.type.type
        if type(kind).__name__ in ('Struct', 'Union') or getattr(kind, 'names', []) == ['Named__']:
            found.add('construction')
    for child in node:
        c_found(child, found)


def c(text):
    parts = LITERAL.split(text)
    bare = ''.join(' 0 ' if i % 2 else p for i, p in enumerate(parts))
    if re.search(r'[\\#`@$"\']|//|/\*', bare) or '??' in ''.join(parts[1::2]):
        return 'preprocessing'
    if re.match(r'\s*-\s*exec\b', text):
        return 'command'
    text = ''.join(p if i % 2 else c_words(p) for i, p in enumerate(parts))
    if template(bare):
        return 'template'
    types = [t for t in TYPES if t in text]
    preamble = 'typedef int ' + ', '.join(types) + '; ' if types else ''
    try:
        tree = PARSER.parse(preamble + 'int f(void) { return ' + text.replace('\r', '\n') + '; }')
    except (RecursionError, MemoryError):
        return 'ok'
    except pycparser.c_parser.ParseError:
        return 'ParseError'
    body = tree.ext[-1].body.block_items
    if len(tree.ext) != len(types) + 1 or len(body) != 1:
        return 'several'
    found = set()
    c_found(body[0], found)
    return verdict(found)


if __name__ == '__main__':
    judge = {'python': python, 'c': c}[sys.argv[1]]
    if judge is c:
        import pycparser
        PARSER = pycparser.CParser()
    warnings.simplefilter('ignore')
    for line in sys.stdin:
        print(judge(known(json.loads(line))), flush=True)

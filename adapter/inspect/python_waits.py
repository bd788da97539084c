# breakwire runs this in the stopped program. It only reads: no code of the program runs. `want` names the part.
import ast, json, linecache, re, sys, types

MOST, DEEPEST, LONGEST = 40, 40, 200000

def place(frame):
    code = frame.f_code
    return [getattr(code, 'co_qualname', code.co_name), code.co_filename, frame.f_lineno or 0]

# Tasks of asyncio.

SUSPENDED = {types.CoroutineType: ('cr_frame', 'cr_await'), types.GeneratorType: ('gi_frame', 'gi_yieldfrom'),
             types.AsyncGeneratorType: ('ag_frame', 'ag_await')}

def chain(coro):
    """The places of a coroutine and of what it awaits, innermost first."""
    places = []
    while type(coro) in SUSPENDED and len(places) < DEEPEST:
        frame, awaited = SUSPENDED[type(coro)]
        if getattr(coro, frame) is not None:
            places.insert(0, place(getattr(coro, frame)))
        coro = getattr(coro, awaited)
    return places

def linked(future):
    """The futures that the callbacks of a future complete: gather, wait, wait_for, shield, TaskGroup."""
    found = []
    for callback in getattr(future, '_callbacks', None) or ():
        callback = callback[0] if isinstance(callback, tuple) else callback
        found += getattr(callback, 'args', ())
        found.append(getattr(getattr(callback, '__self__', None), '_parent_task', None))
        for cell in getattr(callback, '__closure__', None) or ():
            try:
                found.append(cell.cell_contents)
            except ValueError:
                pass
    return [f for f in found if isinstance(f, asyncio.Future)]

def awaiter(future, tasks, depth=0):
    """The task that awaits a future."""
    for task in tasks:
        if task._fut_waiter is future:
            return task
    if depth < 5:
        for other in linked(future):
            if other in tasks and other is not future:
                return other
            task = awaiter(other, tasks, depth + 1)
            if task is not None:
                return task

def living():
    every = [t for name in ('_all_tasks', '_scheduled_tasks', '_eager_tasks')
             for t in list(getattr(asyncio.tasks, name, None) or ())]
    if not every:
        try:
            every = asyncio.all_tasks()
        except RuntimeError:
            pass
    return [t for t in every if not t.done()]

def running():
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None

def callers():
    tasks, task, seen, found = living(), running(), set(), []
    while task is not None and id(task) not in seen and len(found) < DEEPEST:
        seen.add(id(task))
        task = awaiter(task, tasks)
        if task is not None:
            found += [[task.get_name()] + p for p in chain(task.get_coro())]
    return found

def awaited(task):
    future = task._fut_waiter
    if future is None:
        return 'ready to run'
    if isinstance(future, asyncio.Task):
        return 'task ' + future.get_name()
    children = getattr(future, '_children', None)
    if children:
        return 'tasks ' + ', '.join(c.get_name() for c in children[:5] if isinstance(c, asyncio.Task))
    return ''

def pending():
    now = running()
    tasks = sorted((t for t in living() if t is not now), key=lambda t: t.get_name())
    shown = [{'name': t.get_name(), 'for': awaited(t), 'places': chain(t.get_coro())[:8]} for t in tasks[:MOST]]
    return shown, len(tasks) - len(shown)

# Locks of threads.

trees = {}

def tree(file):
    if file not in trees:
        text = ''.join(linecache.getlines(file)) if len(trees) < 20 else ''
        try:
            trees[file] = ast.parse(text) if len(text) < LONGEST else None
        except (SyntaxError, ValueError):
            trees[file] = None
    return trees[file]

def value(node, frame):
    """The object that an expression names; fields only."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        owner = value(node.value, frame)
        if owner is None:
            return None
        for scope in [owner] + list(type.mro(owner) if isinstance(owner, type) else type.mro(type(owner))):
            try:
                fields = object.__getattribute__(scope, '__dict__')
            except AttributeError:
                continue
            if node.attr in fields:
                return fields[node.attr]

def lock(x):
    """A lock of threading as (lock, its owner or None); None for what is no locked lock."""
    inner = x
    if type(x).__module__ == 'threading' and type(x).__name__ == 'Condition':
        inner = x.__dict__.get('_lock')
    kind = type(inner).__name__
    if type(inner).__module__ not in ('_thread', 'threading') or kind not in ('lock', 'RLock', '_RLock'):
        return None
    if kind == '_RLock':
        return (inner, inner._owner) if inner._owner else None
    owner = re.search(r'owner=(\d+)', repr(inner))
    if not repr(inner).startswith('<locked'):
        return None
    return inner, int(owner[1]) if owner else None

def calls(function, name):
    """The calls of a method in a function, without those in functions inside of it."""
    todo = list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop(0)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name:
            yield node
        todo += ast.iter_child_nodes(node)

def locks(frame):
    """The locks that a frame waits for, and those that it likely holds."""
    waits, holds, line = [], [], frame.f_lineno or 0
    whole = tree(frame.f_code.co_filename)
    if whole is None:
        return waits, holds
    function = whole
    for node in ast.walk(whole):
        inside = node.lineno <= line <= node.end_lineno if hasattr(node, 'lineno') else False
        if inside and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == frame.f_code.co_name:
            function = node
        if not inside or not isinstance(node, ast.With):
            continue
        for item in node.items:
            (holds if line >= node.body[0].lineno else waits).append(value(item.context_expr, frame))
    for call in calls(function, 'acquire'):
        x = value(call.func.value, frame)
        if call.lineno <= line <= call.end_lineno:
            waits.append(x)
        elif call.end_lineno < line and not any(call.lineno < r.lineno < line and value(r.func.value, frame) is x
                                                for r in calls(function, 'release')):
            holds.append(x)
    return waits, holds

LIBRARY = {'threading.py': 'threading', 'queue.py': 'queue', '_base.py': 'concurrent.futures'}

def blocked(frame):
    """What the innermost frames of a thread wait for: a word, and the object."""
    word, on = '', None
    while frame is not None:
        module = frame.f_globals.get('__name__', '')
        if module not in ('threading', 'queue', 'concurrent.futures._base'):
            break
        this = frame.f_locals.get('self')
        if this is not None:
            word, on = type(this).__name__ + '.' + frame.f_code.co_name, this
        frame = frame.f_back
    return word, on, frame

def threads():
    threading = sys.modules.get('threading')
    if threading is None:
        return []
    here = threading.get_ident()
    every = {i: t for i, t in list(threading._active.items()) if not getattr(t, 'is_pydev_daemon_thread', False)}
    frames = {i: f for i, f in sys._current_frames().items() if i in every}
    held, found = {}, []
    for i, frame in frames.items():
        depth = 0
        while frame is not None and depth < DEEPEST:
            if frame.f_globals.get('__name__', '').split('.')[0] not in ('threading', 'queue', 'asyncio', 'pydevd'):
                for x in locks(frame)[1]:
                    if lock(x):
                        held.setdefault(id(lock(x)[0]), []).append(i)
            frame, depth = frame.f_back, depth + 1
    for i, frame in frames.items():
        if i == here:
            continue
        word, on, outer = blocked(frame)
        holders, likely = [], False
        if isinstance(on, threading.Thread):
            word, holders = 'Thread.join', [k for k, t in every.items() if t is on]
        if word == '' and outer is frame:
            for x in locks(frame)[0]:
                if lock(x) and lock(x)[1] != i:
                    word, on = type(x).__name__ + '.acquire', lock(x)[0]
                    owner = lock(x)[1]
                    likely = owner is None
                    holders = held.get(id(on), []) if likely else [owner]
                    break
        if word:
            names = [every[k].name for k in holders if k in every and k != i]
            found.append({'name': every[i].name, 'for': word, 'on': '%s at 0x%x' % (type(on).__name__, id(on)),
                          'heldBy': names, 'likely': likely and bool(names)})
    return found

asyncio = sys.modules.get('asyncio')
answer = {}
try:
    if asyncio is not None and want == 'callers':
        answer['callers'] = callers()
    if want == 'waits':
        answer['threads'] = threads()
        if asyncio is not None:
            answer['tasks'], answer['omitted'] = pending()
except Exception as problem:
    answer['problem'] = type(problem).__name__ + ': ' + str(problem)
answer = json.dumps(answer)

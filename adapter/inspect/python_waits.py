# breakwire runs this in the stopped program. It only reads: no code of the program runs. `want` names the part.
import ast, dis, json, linecache, re, sys, types

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
    if isinstance(node, ast.Subscript):
        owner = value(node.value, frame)
        key = node.slice.value if isinstance(node.slice, ast.Constant) else value(node.slice, frame)
        if type(owner) is dict and type(key) in (str, int):
            return owner.get(key)
        if type(owner) in (list, tuple) and type(key) is int and -len(owner) <= key < len(owner):
            return owner[key]

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

def entered(node, frame):
    """How many items of a with statement the frame has entered that is somewhere in it."""
    line, first, last = frame.f_lineno or 0, node.body[0], node.items[-1].context_expr.end_lineno
    if line > last and line >= first.lineno:
        return len(node.items)
    positions = getattr(frame.f_code, 'co_positions', None) # of Python 3.11
    column = list(positions())[max(frame.f_lasti, 0) // 2][2] if positions is not None else None
    if line == first.lineno and column is not None and column >= first.col_offset:
        return len(node.items)
    at, count = 0, 0
    for i in dis.get_instructions(frame.f_code):
        starts = getattr(i, 'positions', None)
        at = (starts.lineno if starts is not None else i.starts_line) or at
        if i.offset < frame.f_lasti and i.opname in ('BEFORE_WITH', 'SETUP_WITH') and node.lineno <= at <= last:
            count += 1
    return min(count, len(node.items))

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
        inside = entered(node, frame)
        for i, item in enumerate(node.items):
            (holds if i < inside else waits).append(value(item.context_expr, frame))
    for call in calls(function, 'acquire'):
        x = value(call.func.value, frame)
        if call.lineno <= line <= call.end_lineno:
            waits.append(x)
        elif call.end_lineno < line and not any(call.lineno < r.lineno < line and value(r.func.value, frame) is x
                                                for r in calls(function, 'release')):
            holds.append(x)
    return waits, holds

def outside(frame):
    """The frame that the debugger has stopped, else the frame itself."""
    at, stopped = frame, False
    while at is not None:
        module = at.f_globals.get('__name__', '')
        debugger = module.startswith(('pydevd', '_pydev', 'debugpy'))
        if not debugger and module != 'threading':
            break
        at, stopped = at.f_back, stopped or debugger
    return at if stopped and at is not None else frame

def places(frame):
    """The places of a thread, innermost first."""
    found = []
    while frame is not None and len(found) < DEEPEST:
        found.append([frame.f_code.co_name] + place(frame)[1:])
        frame = frame.f_back
    return found

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
    inner = {i: f for i, f in sys._current_frames().items() if i in every and i != here}
    frames = {i: outside(f) for i, f in inner.items()}
    if want == 'places':
        return [{'name': every[i].name, 'places': places(f)} for i, f in frames.items()]
    frames[here] = sys._getframe()
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
        if i == here or frame is not inner[i]:
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
        if not word:
            found.append({'name': every[i].name, 'for': '', 'places': places(frame)})
        else:
            names = [every[k].name for k in holders if k in every]
            found.append({'name': every[i].name, 'for': word, 'on': '%s at 0x%x' % (type(on).__name__, id(on)),
                          'heldBy': names, 'likely': likely and bool(names)})
    return found

asyncio = sys.modules.get('asyncio')
answer = {}
try:
    if asyncio is not None and want == 'callers':
        answer['callers'] = callers()
    if want in ('places', 'waits'):
        answer['threads'] = threads()
        if want == 'waits' and asyncio is not None:
            answer['tasks'], answer['omitted'] = pending()
except Exception as problem:
    answer['problem'] = type(problem).__name__ + ': ' + str(problem)
answer = json.dumps(answer)

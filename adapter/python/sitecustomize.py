# Put in front of PYTHONPATH by breakwire while it starts a Python program under debugpy, and gone again soon after.
#
# debugpy's processes talk over TCP in small pieces, and wait 40 ms for each other at every one, because the system holds
# back small pieces. This turns that off for debugpy's own connections, and for nothing else. A program whose interpreter has
# no debugpy finds the adapter's. A sitecustomize of the user's is run as if this one were not there.
import os
import sys


def _words():
    """The command line behind the interpreter's options; sys.argv is not yet complete."""
    words = getattr(sys, "orig_argv", None)  # Python 3.10
    if words is None:
        try:
            with open("/proc/self/cmdline", "rb") as f:
                words = [os.fsdecode(w) for w in f.read().split(b"\0")]
        except OSError:
            words = []
    words = words[1:]
    while words and words[0].startswith("-") and words[0][1:2] not in ("m", "c", ""):
        del words[: 2 if words[0] in ("-X", "-W", "--check-hash-based-pycs") else 1]
    return words


def _is_debugger(words):
    """Whether this process is debugpy's adapter or launcher, and not the program."""
    return any(
        w == "debugpy.adapter" or w.replace("\\", "/").rstrip("/").endswith(("/debugpy/adapter", "/debugpy/launcher"))
        for w in words[:2]
    )


def _hide(here):
    """Takes the folder out of what the program and its children see."""
    rest = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p != here]
    if any(rest):
        os.environ["PYTHONPATH"] = os.pathsep.join(rest)
    else:
        os.environ.pop("PYTHONPATH", None)


def _no_delay(everybody):
    import socket

    cls = socket.socket
    connect, accept = cls.connect, cls.accept

    def ours(frame):
        return everybody or frame.f_globals.get("__name__", "").startswith(("debugpy", "pydevd", "_pydev"))

    def set_option(s):
        try:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, AttributeError):
            pass  # no TCP

    def connect_without_delay(self, address):
        result = connect(self, address)
        if ours(sys._getframe(1)):
            set_option(self)
            if not everybody:
                del cls.connect  # the program's process makes one such connection
        return result

    def accept_without_delay(self):
        result = accept(self)
        if ours(sys._getframe(1)):
            set_option(result[0])
        return result

    cls.connect = connect_without_delay
    if everybody:
        cls.accept = accept_without_delay


def _lend(words):
    """Lets debugpy find what Linux distributions keep beside it, in an interpreter that lacks it. The program does not."""
    place = words[0] if words else ""
    if os.path.basename(place) != "debugpy" or not os.path.isdir(place):
        return
    from importlib.machinery import PathFinder

    folder = os.path.dirname(os.path.abspath(place))
    lent = {"debugpy"}

    def is_debuggers(module):
        top = module.partition(".")[0]
        return top in lent or top.startswith(("pydev", "_pydev"))

    class Lender:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if path is not None:
                return None
            importer = sys._getframe(1)
            while importer and importer.f_globals.get("__name__", "").startswith(("importlib", "_frozen_importlib")):
                importer = importer.f_back
            if not is_debuggers(name) and not (importer and is_debuggers(importer.f_globals.get("__name__") or "")):
                return None
            spec = PathFinder.find_spec(name, [folder])
            if spec is not None:
                lent.add(name)
            return spec

    for function in is_debuggers, Lender.find_spec:
        # The debugger passes over frozen code: else an import that fails would be a stop or a step in here.
        if hasattr(function.__code__, "replace"):
            function.__code__ = function.__code__.replace(co_filename="<frozen breakwire>")
    sys.meta_path.append(Lender)


def _next_one():
    """Runs the sitecustomize that Python would have found."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def _start():
    here = os.path.dirname(os.path.abspath(__file__))
    words = _words()
    debugger = _is_debugger(words)
    try:
        if debugger or any("debugpy" in w for w in words[:2]):
            _no_delay(debugger)
    except Exception:  # it is only slower
        pass
    if not debugger:
        _lend(words)
    sys.path[:] = [p for p in sys.path if os.path.abspath(p) != here]
    if not debugger:
        _hide(here)
    _next_one()


_start()

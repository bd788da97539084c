def make(b):
 import json,os,sys,threading,time
 try:
  from _pydevd_bundle.pydevd_safe_repr import SafeRepr
 except Exception:
  SafeRepr=lambda:repr
 try:
  from _pydevd_bundle.pydevd_constants import get_current_thread_id,get_global_debugger
  from _pydevd_bundle._debug_adapter.pydevd_base_schema import BaseSchema
  d=get_global_debugger()
 except Exception:
  pass
 codes=dict()
 def ev(x,g,l):
  c=codes.get(x)
  if c is None:
   c=codes[x]=b.compile(x,"<tracepoint>","eval")
  if any(hasattr(k,"co_code") for k in c.co_consts):
   g=dict(g);g.update(l);l=g
  return b.eval(c,g,l)
 def text(v):
  return (v if type(v) is str else SafeRepr()(v))[:8192]
 def err():
  t,e=sys.exc_info()[:2]
  try:
   s=str(e)
  except BaseException:
   s=""
  return t.__name__+": "+s if s else t.__name__
 def hit(id,cond,exprs,g,l):
  bad=None
  if cond:
   try:
    if not ev(cond,g,l):
     return ""
   except BaseException:
    bad=err()
  out=[]
  for x in exprs:
   try:
    out.append([1,text(ev(x,g,l))])
   except BaseException:
    out.append([0,err()])
  t=threading.current_thread()
  count(id)
  return "\x1eT"+id+"\x1f"+json.dumps([thread(t),t.name,bad,out])+"\x1e"
 def thread(t):
  try:
   return BaseSchema._translate_id_to_dap(get_current_thread_id(t))
  except Exception:
   return 0
 lock=__import__("_thread").allocate_lock()
 passed=dict()
 def send(kind,id,what):
  p=get_global_debugger() or d
  p.writer.add_command(p.cmd_factory.make_io_message("\x1e"+kind+id+"\x1f"+json.dumps(what)+"\x1e\n","1"))
 def due(k,op,n):
  if op=="":
   return True
  if op==">=":
   return k>=n
  if op=="<=":
   return k<=n
  if op==">":
   return k>n
  if op=="<":
   return k<n
  return k==n if op=="==" else divmod(k,n)[1]==0
 def compiled():
  for lines in list(d.breakpoints.values())+[d.function_breakpoint_name_to_breakpoint]:
   for p in list(lines.values()):
    if type(p.condition) is str and "_breakwire_pass_" in p.condition:
     p.condition=b.compile(p.condition,"<breakwire>","eval")
 def halts(id,cond,op,n,base,g,l):
  try:
   if sys._getframe(1).f_code.co_filename!="<breakwire>":
    compiled()
  except Exception:
   pass
  bad=None
  met=True
  if cond:
   try:
    met=bool(ev(cond,g,l))
   except BaseException:
    bad=err()
  with lock:
   p=passed.get(id)
   if p is None:
    p=passed[id]=[base,0,0,0]
   if not met:
    p[2]+=1
    return False
   k=p[0]=max(p[0],base)+1
   if bad is None and not due(k,op,n):
    p[1]+=1
    return False
   p[3]=p[1]+p[2]
   try:
    send("H",id,[thread(threading.current_thread()),p[1],p[2],bad])
   except Exception:
    pass
   return True
 def tell():
  with lock:
   for id,p in passed.items():
    if p[3]!=p[1]+p[2]:
     p[3]=p[1]+p[2]
     send("C",id,[0,p[1],p[2],None])
 sent=dict()
 def count(id):
  with lock:
   if sent.get("pid")!=os.getpid():
    sent.clear();sent["pid"]=os.getpid()
   sent[id]=sent.get(id,0)+1
  end=time.time()+2
  while waiting()>500 and time.time()<end:
   time.sleep(0.001)
 def waiting():
  try:
   w=get_global_debugger().writer
   return w._cmd_queue.qsize() if w.is_alive() else 0
  except Exception:
   return 0
 class Ear:
  def __init__(self):
   self.heard=False
  def before_send(self,m):
   pass
  def after_receive(self,m):
   if m.get("command")=="setDebuggerProperty" and "breakwire" in m.get("arguments",()):
    self.heard=True
 def drain():
  p=get_global_debugger()
  if p is None or p.pydb_disposed:
   return
  tell()
  with lock:
   n=dict(sent)
  n=dict(n) if n.pop("pid",None)==os.getpid() else None
  ear=Ear()
  if n and threading.current_thread() is not p.reader:
   p.add_dap_messages_listener(ear)
   send("E","hits",n)
  else:
   ear.heard=True
  left=waiting()
  end=time.time()+4
  while (waiting() or not ear.heard) and time.time()<end and p.writer.is_alive():
   if waiting()<left:
    left=waiting();end=time.time()+4
   time.sleep(0.005)
 def before(f,alone):
  def first(*a,**k):
   try:
    if alone:
     sys.settrace(None)
    drain()
   except Exception:
    pass
   return f(*a,**k)
  return first
 try:
  internal=d.process_internal_commands
  def often(*a,**k):
   tell()
   return internal(*a,**k)
  d.process_internal_commands=often
  c=type(d)
  c.dispose_and_kill_all_pydevd_threads=before(c.dispose_and_kill_all_pydevd_threads,False)
  os._exit=before(os._exit,True)
 except Exception:
  pass
 b._breakwire_hit_3=hit
 b._breakwire_pass_3=halts
make(b)

def make(b):
 import json,sys,threading
 try:
  from _pydevd_bundle.pydevd_safe_repr import SafeRepr
 except Exception:
  SafeRepr=lambda:repr
 try:
  from _pydevd_bundle.pydevd_constants import get_current_thread_id,get_global_debugger
  from _pydevd_bundle._debug_adapter.pydevd_base_schema import BaseSchema
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
  return "\x1eT"+id+"\x1f"+json.dumps([thread(t),t.name,bad,out])+"\x1e"
 def thread(t):
  try:
   return BaseSchema._translate_id_to_dap(get_current_thread_id(t))
  except Exception:
   return 0
 lock=__import__("_thread").allocate_lock()
 passed=dict()
 def send(kind,id,what):
  d.writer.add_command(d.cmd_factory.make_io_message("\x1e"+kind+id+"\x1f"+json.dumps(what)+"\x1e\n","1"))
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
 try:
  import time
  d=get_global_debugger()
  internal=d.process_internal_commands
  def often(*a,**k):
   tell()
   return internal(*a,**k)
  d.process_internal_commands=often
  dispose=d.dispose_and_kill_all_pydevd_threads
  def drain(*a,**k):
   end=time.time()+4
   try:
    tell()
    while not d.writer._cmd_queue.empty() and time.time()<end:
     time.sleep(0.01)
   except Exception:
    pass
   return dispose(*a,**k)
  d.dispose_and_kill_all_pydevd_threads=drain
 except Exception:
  pass
 b._breakwire_hit_2=hit
 b._breakwire_pass_2=halts
make(b)

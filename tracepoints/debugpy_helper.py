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
  try:
   n=BaseSchema._translate_id_to_dap(get_current_thread_id(t))
  except Exception:
   n=0
  return "\x1eT"+id+"\x1f"+json.dumps([n,t.name,bad,out])+"\x1e"
 try:
  import time
  d=get_global_debugger()
  dispose=d.dispose_and_kill_all_pydevd_threads
  def drain(*a,**k):
   end=time.time()+4
   try:
    while not d.writer._cmd_queue.empty() and time.time()<end:
     time.sleep(0.01)
   except Exception:
    pass
   return dispose(*a,**k)
  d.dispose_and_kill_all_pydevd_threads=drain
 except Exception:
  pass
 b._breakwire_hit_1=hit
make(b)

"""The Skewb, and the Skewb Diamond."""
NAMES = ("skewb",)
from cubesolve.rules.defined import DefinedRules, Pinned
from cubesolve.rules.geometry import Piece, Cut, solid, dot, cross
F={"U":(0,1,0),"R":(1,0,0),"F":(0,0,1),"D":(0,-1,0),"L":(-1,0,0),"B":(0,0,-1)}
def add(*vs): return tuple(map(sum, zip(*vs)))
def ordered(place, normals):
    a,b,c=normals
    if dot(cross(a,b),place)>0: return (a,c,b)
    return (a,b,c)
def corner(name): 
    p=add(*(F[c] for c in name)); return Piece(name,p,tuple(F[c] for c in name))
def rules(name):
    if name!="skewb": return None
    corners=[corner(c) for c in "URF UFL ULB UBR DFR DLF DBL DRB".split()]
    cent=[Piece(f,tuple(2*x for x in v),(v,)) for f,v in F.items()]
    d=solid("skewb",{"CORNERS":corners,"CENTRES":cent},{k:Cut(corner(n).place,0,3) for k,n in zip("RULB",["DRB","ULB","DLF","DBL"])}).definition
    return DefinedRules(d,title="Skewb")

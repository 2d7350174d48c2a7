# Corners of a 2x2x2 that are only turned by half, URF UFL ULB UBR DFR DLF DBL DRB
U2 := (1,3)(2,4);
R2 := (1,8)
      (4,5);
F2 := (1,6)(2,5);
gens := [U2, R2, F2];

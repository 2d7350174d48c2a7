# The same two rings, of beads that are all different
L := (1,2,3,4,5,6);
R := (3,7,8,9,5,10);

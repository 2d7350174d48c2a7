# Six wedges of a disk, each with one side up or the other; three next to each other turn over together.
F0 := (1,6)(2,5)(3,4);
F1 := (3,8)(4,7)(5,6);
F2 := (5,10)(6,9)(7,8);
F3 := (7,12)(8,11)(9,10);
F4 := (11,12)(1,10)(2,9);
F5 := (3,12)(4,11)(1,2);
x := (10,12,2,4,6,8)(9,11,1,3,5,7);
y := (1,12)(2,11)(3,10)(4,9)(5,8)(6,7);

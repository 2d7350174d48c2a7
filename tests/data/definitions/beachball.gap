# A Skewb with four colours: two of the cuts divide the solved one into segments of one colour.
T_0 := (10,11,9)(4,5,2);
T_1 := (10,14,12)(4,7,5);
T_2 := (13,14,9)(2,7,4);
T_3 := (12,13,11)(5,7,2);
ip := [[1,2],[3,6],[4,5],[7,8],[9,11],[12,14]];

/* Solves the cubes on standard input by min2phase; prints for each the microseconds of the processor, and the moves.
   With a number of seconds, it improves each solution for so long.

   javac -d CLASSES MIN2PHASE/src/*.java bench_min2phase.java
   java -cp CLASSES Bench LONGEST [SECONDS] < cubes.txt
*/

import cs.min2phase.Search;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;

class Bench {
    private static final int WARMING = 300;
    private static final int PROBES = 200;  // between two readings of the clock

    public static void main(String[] arguments) throws Exception {
        int longest = Integer.parseInt(arguments[0]);
        double seconds = arguments.length > 1 ? Double.parseDouble(arguments[1]) : 0;
        List<String> cubes = new BufferedReader(new InputStreamReader(System.in)).lines().toList();
        Search.init();
        Search search = new Search();
        for (String cube : cubes.subList(0, Math.min(WARMING, cubes.size()))) {
            search.solution(cube, longest, 100000000, 0, 0);
        }
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        for (String cube : cubes) {
            long began = clock.getCurrentThreadCpuTime();
            String alg = search.solution(cube, longest, 100000000, 0, 0);
            while (clock.getCurrentThreadCpuTime() - began < seconds * 1e9) {
                String shorter = search.next(PROBES, 0, 0);
                alg = shorter.startsWith("Error") ? alg : shorter;
            }
            System.out.println((clock.getCurrentThreadCpuTime() - began) / 1e3 + " " + alg);
        }
    }
}

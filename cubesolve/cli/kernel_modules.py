"""Every module that defines kernels, imported so that it registers them."""

import cubesolve.catalog.clock.optimal
import cubesolve.catalog.pocket.facelets
import cubesolve.catalog.rubik.bounds
import cubesolve.catalog.rubik.two_phase.kernels
import cubesolve.catalog.rubik.two_phase.tables
import cubesolve.catalog.square1.search
import cubesolve.catalog.square1.tables
import cubesolve.encodings.batch
import cubesolve.encodings.counting
import cubesolve.encodings.kernels
import cubesolve.encodings.mod3_proof
import cubesolve.encodings.packed
import cubesolve.encodings.proof
import cubesolve.encodings.shards
import cubesolve.search.annealing
import cubesolve.search.chain
import cubesolve.search.commutators
import cubesolve.search.gaps
import cubesolve.search.hashed
import cubesolve.search.ida_star
import cubesolve.search.insertions
import cubesolve.search.phases
import cubesolve.search.sliding
import cubesolve.search.three_cycles
import cubesolve.spaces.derive
import cubesolve.spaces.derived
import cubesolve.spaces.gathers
import cubesolve.spaces.representatives
import cubesolve.spaces.vectors  # noqa: F401

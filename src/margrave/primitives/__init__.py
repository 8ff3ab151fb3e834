"""What every floor stands on: the compiler's decorator, exp, random numbers, short floats, threads, array types."""

from margrave.primitives.compilation import exact_kernel, inlined_kernel, kernel, on_first_compilation
from margrave.primitives.exponential import exp
from margrave.primitives.memory import for_reading
from margrave.primitives.once import once
from margrave.primitives.parallel import effective_n_jobs, even_slices, for_each, one_blas_thread
from margrave.primitives.random import Words, random_words, shuffle
from margrave.primitives.short_floats import ShortFloats, lengthened, shortened
from margrave.primitives.types import AnyArray, Booleans, Floats, Integers, Labels

__all__ = [
    "AnyArray",
    "Booleans",
    "Floats",
    "Integers",
    "Labels",
    "ShortFloats",
    "Words",
    "effective_n_jobs",
    "even_slices",
    "exact_kernel",
    "exp",
    "for_each",
    "for_reading",
    "inlined_kernel",
    "kernel",
    "lengthened",
    "on_first_compilation",
    "once",
    "one_blas_thread",
    "random_words",
    "shortened",
    "shuffle",
]

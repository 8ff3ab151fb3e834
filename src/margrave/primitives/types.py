"""Names of the array types that the library passes around."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Labels = NDArray[np.int32]
Booleans = NDArray[np.bool_]
AnyArray = NDArray[Any]

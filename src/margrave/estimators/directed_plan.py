"""What a fit of a directed label model is asked for, checked before there are data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margrave.losses import Loss
from margrave.scores import Kernel
from margrave.solvers import BinarySolver


@dataclass(frozen=True, eq=False)
class Plan:
    """The parameters of a fit, with objects in place of names; see `LMSBNClassifier`."""

    C: Any
    parents: Any
    order: Any
    n_orders: int
    clique_size: int
    clique_features: Any
    kernel: Kernel
    kernel_on: str
    n_components: int | None
    loss: Loss
    solver: BinarySolver
    calibration: int | None
    class_weight: Any
    random_state: Any

    def __post_init__(self) -> None:
        for name, least in (("n_orders", 1), ("clique_size", 2), ("n_components", 1), ("calibration", 2)):
            value = getattr(self, name)
            if value is None and name in ("n_components", "calibration"):
                continue
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
                raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
        if self.kernel_on not in ("x", "x+parents"):
            raise ValueError(f"kernel_on must be 'x' or 'x+parents', got {self.kernel_on!r}")
        if self.joint and (self.named_parents != "full" or self.clique_features is not None or self.clique_size != 2):
            raise ValueError("kernel_on='x+parents' takes all labels before as parents; leave the rest alone")
        if self.joint and (self.n_components is not None or self.kernel.name == "precomputed"):
            raise ValueError("kernel_on='x+parents' needs features and the whole Gram matrix; use kernel_on='x'")
        if self.kernel.name == "precomputed" and self.clique_features is not None and self.calibration is not None:
            raise ValueError("calibration of a precomputed kernel takes no clique_features: folds have other columns")

        seed = self.random_state
        if not (seed is None or (isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0)):
            raise ValueError(f"random_state must be a whole number of at least 0, or None, got {seed!r}")

    @property
    def named_parents(self) -> str | None:
        """What `parents` says by name; None where they are listed."""
        return self.parents if isinstance(self.parents, str) else None

    @property
    def joint(self) -> bool:
        """Whether parents are inside the kernel."""
        return self.kernel_on == "x+parents"

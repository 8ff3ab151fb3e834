"""The comparison of section 4: measures and prediction time of every model, settings chosen on the training set."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scipy import sparse

from margrave.estimators import LMSBNClassifier, ThresholdTunedClassifier
from margrave.metrics import multilabel_scores
from margrave.papers.lmsbn.data import Split, split_of
from margrave.papers.results import write_csv
from margrave.papers.selection import MEASURES, Parameters, Selection
from margrave.scores import Kernel

#: C of linear models, C of kernels, and multiples of a kernel's own γ.
LINEAR_CS, KERNEL_CS, GAMMAS = (0.03, 0.1, 0.3, 1.0, 3.0), (1.0, 3.0, 10.0), (0.5, 1.0, 2.0, 4.0)
#: Orders that are averaged, and fewer for sets of more labels, where a search of their mean is long.
N_ORDERS, FEW_ORDERS, MANY_LABELS = 12, 3, 20
Report = Callable[[str], None]


class Table:
    """One run of the comparison on one set.

    Parameters
    ----------
    split : Split
    n_jobs : int
    seed : int
    report : function of text
        Told what is being done.
    small : bool
        A trial: one setting each, two folds, three orders.
    """

    def __init__(self, split: Split, n_jobs: int, seed: int, report: Report, small: bool = False) -> None:
        self._split, self._n_jobs, self._seed, self._report, self._small = split, n_jobs, seed, report, small
        self._selection = Selection(split.X_train, split.Y_train, 2 if small else 5, seed)
        self._n_orders = FEW_ORDERS if small or split.Y_train.shape[1] > MANY_LABELS else N_ORDERS
        self.rows: list[dict[str, Any]] = []

    def run(self) -> list[dict[str, Any]]:
        """All rows: what the paper has first, then ours."""
        C = self._linear("BCl", parents="none")
        self._thresholds("TSBC linear", C, {})
        self._linear("LMSBNlo")
        C = self._linear("LMSBNlf", order="f_score")
        order = self._last.orders_[0]
        self._decodings("LMSBNlf", {**C, "order": order})
        self._linear("SBN (log-loss)", order=order, loss="log")
        self._add(f"LMSBNlf, {self._n_orders} orders", "linear", {**C, "order": order, "n_orders": self._n_orders})
        if self._split.Y_train.shape[1] <= MANY_LABELS:
            self._add("order of least loss", "linear", {**C, "order": "loss"})
        if not sparse.issparse(self._split.X_train):
            self._kernels(order)
        return self.rows

    @property
    def choices(self) -> list[dict[str, Any]]:
        """Every setting that was looked at."""
        return self._selection.rows

    # ------------------------------------------------------------------

    def _kernels(self, order: Any) -> None:
        C = self._kernel("BCk rbf", "rbf", parents="none")
        self._thresholds("TSBC rbf", C, {"kernel": "rbf"})
        self._kernel("LMSBNkf rbf, the linear model's order", "rbf", order=order)
        self._kernel("LMSBN rbf, label order", "rbf")
        joint = self._kernel("LMSBN rbf, its own order", "rbf", order="f_score")
        if self._split.Y_train.shape[1] <= 8:
            self._add(
                "LMSBN rbf of features and parents",
                "rbf",
                {**joint, "order": self._last.orders_[0]},
                kernel_on="x+parents",
            )
        if self._split.X_train.min() < 0:
            return
        chosen = self._kernel("LMSBN chi2, its own order", "chi2", order="f_score")
        ours = {**chosen, "order": self._last.orders_[0]}
        self._decodings("LMSBN chi2, its own order", {**ours, "kernel": "chi2"})
        several = {**ours, "n_orders": self._n_orders}
        self._add(f"LMSBN chi2, {self._n_orders} orders", "chi2", several)
        self._decodings(f"LMSBN chi2, {self._n_orders} orders", {**several, "kernel": "chi2"})

    def _linear(self, name: str, **fixed: Any) -> Parameters:
        grid = [{"C": C} for C in LINEAR_CS[:1] if self._small] or [{"C": C} for C in LINEAR_CS]
        chosen = self._selection.choose(name, lambda setting: self._make({**fixed, **setting}), grid)
        self._add(name, "linear", chosen, **fixed)
        return chosen

    def _kernel(self, name: str, kernel: str, **fixed: Any) -> Parameters:
        gamma = float(Kernel(kernel).settled(self._split.X_train).gamma or 1.0)
        factors, penalties = (GAMMAS[1:2], KERNEL_CS[1:2]) if self._small else (GAMMAS, KERNEL_CS)
        grid = [{"C": C, "gamma": factor * gamma} for factor in factors for C in penalties]
        make = {"kernel": kernel, **fixed}
        chosen = self._selection.choose(name, lambda setting: self._make({**make, **setting}), grid)
        self._add(name, kernel, chosen, **fixed)
        return chosen

    def _thresholds(self, name: str, chosen: Parameters, fixed: Parameters) -> None:
        """Independent classifiers with tuned cuts, at the classifiers' own setting."""
        base = self._make({**fixed, **chosen, "parents": "none"})
        for target in ("exact_match", "f1_micro", "f1_macro"):
            tuned = ThresholdTunedClassifier(base, target=target, random_state=self._seed)
            self._measure(f"{name}, tuned for {target}", tuned, {}, None)

    def _decodings(self, name: str, setting: Parameters) -> None:
        """The same model, calibrated, decoded for a measure."""
        model = self._make({**setting, "calibration": 2 if self._small else 5})
        for decode in ("hamming", "f1"):
            self._measure(f"{name}, decoded for {decode}", model, {"t": "calibrated"}, decode)

    def _add(self, name: str, kernel: str, setting: Parameters, **fixed: Any) -> None:
        model = self._make({"kernel": kernel, **fixed, **setting})
        self._measure(name, model, {key: setting[key] for key in ("C", "gamma") if key in setting}, None)

    def _make(self, setting: Parameters) -> LMSBNClassifier:
        return LMSBNClassifier(**{"n_jobs": self._n_jobs, "random_state": self._seed, **setting})

    def _measure(self, name: str, model: Any, setting: Parameters, decode: str | None) -> None:
        self._report(name)
        split = self._split
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # labels that never change in training
            self._last = model.fit(split.X_train, split.Y_train)
        began = time.perf_counter()
        predicted = model.predict(split.X_test) if decode is None else model.predict(split.X_test, decode=decode)
        seconds = time.perf_counter() - began
        scores = multilabel_scores(split.Y_test, predicted)
        row: dict[str, Any] = {"model": name, **{measure: round(scores[measure], 4) for measure in MEASURES}}
        row["milliseconds per example"] = round(1e3 * seconds / len(predicted), 4)
        self.rows.append({**row, **{key: _rounded(value) for key, value in setting.items()}})


def _rounded(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def make_table(
    data: str, folder: Path, n_jobs: int, seed: int = 0, report: Report = lambda name: None, small: bool = False
) -> list[dict[str, Any]]:
    """Recompute the comparison on a set; writes it, and what settings were chosen from, as CSV."""
    table = Table(split_of(data, 120 if small else None), n_jobs, seed, report, small)
    rows = table.run()
    write_csv(folder / f"table_{data}.csv", rows)
    write_csv(folder / f"table_{data}_choices.csv", table.choices)
    return rows

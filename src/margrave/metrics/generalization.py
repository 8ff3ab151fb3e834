"""How far the loss of a learner can be from that of its class: Lemma 7 and Theorem 8 for linear models."""

import math
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

Confidence: TypeAlias = Literal["log(d/delta)", "d*log(1/delta)"]
PenaltyRule: TypeAlias = Literal["d/delta", "log(d/delta)", "d*log(1/delta)"]


def rademacher_bound(feature_norms: ArrayLike, weight_bound: ArrayLike) -> float:
    """Lemma 7 in closed form for linear classes: (2/N) Σ_i B_i √(Σ_l ‖f_il‖²).

    For the sums of hinges L(w) = Σ_i [1 − w_i·f_i]_+ with ‖w_i‖ ≤ B_i, where f_il are the features of label i in
    example l (the parents of i among them), each multiplied by y_i, which leaves their norm alone:

    1. symmetrisation: E sup_w (E L − mean of L over the sample) ≤ 2 E[R̂], R̂ = E_σ sup_w (1/N) Σ_l σ_l L_l(w) with signs
       σ_l of ±1 (the 2 is inside of R_N in the definition that the paper cites);
    2. the supremum of a sum is at most the sum of suprema: one term per label;
    3. contraction: z ↦ [1 − z]_+ has the Lipschitz constant 1 (and the constant 1 has a mean of 0 under the signs), so
       the term of label i is at most E_σ sup (1/N) Σ_l σ_l w_i·f_il = (B_i/N) E_σ ‖Σ_l σ_l f_il‖;
    4. Jensen: E_σ ‖Σ_l σ_l f_il‖ ≤ √(Σ_l ‖f_il‖²), which loses at most a factor √2.

    With ‖f_il‖ ≤ B it is at most 2 Σ_i B_i B / √N.

    Parameters
    ----------
    feature_norms : array-like (N, K), or (N,) for one label
        ‖f_il‖ of each example and label.
    weight_bound : float or array-like (K,)
        B_i; one number holds for every label.

    Returns
    -------
    float
        Its mean over samples of N bounds E sup_w (E L − mean of L over the sample); with bounds on the norms for the
        norms, it does so itself.

    References
    ----------
    .. [1] X. Miao, R. Rao, "Large margin Boltzmann machines and large margin sigmoid belief networks", 2010, Lemma 7.
    .. [2] P. Bartlett, S. Mendelson, "Rademacher and Gaussian complexities", JMLR 3, 2002.
    .. [3] M. Ledoux, M. Talagrand, "Probability in Banach spaces", Springer, 1991, Theorem 4.12.

    Examples
    --------
    >>> rademacher_bound([[1.0, 2.0]] * 100, weight_bound=3.0)
    1.8
    """
    norms = np.asarray(feature_norms, dtype=np.float64)
    norms = norms[:, None] if norms.ndim == 1 else norms
    if norms.ndim != 2 or not len(norms):
        raise ValueError(f"feature_norms: expected the shape (N, K) with N > 0, got {np.shape(feature_norms)}")
    bounds = np.broadcast_to(np.asarray(weight_bound, dtype=np.float64), norms.shape[1:])
    if not ((norms >= 0).all() and (bounds >= 0).all()):
        raise ValueError("feature_norms, weight_bound: expected numbers of at least 0, got another")
    return float(2 / len(norms) * (bounds * np.sqrt((norms**2).sum(axis=0))).sum())


def excess_loss_bound(
    n_examples: int,
    delta: float,
    *,
    feature_bound: float,
    weight_norm: float,
    clique_size: int = 1,
    constant: float = 1.0,
    form: Confidence = "log(d/delta)",
) -> float:
    """Theorem 8: with probability 1 − δ over the sample, L(ŵ) ≤ L(w_o) + c B ‖w_o‖ √(log(d/δ) / N).

    L is the expected loss, w_o its minimiser, and ŵ that of (1/N) Σ_l L(w; x_l, y_l) + λ‖w‖² with the λ of
    `penalty_rule`; Σ_j f_j² < B². The error follows by `error_bound`. Theorem 4.4 of the earlier paper prints
    d log(1/δ) where Theorem 8 prints log(d/δ); they agree for d = 1, which is the case of belief networks, where each
    feature is in one z_i. The constant c is not given (the theorem is stated with O): with a number of your own, the
    result is an order of magnitude, no certificate.

    Parameters
    ----------
    n_examples : int
        N.
    delta : float
        δ, between 0 and 1.
    feature_bound : float
        B.
    weight_norm : float
        ‖w_o‖.
    clique_size : int
        d, in how many z_i a feature may be: 1 for LMSBNs, the largest clique for LMBMs.
    constant : float
        c.
    form : {"log(d/delta)", "d*log(1/delta)"}
        Which of the two printed forms.

    Returns
    -------
    float
        c B ‖w_o‖ √(log(d/δ) / N), or c B ‖w_o‖ √(d log(1/δ) / N).

    References
    ----------
    .. [1] X. Miao, R. Rao, "Large margin Boltzmann machines and large margin sigmoid belief networks", 2010, Theorem 8.
    .. [2] X. Miao, R. Rao, "Large margin Boltzmann machines", IJCAI 2009, Theorem 4.4.
    .. [3] S. Shalev-Shwartz, N. Srebro, K. Sridharan, "Fast rates for regularized objectives", NIPS 2008, Corollary 4.

    Examples
    --------
    >>> round(excess_loss_bound(10_000, 0.05, feature_bound=2.0, weight_norm=3.0), 4)
    0.1038
    """
    if form not in {"log(d/delta)", "d*log(1/delta)"}:
        raise ValueError(f"form: expected 'log(d/delta)' or 'd*log(1/delta)', got {form!r}")
    factor = _confidence(n_examples, delta, clique_size, form)
    return constant * feature_bound * weight_norm * math.sqrt(factor / n_examples)


def penalty_rule(
    n_examples: int,
    delta: float,
    *,
    feature_bound: float,
    weight_norm: float,
    clique_size: int = 1,
    constant: float = 1.0,
    form: PenaltyRule = "d/delta",
) -> float:
    """Theorem 8's λ = c B √(d/δ) / (‖w_o‖ √N), for the penalty λ‖w‖² beside the mean loss.

    Both papers print d/δ. The penalty at w_o is then c B ‖w_o‖ √(d/δ) / √N, which grows faster than the excess loss of
    the same theorem as δ goes to 0: a logarithm is missing. The other two forms put it back, and make λ‖w_o‖² equal to
    `excess_loss_bound`. With λ, C of ½‖w‖² + C Σ loss is 1 / (2 λ N).

    Parameters
    ----------
    n_examples, delta, feature_bound, weight_norm, clique_size, constant
        As in `excess_loss_bound`; `weight_norm` is above 0.
    form : {"d/delta", "log(d/delta)", "d*log(1/delta)"}
        What stands below the root.

    Returns
    -------
    float
        λ.

    References
    ----------
    .. [1] X. Miao, R. Rao, "Large margin Boltzmann machines and large margin sigmoid belief networks", 2010, Theorem 8.

    Examples
    --------
    >>> round(penalty_rule(10_000, 0.25, feature_bound=2.0, weight_norm=4.0), 4)
    0.01
    >>> l = penalty_rule(10_000, 0.25, feature_bound=2.0, weight_norm=4.0, form="log(d/delta)")
    >>> bool(np.isclose(l * 4.0**2, excess_loss_bound(10_000, 0.25, feature_bound=2.0, weight_norm=4.0)))
    True
    """
    if form not in {"d/delta", "log(d/delta)", "d*log(1/delta)"}:
        raise ValueError(f"form: expected 'd/delta', 'log(d/delta)' or 'd*log(1/delta)', got {form!r}")
    if not weight_norm > 0:
        raise ValueError(f"weight_norm: expected a number above 0, got {weight_norm}")
    factor = _confidence(n_examples, delta, clique_size, form)
    return constant * feature_bound / weight_norm * math.sqrt(factor / n_examples)


def _confidence(n_examples: int, delta: float, clique_size: int, form: PenaltyRule) -> float:
    """What stands below the root, N apart."""
    if n_examples < 1:
        raise ValueError(f"n_examples: expected at least 1, got {n_examples}")
    if not 0 < delta < 1:
        raise ValueError(f"delta: expected a number between 0 and 1, got {delta}")
    if clique_size < 1:
        raise ValueError(f"clique_size: expected at least 1, got {clique_size}")
    if form == "d/delta":
        return clique_size / delta
    return math.log(clique_size / delta) if form == "log(d/delta)" else clique_size * math.log(1 / delta)

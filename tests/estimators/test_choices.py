import pytest

import margrave as mg
from margrave.estimators.choices import (
    BINARY_LOSSES,
    BINARY_SOLVERS,
    INFERENCES,
    LOSSES,
    SCORERS,
    SOLVERS,
    choose,
    choose_solver,
)


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (LOSSES, mg.losses.Loss),
        (INFERENCES, mg.inference.Inference),
        (SOLVERS, mg.solvers.Solver),
        (SCORERS, mg.scores.Scorer),
        (BINARY_LOSSES, mg.losses.Loss),
        (BINARY_SOLVERS, mg.solvers.BinarySolver),
    ],
)
def test_every_name_makes_an_object(table, kind):
    for name in table:
        assert isinstance(choose("parameter", name, table, kind), kind)


def test_objects_are_copied():
    given = mg.losses.SmoothedHinge(0.7)
    chosen = choose("loss", given, LOSSES, mg.losses.Loss)
    assert chosen is not given
    assert chosen.epsilon == 0.7


@pytest.mark.parametrize("given", ["Log", None, 3, mg.solvers.LBFGS(), mg.losses.LogLoss])
def test_anything_else_is_refused(given):
    with pytest.raises(ValueError, match=r"loss must be one of 'log', 'hinge', .* or an object of mg.losses; got "):
        choose("loss", given, LOSSES, mg.losses.Loss)


@pytest.mark.parametrize(
    ("loss", "solver"),
    [
        (mg.losses.LogLoss(), mg.solvers.LBFGS),
        (mg.losses.SmoothedHinge(), mg.solvers.LBFGS),
        (mg.losses.Hinge(), mg.solvers.FrankWolfe),
    ],
)
def test_the_usual_solver_of_a_loss(loss, solver):
    chosen = choose_solver(None, loss, tol=0.5, max_iter=7, random_state=None)
    assert type(chosen) is solver
    assert (chosen.tol, chosen.max_iter) == (0.5, 7)


def test_limits_not_given_are_the_solvers_own():
    chosen = choose_solver("frank_wolfe", mg.losses.Hinge(), tol=None, max_iter=None, random_state=4)
    own = mg.solvers.FrankWolfe()
    assert (chosen.tol, chosen.max_iter, chosen.random_state) == (own.tol, own.max_iter, 4)


def test_a_seed_goes_to_the_solver_that_is_named():
    assert choose_solver("lbfgs", mg.losses.LogLoss(), random_state=4).random_state == 4


@pytest.mark.parametrize("limit", ["tol", "max_iter", "random_state"])
def test_limits_beside_a_solver_object_are_refused(limit):
    with pytest.raises(ValueError, match=f"{limit} given beside a solver object; set it on the solver instead"):
        choose_solver(mg.solvers.FrankWolfe(), mg.losses.Hinge(), **{limit: 1})

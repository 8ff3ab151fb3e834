import pickle

from margrave.primitives import once


class Counter:
    n_calls = 0

    @once
    def value(self):
        """What it is."""
        self.n_calls += 1
        return [self.n_calls]


def test_worked_out_once_for_each_instance():
    one, other = Counter(), Counter()
    assert one.value is one.value and one.n_calls == 1
    assert other.value is not one.value
    assert Counter.value.__doc__ == "What it is."


def test_an_instance_may_be_given_another_value():
    one = Counter()
    one.__dict__["value"] = None
    assert one.value is None and one.n_calls == 0
    assert pickle.loads(pickle.dumps(one)).value is None

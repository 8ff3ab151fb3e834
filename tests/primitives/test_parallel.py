import os
import threading
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import ThreadpoolController

from margrave.primitives import effective_n_jobs, even_slices, for_each, one_blas_thread

# ---------------------------------------------------------------------------------------------------------- for_each


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 8])
@pytest.mark.parametrize("n_chunks", [0, 1, 2, 50])
def test_every_chunk_once(n_jobs, n_chunks):
    done = []
    for_each(done.append, range(n_chunks), n_jobs)
    assert sorted(done) == list(range(n_chunks))


def test_one_job_stays_in_this_thread_and_in_order():
    seen = []
    for_each(lambda chunk: seen.append((chunk, threading.get_ident())), range(5), 1)
    assert seen == [(chunk, threading.get_ident()) for chunk in range(5)]


def test_as_many_threads_as_asked_for_work_at_the_same_time():
    meeting = threading.Barrier(3, timeout=60)  # passes only if three threads wait in it together
    for_each(lambda _: meeting.wait(), range(3), 3)


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_an_exception_is_raised_here(n_jobs):
    def work(chunk):
        if chunk == 7:
            raise RuntimeError("chunk 7")

    with pytest.raises(RuntimeError, match="chunk 7"):
        for_each(work, range(20), n_jobs)


def test_no_work_is_left_behind_by_an_exception():
    running, lock = [0], threading.Lock()

    def work(chunk):
        with lock:
            running[0] += 1
        try:
            if chunk == 0:
                raise KeyboardInterrupt
        finally:
            with lock:
                running[0] -= 1

    with pytest.raises(KeyboardInterrupt):
        for_each(work, range(50), 3)
    assert running == [0]


def test_inside_itself():
    done = []
    for_each(lambda a: for_each(lambda b: done.append((a, b)), range(3), 3), range(4), 3)
    assert sorted(done) == [(a, b) for a in range(4) for b in range(3)]


def test_from_several_threads():
    def count(_):
        done = []
        for_each(done.append, range(30), 3)
        return sorted(done) == list(range(30))

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(count, range(12)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    for_each(lambda _: None, range(4), 3)  # now the parent has some
    child = os.fork()
    if child == 0:
        done = []
        for_each(done.append, range(10), 3)
        with one_blas_thread():
            pass
        os._exit(0 if sorted(done) == list(range(10)) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_n_jobs_as_in_scikit_learn(monkeypatch):
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    assert effective_n_jobs(None) == 1
    assert effective_n_jobs(3) == 3
    assert effective_n_jobs(-1) == joblib.cpu_count()
    with pytest.raises(ValueError, match="n_jobs"):
        effective_n_jobs(0)


@pytest.mark.parametrize(("limit", "n_threads"), [("1", 1), ("2", 2), ("64", 3), ("0", 1), ("", 3), ("many", 3)])
def test_no_more_threads_than_the_environment_allows(monkeypatch, limit, n_threads):
    monkeypatch.setenv("NUMBA_NUM_THREADS", limit)
    assert effective_n_jobs(3) == n_threads


def test_processes_of_a_search_share_the_cores():
    """Each fit of a search asks for every core: together they get each core once."""
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(effective_n_jobs)(-1) for _ in range(2))
    assert found == [max(1, joblib.cpu_count() // 2)] * 2


# -------------------------------------------------------------------------------------------------------- even_slices

weights = st.lists(st.integers(0, 20), max_size=40)


@given(weights, st.integers(1, 12))
def test_slices_cover_everything_once_in_order(weights, n_slices):
    slices = even_slices(np.cumsum(weights), n_slices)
    assert [i for a, b in slices for i in range(a, b)] == list(range(len(weights)))
    assert all(a < b for a, b in slices)
    assert len(slices) <= n_slices


@given(weights, st.integers(1, 12))
def test_no_slice_is_heavier_than_its_share_and_one_item(weights, n_slices):
    share = sum(weights) / n_slices
    for a, b in even_slices(np.cumsum(weights), n_slices):
        assert sum(weights[a:b]) <= share + max(weights[a:b])


def test_equal_weights_equal_slices():
    assert even_slices(np.arange(1, 13), 4) == [(0, 3), (3, 6), (6, 9), (9, 12)]


# ---------------------------------------------------------------------------------------------------- one_blas_thread


def blas_threads():
    return [library["num_threads"] for library in ThreadpoolController().select(user_api="blas").info()]


@pytest.fixture
def two_blas_threads():
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        yield blas_threads()


def test_blas_is_held_and_given_back(two_blas_threads):
    assert set(two_blas_threads) == {2}  # else the test below would show nothing
    with one_blas_thread():
        assert set(blas_threads()) == {1}
        with one_blas_thread():
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {1}
    assert blas_threads() == two_blas_threads


def test_blas_is_given_back_after_an_exception(two_blas_threads):
    with pytest.raises(RuntimeError, match="inside"), one_blas_thread():
        raise RuntimeError("inside")
    assert blas_threads() == two_blas_threads


def test_the_last_of_two_threads_gives_blas_back(two_blas_threads):
    inside, leave = threading.Event(), threading.Event()

    def hold():
        with one_blas_thread():
            inside.set()
            leave.wait(60)

    other = threading.Thread(target=hold)
    with one_blas_thread():
        other.start()
        assert inside.wait(60)
    assert set(blas_threads()) == {1}  # the first has gone, the second is still there
    leave.set()
    other.join(60)
    assert blas_threads() == two_blas_threads


def test_the_last_thread_leaves_the_setting_to_others(two_blas_threads):
    with ThreadPoolExecutor(1) as elsewhere:
        with one_blas_thread():
            pass
        assert elsewhere.submit(threads_inside).result() == {1}  # a thread that came second is heard as well
        assert blas_threads() == two_blas_threads
        with one_blas_thread():
            assert set(blas_threads()) == {1}
    assert blas_threads() == two_blas_threads


def threads_inside():
    with one_blas_thread():
        return set(blas_threads())

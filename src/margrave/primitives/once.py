"""A property that is worked out once."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class once(Generic[T]):  # noqa: N801  (a decorator, as `property` is one)
    """As `functools.cached_property`, without the lock that Python 3.11 holds for all instances together.

    That lock makes threads wait for each other's fits, and a child that is forked meanwhile waits for ever. Two threads
    may work the same value out twice; either is right.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Self | T:
        """The value, from now on an attribute of the instance."""
        if instance is None:
            return self
        value: T = self._function(instance)
        instance.__dict__[self._name] = value
        return value

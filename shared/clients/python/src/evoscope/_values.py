"""Converts the values of a program to JSON values. The results share nothing with their input.

Throws only the errors of an object's own methods, such as ``__str__``.
"""

import json
import math
import types
from typing import Any, Optional, Tuple

_MAXIMUM_DEPTH = 16
_MAXIMUM_EXACT_INTEGER = 2**53


def to_number(value: Any) -> Optional[Any]:
    """Returns a number as a JSON value, and None for a value that is not a number, such as a text.

    NaN and infinities become texts. Accepts numpy scalars, arrays with one element, and other values that convert to a
    float. Booleans become 0 and 1. Whole numbers beyond 2^53 become the nearest float, and beyond the range of floats
    the text of an infinity.
    """
    if type(value) is not float and type(value) is not int:
        if isinstance(value, (str, bytes, bytearray)) or value is None:
            return None
        if isinstance(value, int):
            value = int(value)
        else:
            try:
                integer = value.__index__() if hasattr(value, "__index__") else None
            except Exception:
                integer = None
            try:
                value = float(value) if integer is None else integer
            except OverflowError:
                value = math.inf if value > 0 else -math.inf
            except Exception:
                return _get_only_element(value)
    if type(value) is int:
        if -_MAXIMUM_EXACT_INTEGER <= value <= _MAXIMUM_EXACT_INTEGER:
            return value
        try:
            value = float(value)
        except OverflowError:
            value = math.inf if value > 0 else -math.inf
    return value if math.isfinite(value) else _format_not_finite(value)


def _get_only_element(value: Any) -> Optional[Any]:
    if getattr(value, "size", None) != 1 or not hasattr(value, "tolist"):
        return None
    element = value.tolist()
    while isinstance(element, list) and len(element) == 1:
        element = element[0]
    return None if isinstance(element, list) or type(element) is type(value) else to_number(element)


def _format_not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def to_text(value: str) -> str:
    """Returns a text with a backslash and 0 for NUL, and ? for unpaired surrogates: a database cannot store them."""
    if not value.isascii():
        value = value.encode("utf-8", "replace").decode("utf-8")
    return value.replace("\0", "\\0")


def to_plain_value(value: Any, depth: int = 0) -> Any:
    """Returns a copy of a value that consists of JSON values. Numpy arrays become lists, sets become sorted lists, and
    functions become their names.

    Whole numbers retain all digits. If they exceed the range of floats, they become the text of an infinity. A value
    below 16 levels of nesting becomes the name of its type, unless it is None, a bool, an int, a float or a str.
    """
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return to_text(str(value))
    if isinstance(value, (float, int)):
        number = to_number(value)
        return int(value) if isinstance(value, int) and isinstance(number, float) else number
    if depth >= _MAXIMUM_DEPTH:
        return to_text(type(value).__name__)
    if isinstance(value, dict):
        return {to_text(str(key)): to_plain_value(item, depth + 1) for key, item in list(value.items())}
    if isinstance(value, (list, tuple)):
        return [to_plain_value(item, depth + 1) for item in list(value)]
    if isinstance(value, (set, frozenset)):
        # The order of a set differs between processes, and a list in another order is another configuration.
        return sorted((to_plain_value(item, depth + 1) for item in list(value)), key=_get_order)
    if hasattr(value, "tolist") and not isinstance(value, type):
        element_list = value.tolist()
        return to_plain_value(element_list, depth + 1) if type(element_list) is not type(value) else to_number(value)
    number = to_number(value) if not isinstance(value, type) else None
    return _get_name(value) if number is None else number


def _get_order(value: Any) -> Tuple[bool, float, str]:
    """Returns the key that sorts numbers first by their values, then other plain values by their JSON."""
    is_number = isinstance(value, (int, float))
    return not is_number, value if is_number else 0, json.dumps(value, sort_keys=True)


def _get_name(value: Any) -> str:
    """Returns the name of a type or function, or the text of another object, truncated after 1,000 characters.

    For an object with the default text, returns the name of its type, because the default text contains an address.
    """
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType)):
        return to_text(value.__name__)
    kind: Any = type(value)
    has_own_text = kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__
    return to_text(str(value) if has_own_text else kind.__name__)[:1000]


def to_line(record: Any) -> bytes:
    """Returns a record as one line of JSON, without the line break."""
    return json.dumps(record, separators=(",", ":"), allow_nan=False).encode("ascii")

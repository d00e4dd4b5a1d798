"""Doubles as Java prints them.

The connector's truth runs on JDK 17, whose `Double.toString` does not always print the shortest
digits (JDK-4511638, mended in JDK 19); it is rebuilt here from the way it develops digits: exact
integers up to 2^63 lose what 53 bits cannot hold, everything else stops at the first digit that
lies within half a unit in the last place.

Source: JDK 17 java.base `jdk.internal.math.FloatingDecimal`; vectors `float.default`.
"""

from __future__ import annotations

from math import floor, frexp, isinf, isnan
from struct import pack, unpack
from typing import Final

# Between 10^-3 and 10^7 no float lies on an edge of its neighbour's interval: the shortest digits
# are Java's too. Elsewhere that holds for digits that no other float of the size can mean.
_AGREED_DIGITS: Final = 15
_EXACT_BELOW: Final = 2.0**53
_NORMAL_FROM: Final = 2.0**-1022
_PLAIN_FROM, _PLAIN_BELOW = 1e-3, 1e7
_FLOAT_DIGITS, _SMALLEST_FLOAT_EXPONENT = 24, -125
_DIGITS, _SMALLEST_EXPONENT = 53, -1021
# FloatingDecimal scales by 10^n in a long where these hold; else it needs wide integers.
_LONG_EXPONENTS = range(-21, 63)
_COUNTED_FIVES = 27


def java_float(value: float) -> str:
    """Return `Float.toString(value)` of a number that is rounded to 32 bits."""
    if isnan(value) or isinf(value) or not value:
        return java_double(value)
    size = abs(value)
    if _PLAIN_FROM <= size < _PLAIN_BELOW:
        digits, exponent = _from_shortest(_shortest_float(size))
    else:
        digits, exponent = _developed(size, _FLOAT_DIGITS, _SMALLEST_FLOAT_EXPONENT)
    return ("-" if value < 0 else "") + _laid_out(digits, exponent)


def _shortest_float(size: float) -> str:
    """Return the fewest digits that mean this float among those of 32 bits."""
    for digits in range(9):
        text = f"{size:.{digits}e}"
        try:
            if unpack("<f", pack("<f", float(text)))[0] == size:
                return text
        except OverflowError:  # rounded up beyond the greatest
            continue
    return repr(size)


def java_double(value: float) -> str:
    """Return `Double.toString(value)` of JDK 17."""
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    text = repr(value)
    size = abs(value)
    if not size or _PLAIN_FROM <= size < _PLAIN_BELOW:
        return text
    agreed = len(text) <= _AGREED_DIGITS + 1 and _NORMAL_FROM <= size < _EXACT_BELOW
    sign = "-" if text[0] == "-" else ""
    digits, exponent = _from_shortest(text) if agreed else _developed(size)
    return sign + _laid_out(digits, exponent)


def is_plain(value: float) -> bool:
    """Return whether Java prints a double as every JSON library does."""
    return _PLAIN_FROM <= abs(value) < _PLAIN_BELOW or value == 0


def _from_shortest(text: str) -> tuple[str, int]:
    """Return the digits of a Python float's text and the power of ten of 0.digits."""
    mantissa, _, power = text.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    lost = len(whole + fraction) - len(digits)
    return digits.rstrip("0"), len(whole) - lost + int(power or 0)


def _laid_out(digits: str, point: int) -> str:
    """Return digits with their point; outside [10^-3, 10^7) with an exponent."""
    if 0 < point < 8:
        whole = digits[:point].ljust(point, "0")
        return f"{whole}.{digits[point:] or '0'}"
    if -3 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    return f"{digits[0]}.{digits[1:] or '0'}E{point - 1}"


def _developed(
    value: float, precision: int = _DIGITS, smallest: int = _SMALLEST_EXPONENT
) -> tuple[str, int]:
    mantissa, exponent = frexp(value)
    binary = exponent - 1
    significant = precision if exponent >= smallest else precision - (smallest - exponent)
    fraction = int(mantissa * 2.0**_DIGITS)
    zeros = (fraction & -fraction).bit_length() - 1
    bits = _DIGITS - zeros
    tiny = max(0, bits - binary - 1)
    if tiny == 0 and binary in _LONG_EXPONENTS:
        return _whole_number(int(value), binary - significant - 1)
    guess = floor((mantissa * 2 - 1.5) * 0.289529654 + 0.176091259 + binary * 0.301029995663981)
    return _iterated(fraction >> zeros, (bits, tiny, binary - significant), guess, binary)


def _whole_number(number: int, spare_bits: int) -> tuple[str, int]:
    """Return the digits of a whole number less those below its precision."""
    spare = len(str(1 << spare_bits)) - 1 if spare_bits > 1 else 0
    unit = 10**spare
    quotient, rest = divmod(number, unit)
    if spare and rest >= unit >> 1:
        quotient += 1
    digits = str(quotient)
    return digits.rstrip("0"), len(digits) + spare


def _iterated(
    fraction: int, shape: tuple[int, int, int], guess: int, binary: int
) -> tuple[str, int]:
    """Return the digits of fraction·2^n, one by one, until the rest is below the tolerance."""
    bits, tiny, tolerance_power = shape
    fives_over, fives_under = max(0, -guess), max(0, guess)
    twos_over = fives_over + tiny + binary - (bits - 1)
    twos_under = fives_under + tiny
    twos_margin = fives_over + tiny + tolerance_power
    # Below a power of two floats lie twice as close.
    twos_margin -= bits == 1
    # Powers of two that all three share are left out, as far as the margin stays whole.
    lift = max(-min(twos_over, twos_under), -twos_margin)
    size = _machine_size(
        bits + twos_over + lift + _five_bits(fives_over),
        twos_under + lift + 1 + _five_bits(fives_under + 1),
    )
    over = fraction * 5**fives_over << (twos_over + lift)
    under = 5**fives_under << (twos_under + lift)
    margin = 5**fives_over << (twos_margin + lift)
    digits, guess, rest = _digits((over, under, margin), guess, size)
    text = "".join(map(str, digits))
    if rest > 0 or (rest == 0 and digits[-1] % 2):
        rounded = str(int(text) + 1).rjust(len(text), "0")
        guess += len(rounded) - len(text)
        text = rounded
    return text.rstrip("0") or "0", guess + 1


def _digits(numbers: tuple[int, int, int], guess: int, size: int) -> tuple[list[int], int, int]:
    """Return the digits, the power of ten, and the sign of what speaks for rounding up.

    Numbers that Java holds in 32 or 64 bits may overflow there, and its digits show it.
    """
    over, under, margin = numbers
    tens = under * 10
    digits: list[int] = []
    first = True
    while True:
        quotient, over = divmod(over, under)
        over, margin = over * 10, _wrapped(margin * 10, size)
        if margin > 0:
            low = over < margin
            reach = _wrapped(over + margin, size)
            high = reach > tens
        else:
            low = high = True
        if digits or quotient or high:
            digits.append(quotient)
        else:
            guess -= 1
        # The form with an exponent always has a digit behind the point.
        forced, first = first and not -3 <= guess < 8, False
        if (low or high) and not forced:
            break
    if not high:
        return digits, guess, -1
    return digits, guess, _wrapped(_wrapped(2 * over, size) - tens, size) if low else 1


def _five_bits(power: int) -> int:
    """Return how many bits 5^power takes, as roughly as Java counts them."""
    if power >= _COUNTED_FIVES:
        return power * 3
    return (5**power).bit_length() if power else 0


def _machine_size(over_bits: int, tens_bits: int) -> int:
    """Return the bits of the integers that Java divides, 0 for integers of any size."""
    widest = max(over_bits, tens_bits)
    return next((size for size in (32, 64) if widest < size), 0)


def _wrapped(number: int, size: int) -> int:
    """Return a number as a signed machine integer holds it."""
    if not size:
        return number
    half = 1 << (size - 1)
    return (number + half) % (2 * half) - half

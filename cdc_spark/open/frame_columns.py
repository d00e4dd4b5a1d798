"""Messages of the Open Protocol -> the frames in them, a batch at a time.

`frames.split` says what the frames of a message are. What it would refuse is not cut here
either, and is left to the decoder, which says what is wrong.
"""

from __future__ import annotations

from typing import Any

from cdc_spark.errors import DecodingError
from cdc_spark.open import frames
from cdc_spark.untyped import Column, np, pa, pc
from cdc_spark.vectorised.reader import Frames
from cdc_spark.vectorised.skeleton import indices

_WORD = 8
_HEAD = 2 * _WORD
_FAR = np.iinfo(np.int32).max
_MOST = 1 << 18  # frames of a message; one of more is left to the decoder
Words = Any  # numpy.ndarray of unsigned 64 bits


def cut(keys: Column, values: Column) -> Frames | None:
    """Return the frames of messages; None where texts are not UTF-8."""
    long = pc.and_(
        pc.greater_equal(pc.binary_length(keys), _HEAD),
        pc.greater(pc.binary_length(values), _WORD),  # resolved events have no value
    )
    full = indices(pc.fill_null(long, fill_value=False))
    some_keys, some_values = keys.take(full), values.take(full)
    one = (
        (_words(some_keys, 0) == frames.VERSION)
        & (_words(some_keys, _WORD) == _lengths(some_keys) - _HEAD)
        & (_words(some_values, 0) == _lengths(some_values) - _WORD)
    )
    alone, several = np.flatnonzero(one), np.flatnonzero(~one)
    which = pa.array(alone)
    places = full.to_numpy()
    found = Frames(
        places[alone],
        np.zeros(len(alone), np.int64),
        pc.binary_slice(some_keys.take(which), _HEAD, _FAR),
        pc.binary_slice(some_values.take(which), _WORD, _FAR),
    )
    if len(several):
        found = _both(found, _several(some_keys, some_values, places, several.tolist()))
    try:
        texts = found.keys.cast(pa.string()), found.values.cast(pa.string())
    except pa.ArrowInvalid:
        return None
    return found._replace(keys=texts[0], values=texts[1])


def _words(data: Column, at: int) -> Words:
    """Return the big-endian word that begins at byte `at` of each."""
    cut_out = pc.binary_slice(data, at, at + _WORD).cast(pa.binary(_WORD))
    raw = cut_out.buffers()[1]
    return np.frombuffer(raw or b"", ">u8", count=len(cut_out), offset=_WORD * cut_out.offset)


def _lengths(data: Column) -> Words:
    return pc.binary_length(data).to_numpy().astype(np.uint64)


def _several(keys: Column, values: Column, places: Words, which: list[int]) -> Frames:
    """Return the frames of messages that have several; none of those that cannot be cut."""
    messages: list[int] = []
    numbers: list[int] = []
    key_frames: list[bytes] = []
    value_frames: list[bytes] = []
    for place in which:
        try:
            found = frames.split(keys[place].as_py(), values[place].as_py())
        except DecodingError:
            continue
        if len(found) > _MOST:
            continue
        messages.extend([int(places[place])] * len(found))
        numbers.extend(range(len(found)))
        for key, value in found:
            key_frames.append(key)
            value_frames.append(value)
    return Frames(
        np.array(messages, np.int64),
        np.array(numbers, np.int64),
        pa.array(key_frames, pa.binary()),
        pa.array(value_frames, pa.binary()),
    )


def _both(one: Frames, other: Frames) -> Frames:
    return Frames(
        np.concatenate([one.messages, other.messages]),
        np.concatenate([one.numbers, other.numbers]),
        pa.concat_arrays([one.keys, other.keys]),
        pa.concat_arrays([one.values, other.values]),
    )

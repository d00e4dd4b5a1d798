// Tables as rows make them: nothing in the stream tells of DDL, so a new shape comes with a row.

package main

import "encoding/json"

// A stored table: its rows by key, how far each key has come, and its shape with when it was told.
type stored struct {
	rows     map[string]row
	greatest map[string]int64
	shape    map[string]column
	shapedAt int64
}

type tables map[table]*stored

func (t tables) of(name table) *stored {
	if t[name] == nil {
		t[name] = &stored{rows: map[string]row{}, greatest: map[string]int64{}}
	}
	return t[name]
}

// remove takes a row away. A tombstone has no commit ts, so what its key has seen stays known.
func (t tables) remove(name table, key row) {
	delete(t.of(name).rows, keyOf(key))
}

// put takes an inserted or updated row, unless its key has seen a later one.
//
// A stream that is sent again brings older versions back. Without TiDB's extension there is no
// commit ts: then the order of arrival within the partition is all there is.
func (t tables) put(found *form, key, told row, ts int64) {
	into, id := t.of(found.table), keyOf(key)
	if ts != 0 && ts < into.greatest[id] {
		return
	}
	into.greatest[id] = max(ts, into.greatest[id])
	switch {
	case ts < into.shapedAt:
		told = inShape(told, into.shape)
	default:
		if into.shape != nil && !sameColumns(into.shape, found.columns) {
			for other, older := range into.rows {
				into.rows[other] = inShape(older, found.columns)
			}
		}
		into.shape, into.shapedAt = found.columns, ts
	}
	into.rows[id] = told
}

// keyOf returns one text for the values of a key; encoding/json writes names in order.
func keyOf(key row) string {
	text, err := json.Marshal(key)
	if err != nil {
		panic(err) // a key is made of numbers and texts
	}
	return string(text)
}

func sameColumns(one, other map[string]column) bool {
	for name := range one {
		if _, is := other[name]; !is {
			return false
		}
	}
	return len(one) == len(other)
}

// inShape returns a row with the columns of another shape.
func inShape(of row, shape map[string]column) row {
	shaped := row{}
	for name, column := range shape {
		value, is := of[name]
		if !is {
			value = column.absent
		}
		shaped[name] = value
	}
	return shaped
}

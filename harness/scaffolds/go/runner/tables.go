// Tables in memory: rows by their key, or a multiset where rows have none.

package main

import (
	"encoding/json"
	"slices"
)

type row map[string]any

type name struct{ schema, table string }

// A shape is what a table's rows have: by column its kind, and what a row has that lacks it.
type shape map[string]fallback

type fallback struct {
	kind   string
	absent any
}

type entry struct{ key, row row }

// A table holds its rows. Which columns are its key is what its last row said.
type table struct {
	key      []string
	shape    shape
	shapedAt int64
	rows     map[string][]entry
}

type tables map[name]*table

func (t tables) of(which name) *table {
	if t[which] == nil {
		t[which] = &table{rows: map[string][]entry{}}
	}
	return t[which]
}

// put takes a row, in the place of the one with its key.
func (t *table) put(key, told row) {
	t.use(key)
	id := idOf(key, told)
	if len(key) > 0 {
		t.rows[id] = nil
	}
	t.rows[id] = append(t.rows[id], entry{key, told})
}

// remove takes away the row with this key, or one row like this where there are no keys.
func (t *table) remove(key, told row) {
	t.use(key)
	if found := t.rows[idOf(key, told)]; len(found) > 0 {
		t.rows[idOf(key, told)] = found[:len(found)-1]
	}
}

// change gives every row another form.
func (t *table) change(form func(row) row) {
	before := t.rows
	t.rows = map[string][]entry{}
	for _, entries := range before {
		for _, one := range entries {
			key, told := row{}, form(one.row)
			for _, column := range t.key {
				value, is := one.row[column]
				if !is {
					value = one.key[column]
				}
				key[column] = value
			}
			id := idOf(key, told)
			t.rows[id] = append(t.rows[id], entry{key, told})
		}
	}
}

// fitted returns a row in the table's shape, which is that of the newest row. Nothing else tells of
// DDL, so older rows follow: a column that stayed keeps its value, a new one, or one of another kind,
// has its default. Partitions overtake each other: a row of a lower commit ts does not change the
// shape back.
func (t *table) fitted(told row, own shape, ts int64) row {
	if ts < t.shapedAt {
		return inShape(told, own, t.shape)
	}
	last := t.shape
	t.shape, t.shapedAt = own, ts
	if last != nil && !sameShape(last, own) {
		t.change(func(older row) row { return inShape(older, last, own) })
	}
	return told
}

// use finds rows by another key from now on.
func (t *table) use(key row) {
	var columns []string
	for column := range key {
		columns = append(columns, column)
	}
	slices.Sort(columns)
	if !slices.Equal(columns, t.key) {
		t.key = columns
		t.change(func(told row) row { return told })
	}
}

func sameShape(one, other shape) bool {
	for column, of := range one {
		if found, is := other[column]; !is || found.kind != of.kind {
			return false
		}
	}
	return len(one) == len(other)
}

// inShape returns a row with the columns of another shape.
func inShape(told row, own, wanted shape) row {
	shaped := row{}
	for column, of := range wanted {
		value, is := told[column]
		if !is || own[column].kind != of.kind {
			value = of.absent
		}
		shaped[column] = value
	}
	return shaped
}

func idOf(key, told row) string {
	if len(key) > 0 {
		return textOf(key)
	}
	return textOf(told)
}

// textOf returns one text for some columns' values; encoding/json writes names in order.
func textOf(values row) string {
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // a row is made of numbers and texts
	}
	return string(text)
}

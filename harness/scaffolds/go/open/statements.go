// DDL: what becomes of the rows. Only what needs no parser of SQL; the rest is declined.

package main

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
)

const (
	dropSchema    = 2
	createTable   = 3
	dropTable     = 4
	addColumn     = 5
	dropColumn    = 6
	truncateTable = 11
	renameTable   = 14
)

const quoted = "`((?:[^`]|``)+)`"

var (
	// Databases, keys and indexes, comments, defaults, views, partitions without rows: rows stay as
	// they are. Where a table gets another key, its rows say so.
	rowsStay = map[int64]bool{
		1: true, 7: true, 8: true, 9: true, 10: true, 13: true, 15: true, 17: true, 18: true, 19: true,
		21: true, 24: true, 26: true, 32: true, 33: true, 41: true, 64: true, 65: true,
		67: true, 71: true, 72: true,
	}
	renames = regexp.MustCompile(`^RENAME TABLE ` + quoted + `\.` + quoted + ` TO ` + quoted + `\.` + quoted + `;?$`)
	drops   = regexp.MustCompile(`^ALTER TABLE ` + quoted + `\.` + quoted + ` DROP COLUMN ` + quoted + `$`)
	// A new column whose value in older rows is NULL, or a whole number.
	adds = regexp.MustCompile(`^ALTER TABLE ` + quoted + `\.` + quoted + ` ADD COLUMN ` + quoted +
		` (?:[A-Z]+(?:\([\d,]+\))?(?: UNSIGNED)?(?: NULL)?(?: DEFAULT NULL)?` +
		`|[A-Z]*INT(?:\(\d+\))?(?: UNSIGNED)?(?: NOT NULL)? DEFAULT (-?\d+))$`)
)

// execute lets a table follow a statement; declined is the error of one that is not read here.
func (t tables) execute(which name, statement string, action int64) error {
	var found []string
	switch action {
	case createTable, dropTable, truncateTable:
		delete(t, which)
		return nil
	case dropSchema:
		maps.DeleteFunc(t, func(other name, _ *table) bool { return other.schema == which.schema })
		return nil
	case renameTable:
		if found = renames.FindStringSubmatch(statement); found != nil {
			old := name{plain(found[1]), plain(found[2])}
			moved := t.of(old)
			delete(t, old)
			t[name{plain(found[3]), plain(found[4])}] = moved
			return nil
		}
	case addColumn:
		if found = adds.FindStringSubmatch(statement); found != nil {
			var value any
			if found[4] != "" {
				value = found[4]
			}
			t.of(which).change(func(told row) row { return with(told, plain(found[3]), value) })
			return nil
		}
	case dropColumn:
		if found = drops.FindStringSubmatch(statement); found != nil {
			t.of(which).change(func(told row) row { return without(told, plain(found[3])) })
			return nil
		}
	}
	if rowsStay[action] {
		return nil
	}
	return declined(fmt.Sprintf("ddl:%d", action))
}

func with(told row, label string, value any) row {
	made := maps.Clone(told)
	made[label] = value
	return made
}

func without(told row, label string) row {
	made := maps.Clone(told)
	delete(made, label)
	return made
}

// plain returns a name as it was before backticks in it were doubled.
func plain(label string) string {
	return strings.ReplaceAll(label, "``", "`")
}

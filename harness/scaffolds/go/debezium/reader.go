// Debezium's connectors with their JSON converter: rows by the key of their message.
//
// All events of a key come in one partition, in order, so rows are applied as they arrive. A read that
// ends at given offsets needs no boundaries of transactions: the rows of one that is cut in two there
// are the rows of its first part. Whoever shows tables while they change has to wait for END.

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const jsonConverter = "org.apache.kafka.connect.json.JsonConverter"

// What a value without a row has: boundaries of transactions, DDL for information, heartbeats and
// notifications. None of them says what became of rows.
var others = [][]string{{"status", "id"}, {"ddl"}, {"vgtid"}, {"aggregate_type"}}

// Protocol -> its dialects.
var dialects = map[string][]string{
	"vitess":         {"current", "2.7", "3.0", "3.1", "3.2", "3.4", "documented"},
	"debezium-mysql": {"current", "mysql"},
}

// Protocol -> what its source block calls a schema.
var schemas = map[string]string{"vitess": "keyspace", "debezium-mysql": "db"}

// What the last row of a message key was: its table, and whether it was deleted.
type last struct {
	table  *table
	isGone bool
}

type reader struct {
	schema string
	tables tables
	ddl    []any // none: the stream says nothing that could be executed
	last   map[string]*last
}

// A part is a key or a value, and the schemas of its fields, none where no schema travels.
type part struct {
	document object
	fields   map[string]object
}

// lacking names what a changefeed asks for and this program does not do; "" for nothing.
func lacking(f *changefeed) string {
	if dialects[f.Protocol] == nil {
		return "protocol:" + f.Protocol
	}
	if !slices.Contains(dialects[f.Protocol], f.Dialect) {
		return "dialect:" + f.Dialect
	}
	for _, side := range []string{"key", "value"} {
		if found, is := f.Settings[side+".converter"].(string); is && found != jsonConverter {
			return "converter:" + found[strings.LastIndex(found, ".")+1:]
		}
	}
	return ""
}

// readers returns what makes the reader of each changefeed.
func readers(*job) func(*changefeed) *reader {
	return func(f *changefeed) *reader {
		return &reader{schemas[f.Protocol], tables{}, nil, map[string]*last{}}
	}
}

// take applies one message.
func (r *reader) take(at place, key, value []byte) error {
	named, err := partOf(key)
	if err != nil {
		return err
	}
	told, err := partOf(value)
	if err != nil {
		return err
	}
	keyRow, err := rowOf(named.document, named.fields)
	if err != nil {
		return err
	}
	id := textOf(row{"topic": at.topic, "key": keyRow})
	_, hasBefore := told.document["before"]
	_, hasAfter := told.document["after"]
	seen := r.last[id]
	switch {
	case hasBefore || hasAfter:
		r.last[id], err = r.change(keyRow, told)
		return err
	case told.document == nil && named.document != nil && seen != nil && !seen.isGone:
		// Behind a delete comes a tombstone. Compaction may leave it alone: then it deletes.
		seen.table.remove(keyRow, nil)
		seen.isGone = true
	case told.document != nil && !isOther(told.document):
		return errors.New("the value is no change")
	}
	return nil
}

// change applies a row's event; it returns its table, and whether the row is gone.
func (r *reader) change(key row, told part) (*last, error) {
	source, err := objectOf(told.document["source"])
	if err != nil {
		return nil, err
	}
	schema, isText := source[r.schema].(string)
	label, isName := source["table"].(string)
	if !isText || !isName {
		return nil, errors.New("a change of no table")
	}
	before, beforeShape, err := imageOf(told, "before")
	if err != nil {
		return nil, err
	}
	after, afterShape, err := imageOf(told, "after")
	if err != nil {
		return nil, err
	}
	op, _ := told.document["op"].(string)
	if op == "t" { // partitions do not say which rows it came before
		return nil, declined("operation:t")
	}
	if op == "" && after == nil { // a transform has removed it
		op = "d"
	}
	isPut := op == "" || slices.Contains([]string{"c", "r", "u"}, op)
	if isPut && after == nil || !isPut && (op != "d" || before == nil) {
		return nil, fmt.Errorf("op %s without the row that it needs", op)
	}
	ts, _ := integerOf(source["ts_ms"])
	into := r.tables.of(name{schema, label})
	if before != nil && (!isPut || len(key) == 0) {
		if into.shape != nil { // what the row looks like in its table by now
			before = inShape(before, beforeShape, into.shape)
		}
		into.remove(key, before)
	}
	if isPut {
		into.put(key, into.fitted(after, afterShape, ts))
	}
	return &last{into, !isPut}, nil
}

func isOther(document object) bool {
	if _, is := document["ts_ms"]; is && len(document) == 1 {
		return true // a heartbeat
	}
	return slices.ContainsFunc(others, func(members []string) bool {
		return !slices.ContainsFunc(members, func(member string) bool {
			_, is := document[member]
			return !is
		})
	})
}

func partOf(data []byte) (part, error) {
	if data == nil {
		return part{}, nil
	}
	document, err := parse(data)
	if err != nil {
		return part{}, err
	}
	if document == nil {
		return part{}, errors.New("the message is no object")
	}
	schema, hasSchema := document["schema"]
	payload, hasPayload := document["payload"]
	if len(document) != 2 || !hasSchema || !hasPayload {
		return part{document, nil}, nil
	}
	told, err := objectOf(payload)
	if err != nil {
		return part{}, err
	}
	given, err := objectOf(schema)
	return part{told, fieldsOf(given)}, err
}

func fieldsOf(schema object) map[string]object {
	fields := map[string]object{}
	members, _ := schema["fields"].([]any)
	for _, one := range members {
		member, _ := one.(object)
		label, _ := member["field"].(string)
		fields[label] = member
	}
	return fields
}

func rowOf(told object, fields map[string]object) (row, error) {
	read := row{}
	for label, value := range told {
		var err error
		if read[label], err = valueOf(fields[label], value); err != nil {
			return nil, fmt.Errorf("column %s: %w", label, err)
		}
	}
	return read, nil
}

// imageOf returns a row and its shape, nil where there is none. A new column's default is not told.
func imageOf(told part, side string) (row, shape, error) {
	document, err := objectOf(told.document[side])
	if document == nil || err != nil {
		return nil, nil, err
	}
	fields := fieldsOf(told.fields[side])
	found := shape{}
	for label := range document {
		found[label] = fallback{kind: kindOf(fields[label])}
	}
	read, err := rowOf(document, fields)
	return read, found, err
}

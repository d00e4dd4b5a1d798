// TiCDC's Open Protocol: events wait until the resolved ts of every partition has passed them.
//
// A message is a batch: its key and its value are cut into frames, one pair of frames an event.

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

const (
	large   = "sink.kafka-config.large-message-handle.large-message-handle-option"
	version = 1
)

// The kinds of events.
const (
	isRow      = 1
	isDDL      = 2
	isResolved = 3
)

// At one commit ts DDL comes first, then deletes, then what puts rows there.
const (
	atDDL = iota
	atDelete
	atPut
)

// An event waits: a DDL statement, or a row with its key that comes or goes.
type event struct {
	ts        int64
	rank      int
	arrival   int
	name      name
	key, row  row
	statement string
	action    int64
}

type reader struct {
	tables   tables
	ddl      []any
	marks    map[place]int64
	below    int64
	applied  int64
	arrived  int
	waiting  map[string]event // by what two copies of an event have in common, so that one waits once
	executed map[string]bool  // DDL of the ts that is applied
}

// lacking names what a changefeed asks for and this program does not do; "" for nothing.
func lacking(f *changefeed) string {
	if f.Protocol != "open" {
		return "protocol:" + f.Protocol
	}
	if f.Dialect != "current" && f.Dialect != "newarch" {
		return "dialect:" + f.Dialect
	}
	if zone, is := f.Settings["tz"]; is && zone != "UTC" {
		return fmt.Sprintf("tz:%v", zone)
	}
	if option, is := f.Settings[large]; is && option != "none" {
		return fmt.Sprintf("large-message-handle:%v", option)
	}
	return ""
}

// readers returns what makes the reader of each changefeed.
func readers(*job) func(*changefeed) *reader {
	return func(feed *changefeed) *reader {
		made := &reader{tables: tables{}, ddl: []any{}, marks: map[place]int64{}, waiting: map[string]event{},
			executed: map[string]bool{}}
		for _, topic := range feed.Topics {
			for number := range topic.Partitions {
				made.marks[place{topic.Name, number}] = 0
			}
		}
		if feed.Complete != nil && *feed.Complete == "below" {
			made.below = 1
		}
		return made
	}
}

// take takes one message.
func (r *reader) take(at place, key, value []byte) error {
	if len(key) < 8 || binary.BigEndian.Uint64(key) != version {
		return errors.New("not version 1 of the protocol")
	}
	keys, err := framesOf(key[8:])
	if err != nil {
		return err
	}
	values, err := framesOf(value)
	if err != nil {
		return err
	}
	if len(keys) != len(values) {
		return fmt.Errorf("%d keys and %d values", len(keys), len(values))
	}
	for number, frame := range keys {
		told, err := parse(frame)
		if err != nil {
			return err
		}
		if err := r.event(at, told, values[number]); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) event(at place, told object, frame []byte) error {
	ts, hasTs := integerOf(told["ts"])
	kind, hasKind := integerOf(told["t"])
	if !hasTs || !hasKind || kind < isRow || kind > isResolved {
		return fmt.Errorf("an event of ts %v and type %v", told["ts"], told["t"])
	}
	if kind == isResolved {
		r.marks[at] = max(r.marks[at], ts) // one may come late
		return r.release()
	}
	if told["ohk"] != nil || told["ccl"] != nil {
		return declined("large-message-handle")
	}
	schema, _ := told["scm"].(string)
	label, _ := told["tbl"].(string)
	value, err := parse(frame)
	if err != nil {
		return err
	}
	who := event{ts: ts, name: name{schema, label}}
	if kind == isRow {
		return r.row(who, told["rid"], value)
	}
	statement, isText := value["q"].(string)
	action, isNumber := integerOf(value["t"])
	if !isText || !isNumber {
		return errors.New("DDL without its statement")
	}
	who.rank, who.statement, who.action = atDDL, statement, action
	return r.wait(who, nil)
}

func (r *reader) row(who event, rid any, value object) error {
	var err error
	if gone := value["d"]; gone != nil {
		who.rank = atDelete
		if who.row, who.key, err = imageOf(gone); err == nil {
			return r.wait(who, rid)
		}
		return err
	}
	who.rank = atPut
	if who.row, who.key, err = imageOf(value["u"]); err != nil {
		return err
	}
	if older, is := value["p"].(object); is && len(older) > 0 {
		told, _, err := imageOf(older)
		if err != nil {
			return err
		}
		// What did not change may be left out. A row without a key, or whose key changes, goes and
		// comes: so that rows that swap their keys do not meet.
		gone := who
		gone.rank, gone.key, gone.row = atDelete, row{}, maps.Clone(who.row)
		maps.Copy(gone.row, told)
		for column := range who.key {
			gone.key[column] = gone.row[column]
		}
		if len(who.key) == 0 || textOf(gone.key) != textOf(who.key) {
			if err := r.wait(gone, rid); err != nil {
				return err
			}
		}
	}
	return r.wait(who, rid)
}

// wait lets an event wait, unless it has been applied already or waits.
func (r *reader) wait(one event, rid any) error {
	if one.ts < r.applied {
		return nil
	}
	who := textOf(one.key)
	if len(one.key) == 0 {
		who = textOf(row{"row": one.row, "rid": rid})
	}
	id := textOf(row{"who": who, "of": []string{
		strconv.FormatInt(one.ts, 10), strconv.Itoa(one.rank), one.name.schema, one.name.table, one.statement,
	}})
	if one.ts == r.applied {
		if one.rank != atDDL || r.executed[id] {
			return nil
		}
		// A DDL may come right behind the resolved event of its own ts.
		r.executed[id] = true
		return r.apply(one)
	}
	if _, waits := r.waiting[id]; !waits {
		r.arrived++
		one.arrival = r.arrived
		r.waiting[id] = one
	}
	return nil
}

// release applies what is complete: what no partition can tell of any more.
func (r *reader) release() error {
	limit := slices.Min(slices.Collect(maps.Values(r.marks))) - r.below
	if limit <= r.applied {
		return nil
	}
	r.applied = limit
	r.executed = map[string]bool{}
	var due []event
	for id, one := range r.waiting {
		if one.ts <= limit {
			r.executed[id] = one.ts == limit
			due = append(due, one)
			delete(r.waiting, id)
		}
	}
	slices.SortFunc(due, func(a, b event) int {
		switch {
		case a.ts != b.ts:
			return int(min(1, max(-1, a.ts-b.ts)))
		case a.rank != b.rank:
			return a.rank - b.rank
		}
		return a.arrival - b.arrival
	})
	for _, one := range due {
		if err := r.apply(one); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) apply(one event) error {
	switch one.rank {
	case atDDL:
		if err := r.tables.execute(one.name, one.statement, one.action); err != nil {
			return err
		}
		r.ddl = append(r.ddl, map[string]any{
			"query": one.statement, "type": one.action, "commit_ts": strconv.FormatInt(one.ts, 10),
			"schema": one.name.schema, "table": one.name.table,
		})
	case atDelete:
		r.tables.of(one.name).remove(one.key, one.row)
	default:
		r.tables.of(one.name).put(one.key, one.row)
	}
	return nil
}

// framesOf returns the parts of a batch: before each stands its length, 8 bytes big-endian.
func framesOf(batch []byte) ([][]byte, error) {
	var frames [][]byte
	for len(batch) > 0 {
		if len(batch) < 8 {
			return nil, errors.New("a length is cut short")
		}
		length := binary.BigEndian.Uint64(batch)
		if length > uint64(len(batch)-8) {
			return nil, fmt.Errorf("a frame of %d bytes in a batch of %d", length, len(batch))
		}
		frames = append(frames, batch[8:8+length])
		batch = batch[8+length:]
	}
	return frames, nil
}

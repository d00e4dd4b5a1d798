// TiCDC's Avro messages: rows by key; nothing tells of DDL, so a new shape comes with a row.

package main

import (
	"errors"
	"fmt"
)

type reader struct {
	tables   tables
	ddl      []any // none: the stream tells of no statements
	schemas  *registry
	greatest map[name]map[string]int64
}

// lacking names what a changefeed asks for and this program does not do; "" for nothing.
func lacking(f *changefeed) string {
	switch {
	case f.Protocol != "avro":
		return "protocol:" + f.Protocol
	case f.Dialect != "current" && f.Dialect != "6":
		return "dialect:" + f.Dialect
	case f.Complete != nil:
		return "avro-enable-watermark"
	}
	if zone, is := f.Settings["tz"]; is && zone != "UTC" {
		return fmt.Sprintf("tz:%v", zone)
	}
	return ""
}

// readers returns what makes the reader of each changefeed; all of them ask one registry.
func readers(work *job) func(*changefeed) *reader {
	schemas := &registry{forms: map[uint32]*form{}}
	if work.Registry != nil {
		schemas.registryOf = *work.Registry
	}
	return func(*changefeed) *reader {
		return &reader{tables{}, nil, schemas, map[name]map[string]int64{}}
	}
}

// take applies one message.
func (r *reader) take(_ place, key, value []byte) error {
	if key == nil {
		return errors.New("a row without a key")
	}
	keyForm, keyRow, _, err := r.schemas.read(key)
	if err != nil {
		return err
	}
	if value == nil {
		// A tombstone has no commit ts, so what its key has seen stays known.
		r.tables.of(keyForm.name).remove(keyRow, nil)
		return nil
	}
	form, told, ts, err := r.schemas.read(value)
	if err != nil {
		return err
	}
	if form.name != keyForm.name {
		return fmt.Errorf("the key is of %v, the value of %v", keyForm.name, form.name)
	}
	r.put(form, keyRow, told, ts)
	return nil
}

// put takes an inserted or updated row, unless its key has seen a later one.
//
// A stream that is sent again brings older versions back. Without TiDB's extension there is no
// commit ts: then the order of arrival within the partition is all there is.
func (r *reader) put(found *form, key, told row, ts int64) {
	if r.greatest[found.name] == nil {
		r.greatest[found.name] = map[string]int64{}
	}
	seen, id := r.greatest[found.name], textOf(key)
	if ts != 0 && ts < seen[id] {
		return
	}
	seen[id] = max(ts, seen[id])
	into := r.tables.of(found.name)
	into.put(key, into.fitted(told, found.shape, ts))
}

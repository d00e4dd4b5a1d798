// my-consumer materialises tables from TiCDC's Avro messages, and writes them as JSON lines.
//
// The harness starts it with $HARNESS_JOB, the path of job.json. It keeps nothing between starts: one
// that was killed reads everything again. What one changefeed does wrong ends that changefeed and
// leaves the others untouched.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

type job struct {
	Mode        string
	OutDir      string `json:"out_dir"`
	Kafka       struct{ Librdkafka map[string]string }
	Registry    *registry
	Changefeeds []*changefeed
}

type topic struct {
	Name         string
	StartOffsets []int64 `json:"start_offsets"`
	EndOffsets   []int64 `json:"end_offsets"`
}

type changefeed struct {
	Dir, Protocol, Dialect string
	Complete               *string
	Topics                 []topic

	needs, failure string
	tables         tables
}

type place struct {
	topic     string
	partition int32
}

// lacking names what a changefeed asks for and this program does not do; "" for nothing.
func (f *changefeed) lacking(mode string) string {
	switch {
	case mode != "bounded":
		return "mode:" + mode
	case f.Protocol != "avro":
		return "protocol:" + f.Protocol
	case f.Dialect != "current" && f.Dialect != "6":
		return "dialect:" + f.Dialect
	case f.Complete != nil:
		return "avro-enable-watermark"
	}
	return ""
}

// take applies one message; the first that cannot be read ends its changefeed.
func (f *changefeed) take(schemas *registry, record *kgo.Record) {
	if f.needs != "" || f.failure != "" || len(record.Key)+len(record.Value) == 0 {
		return
	}
	if err := f.apply(schemas, record); err != nil {
		f.failure = fmt.Sprintf("%s/%d@%d: %v", record.Topic, record.Partition, record.Offset, err)
	}
}

func (f *changefeed) apply(schemas *registry, record *kgo.Record) error {
	if record.Key == nil {
		return errors.New("a row without a key")
	}
	keyForm, key, _, err := schemas.read(record.Key)
	if err != nil {
		return err
	}
	if record.Value == nil {
		f.tables.remove(keyForm.table, key)
		return nil
	}
	form, told, ts, err := schemas.read(record.Value)
	if err != nil {
		return err
	}
	if form.table != keyForm.table {
		return fmt.Errorf("the key is of %v, the value of %v", keyForm.table, form.table)
	}
	f.tables.put(form, key, told, ts)
	return nil
}

// answer writes a result directory, status.json last.
func (f *changefeed) answer(out string) error {
	index := map[string]map[string]string{}
	for name, stored := range f.tables {
		file := fmt.Sprintf("%d.jsonl", len(index))
		index[file] = map[string]string{"schema": name.schema, "name": name.name}
		var lines bytes.Buffer
		encoder := json.NewEncoder(&lines)
		for _, row := range stored.rows {
			if err := encoder.Encode(row); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(out, "tables", file), lines.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if err := write(filepath.Join(out, "tables.json"), index); err != nil {
		return err
	}
	status := map[string]string{"status": "done"}
	if f.failure != "" {
		status = map[string]string{"status": "error", "error": f.failure}
	}
	if f.needs != "" {
		status = map[string]string{"status": "not-applicable", "needs": f.needs}
	}
	return write(filepath.Join(out, "status.json"), status)
}

func write(file string, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// consume reads every partition up to its end offset. Offsets have gaps: transactions' markers are
// kept in what the client hands out, so that the last offset is always seen.
func consume(work *job) error {
	feeds := map[string]*changefeed{}
	starts := map[string]map[int32]kgo.Offset{}
	ends := map[place]int64{}
	firsts := map[place]int64{}
	for _, feed := range work.Changefeeds {
		for _, topic := range feed.Topics {
			feeds[topic.Name] = feed
			for number, end := range topic.EndOffsets {
				if start := topic.StartOffsets[number]; start < end {
					if starts[topic.Name] == nil {
						starts[topic.Name] = map[int32]kgo.Offset{}
					}
					starts[topic.Name][int32(number)] = kgo.NewOffset().At(start)
					ends[place{topic.Name, int32(number)}] = end
					firsts[place{topic.Name, int32(number)}] = start
				}
			}
		}
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(work.Kafka.Librdkafka["bootstrap.servers"], ",")...),
		kgo.ConsumePartitions(starts),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()), // a start offset that is gone means lost data
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(),
		kgo.FetchMaxWait(50*time.Millisecond),
	)
	if err != nil {
		return err
	}
	defer client.Close()
	for len(ends) > 0 {
		fetches := client.PollFetches(context.Background())
		fetches.EachError(func(topic string, partition int32, cause error) {
			at := place{topic, partition}
			if _, is := ends[at]; is && errors.Is(cause, kerr.OffsetOutOfRange) {
				feeds[topic].failure = fmt.Sprintf("%s/%d@%d: %v", topic, partition, firsts[at], cause)
				delete(ends, at)
				return
			}
			log.Printf("%s/%d: %v", topic, partition, cause)
		})
		fetches.EachRecord(func(record *kgo.Record) {
			at := place{record.Topic, record.Partition}
			end, is := ends[at]
			if is && record.Offset < end && !record.Attrs.IsControl() {
				feeds[record.Topic].take(work.Registry, record)
			}
			if is && record.Offset+1 >= end {
				delete(ends, at)
			}
		})
	}
	return nil
}

func run() error {
	text, err := os.ReadFile(os.Getenv("HARNESS_JOB"))
	if err != nil {
		return err
	}
	var work job
	if err := json.Unmarshal(text, &work); err != nil {
		return err
	}
	if work.Registry == nil {
		work.Registry = &registry{}
	}
	work.Registry.forms = map[uint32]*form{}
	for _, feed := range work.Changefeeds {
		feed.needs, feed.tables = feed.lacking(work.Mode), tables{}
	}
	if err := consume(&work); err != nil {
		return err
	}
	for _, feed := range work.Changefeeds {
		if err := feed.answer(filepath.Join(work.OutDir, feed.Dir)); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

// my-consumer materialises tables from Kafka, and writes them as JSON lines.
//
// The harness starts it with $HARNESS_JOB, the path of job.json. It keeps nothing between starts: one
// that was killed reads everything again. What one changefeed does wrong ends that changefeed and
// leaves the others untouched. What its messages mean is in reader.go.
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
	Registry    *registryOf
	Changefeeds []*changefeed
}

type registryOf struct {
	URL        string            `json:"url"`
	Properties map[string]string `json:"properties"`
}

type topic struct {
	Name         string
	Partitions   int32
	StartOffsets []int64 `json:"start_offsets"`
	EndOffsets   []int64 `json:"end_offsets"`
}

type changefeed struct {
	Dir, Protocol, Dialect string
	Complete               *string
	Settings               map[string]any
	Topics                 []topic
	Tables                 []struct{ Rows []any }

	needs, failure string
	stoppedAt      *message
	reader         *reader
}

type message struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

type place struct {
	topic     string
	partition int32
}

// declined is something that this program does not do; it says what.
type declined string

func (d declined) Error() string { return string(d) }

// needsOf names what a changefeed asks for and this program does not do; "" for nothing.
func (f *changefeed) needsOf(mode string) string {
	if mode != "bounded" {
		return "mode:" + mode
	}
	for _, given := range f.Tables {
		if len(given.Rows) > 0 {
			return "rows-at-the-start"
		}
	}
	return lacking(f)
}

// take applies one message; the first that cannot be read ends its changefeed.
func (f *changefeed) take(record *kgo.Record) {
	if f.needs != "" || f.failure != "" || len(record.Key)+len(record.Value) == 0 {
		return
	}
	err := f.reader.take(place{record.Topic, record.Partition}, record.Key, record.Value)
	if lack, is := err.(declined); is {
		f.needs = string(lack)
	} else if err != nil {
		f.giveUp(message{record.Topic, record.Partition, record.Offset}, err)
	}
}

// giveUp ends a changefeed for what is wrong with a message.
func (f *changefeed) giveUp(at message, why error) {
	if f.failure == "" {
		f.failure, f.stoppedAt = why.Error(), &at
	}
}

// answer writes a result directory, status.json last.
func (f *changefeed) answer(out string) error {
	index := map[string]map[string]string{}
	for which, found := range f.reader.tables {
		file := fmt.Sprintf("%d.jsonl", len(index))
		index[file] = map[string]string{"schema": which.schema, "name": which.table}
		var rows []any
		for _, entries := range found.rows {
			for _, one := range entries {
				rows = append(rows, one.row)
			}
		}
		if err := writeLines(filepath.Join(out, "tables", file), rows); err != nil {
			return err
		}
	}
	if f.reader.ddl != nil {
		if err := writeLines(filepath.Join(out, "ddl.jsonl"), f.reader.ddl); err != nil {
			return err
		}
	}
	if err := write(filepath.Join(out, "tables.json"), index); err != nil {
		return err
	}
	status := map[string]any{"status": "done"}
	if f.failure != "" {
		status = map[string]any{"status": "error", "error": f.failure, "messages": []*message{f.stoppedAt}}
	}
	if f.needs != "" {
		status = map[string]any{"status": "not-applicable", "needs": f.needs}
	}
	return write(filepath.Join(out, "status.json"), status)
}

func writeLines(file string, lines []any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	for _, line := range lines {
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
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
				feeds[topic].giveUp(message{topic, partition, firsts[at]}, cause)
				delete(ends, at)
				return
			}
			log.Printf("%s/%d: %v", topic, partition, cause)
		})
		fetches.EachRecord(func(record *kgo.Record) {
			at := place{record.Topic, record.Partition}
			end, is := ends[at]
			if is && record.Offset < end && !record.Attrs.IsControl() {
				feeds[record.Topic].take(record)
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
	newReader := readers(&work)
	for _, feed := range work.Changefeeds {
		feed.needs, feed.reader = feed.needsOf(work.Mode), newReader(feed)
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

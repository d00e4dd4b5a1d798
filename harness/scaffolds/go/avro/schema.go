// Schemas by their ids, and TiDB's values in the contract's JSON.

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hamba/avro/v2"
)

const (
	tries    = 60
	pause    = 500 * time.Millisecond // a registry that is being restarted is back within half a minute
	commitTS = "_tidb_commit_ts"
	// Fields that TiCDC adds begin so; a column of such a name has a tidb_type, they have none.
	extension = "_tidb_"
)

var moment = regexp.MustCompile(`^[-\d:. ]+$`)

// A column of a schema: how its values are read.
type column struct {
	kind, avro string
	scale      int
}

// A form is a schema that is ready to read.
type form struct {
	name    name
	columns map[string]column
	shape   shape
	avro    avro.Schema
}

type registry struct {
	registryOf
	forms map[uint32]*form
}

// read returns the form and the row of a key or value, and the commit ts where TiDB's extension
// tells it.
func (r *registry) read(message []byte) (*form, row, int64, error) {
	if len(message) < 5 || message[0] != 0 {
		return nil, nil, 0, errors.New("no frame of a schema registry")
	}
	id := binary.BigEndian.Uint32(message[1:])
	found, err := r.form(id)
	if err != nil {
		return nil, nil, 0, err
	}
	var told map[string]any
	body := bytes.NewReader(message[5:])
	reader := avro.NewReader(body, 512, avro.WithReaderConfig(config))
	reader.ReadVal(found.avro, &told)
	if reader.Error != nil {
		return nil, nil, 0, fmt.Errorf("not of schema %d: %w", id, reader.Error)
	}
	if reader.Peek(); reader.Error == nil {
		return nil, nil, 0, fmt.Errorf("bytes are left behind the row of schema %d", id)
	}
	read := row{}
	for name, column := range found.columns {
		if read[name], err = column.value(bare(told[name])); err != nil {
			return nil, nil, 0, fmt.Errorf("column %s: %w", name, err)
		}
	}
	var ts int64
	if _, isColumn := found.columns[commitTS]; !isColumn {
		ts, _ = told[commitTS].(int64)
	}
	return found, read, ts, nil
}

// Rows may be large, and a length that a message makes up must not be believed.
var config = avro.Config{MaxByteSliceSize: 64 << 20}.Freeze()

// bare takes a value out of the union with null that its column is.
func bare(value any) any {
	if union, is := value.(map[string]any); is {
		for _, branch := range union {
			return branch
		}
	}
	return value
}

func (r *registry) form(id uint32) (*form, error) {
	if known := r.forms[id]; known != nil {
		return known, nil
	}
	text, err := r.text(id)
	if err != nil {
		return nil, err
	}
	made, err := formOf(text)
	if err != nil {
		return nil, fmt.Errorf("schema %d: %w", id, err)
	}
	r.forms[id] = made
	return made, nil
}

func (r *registry) text(id uint32) (string, error) {
	request, err := http.NewRequest("GET", fmt.Sprintf("%s/schemas/ids/%d", strings.TrimRight(r.URL, "/"), id), nil)
	if err != nil {
		return "", err
	}
	if user, password, is := strings.Cut(r.Properties["basic.auth.user.info"], ":"); is {
		request.SetBasicAuth(user, password)
	}
	for left := tries; ; left-- {
		answer, err := http.DefaultClient.Do(request)
		if err == nil && answer.StatusCode < 500 {
			defer answer.Body.Close()
			if answer.StatusCode != 200 {
				return "", fmt.Errorf("the registry answers %s for schema id %d", answer.Status, id)
			}
			var told struct{ Schema string }
			err = json.NewDecoder(answer.Body).Decode(&told)
			return told.Schema, err
		}
		if err == nil {
			answer.Body.Close()
			err = errors.New(answer.Status)
		}
		if left == 0 {
			return "", fmt.Errorf("the registry does not answer: %w", err)
		}
		time.Sleep(pause)
	}
}

// formOf reads a schema's text. Defaults are TiDB's, which Avro's own rules would refuse, and decimals
// are read as bytes: both are taken out before the library sees the schema.
func formOf(text string) (*form, error) {
	var document map[string]any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil || document["type"] != "record" {
		return nil, errors.New("no record")
	}
	made := &form{columns: map[string]column{}, shape: shape{}}
	made.name.table, _ = document["name"].(string)
	namespace, _ := document["namespace"].(string)
	_, made.name.schema, _ = strings.Cut(namespace, ".") // <the changefeed's>.<database>
	fields, _ := document["fields"].([]any)
	for _, one := range fields {
		field := one.(map[string]any)
		label, _ := field["name"].(string)
		told, branch := field["default"], branchOf(field["type"])
		delete(field, "default")
		delete(branch, "logicalType")
		parameters, _ := branch["connect.parameters"].(map[string]any)
		kind, _ := parameters["tidb_type"].(string)
		if kind == "" && strings.HasPrefix(label, extension) {
			continue
		}
		made.columns[label] = columnOf(kind, branch)
		made.shape[label] = fallback{absent: made.columns[label].defaultOf(told)}
	}
	bare, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	made.avro, err = avro.ParseBytesWithCache(bare, "", &avro.SchemaCache{})
	return made, err
}

// branchOf returns a field's type, out of its union with null.
func branchOf(kind any) map[string]any {
	if union, is := kind.([]any); is {
		for _, one := range union {
			if one != "null" {
				return branchOf(one)
			}
		}
	}
	if branch, is := kind.(map[string]any); is {
		return branch
	}
	return map[string]any{"type": kind}
}

func columnOf(kind string, branch map[string]any) column {
	made := column{kind: kind}
	made.avro, _ = branch["type"].(string)
	if scale, is := branch["scale"].(json.Number); is {
		made.scale, _ = strconv.Atoi(scale.String())
	}
	return made
}

// value returns the contract's JSON of what Avro told; integers as text where JSON may lose them.
func (c column) value(told any) (any, error) {
	switch value := told.(type) {
	case []byte:
		switch c.kind {
		case "DECIMAL":
			return decimal(value, c.scale), nil
		case "BIT":
			return new(big.Int).SetBytes(value).String(), nil
		}
		return hex.EncodeToString(value), nil
	case int64:
		if c.kind == "BIGINT UNSIGNED" { // sent as a long, it wraps beyond 2^63 - 1
			return strconv.FormatUint(uint64(value), 10), nil
		}
		return strconv.FormatInt(value, 10), nil
	case nil, int, int32, float32, float64, string:
		return value, nil
	}
	return nil, fmt.Errorf("a value of type %T", told)
}

// decimal returns the digits of a two's complement, big-endian number.
func decimal(raw []byte, scale int) string {
	number := new(big.Int).SetBytes(raw)
	if len(raw) > 0 && raw[0]&0x80 != 0 {
		number.Sub(number, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
	}
	whole := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return new(big.Rat).SetFrac(number, whole).FloatString(scale)
}

// defaultOf returns what rows without the column have; nil where the schema does not tell it. The
// default of a binary type is base64; a function such as CURRENT_TIMESTAMP is known to the database
// only.
func (c column) defaultOf(told any) any {
	switch value := told.(type) {
	case json.Number:
		if number, err := value.Int64(); err == nil && c.kind == "BIGINT UNSIGNED" {
			return strconv.FormatUint(uint64(number), 10)
		}
		return value
	case string:
		switch c.kind {
		case "BIT", "BLOB":
			raw, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				return nil
			}
			read, _ := c.value(raw)
			return read
		case "DATE", "TIME", "DATETIME", "TIMESTAMP":
			if !moment.MatchString(value) {
				return nil
			}
		}
		if c.avro == "bytes" || value == "uuid()" {
			return nil
		}
		return value
	}
	return nil
}

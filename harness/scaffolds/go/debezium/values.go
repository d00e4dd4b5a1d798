// Values of Connect's JSON in the contract's JSON: the schema's name, or its type, tells how.
//
// Without a schema a value stays as it is. Dates and times are numbers then whose unit nobody tells:
// let schemas travel, or set time.precision.mode=isostring.

package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	decimalName = "org.apache.kafka.connect.data.Decimal"
	zonedName   = "io.debezium.time.ZonedTimestamp"
	bitsName    = "io.debezium.data.Bits"
	dayS        = 86_400
)

// A clock reads dates, times or moments that are counted in seconds of so many digits.
type clock struct {
	read   func(number int64, digits int) string
	digits int
}

var clocks = map[string]clock{
	"io.debezium.time.Date":                   {dayOf, 0},
	"org.apache.kafka.connect.data.Date":      {dayOf, 0},
	"io.debezium.time.Time":                   {timeOf, 3},
	"org.apache.kafka.connect.data.Time":      {timeOf, 3},
	"io.debezium.time.MicroTime":              {timeOf, 6},
	"io.debezium.time.NanoTime":               {timeOf, 9},
	"io.debezium.time.Timestamp":              {momentOf, 3},
	"org.apache.kafka.connect.data.Timestamp": {momentOf, 3},
	"io.debezium.time.MicroTimestamp":         {momentOf, 6},
	"io.debezium.time.NanoTimestamp":          {momentOf, 9},
}

func valueOf(schema object, value any) (any, error) {
	label, _ := schema["name"].(string)
	kind, _ := schema["type"].(string)
	text, isText := value.(string)
	_, isNumber := value.(json.Number)
	flag, isFlag := value.(bool)
	of, isClock := clocks[label]
	switch {
	case value == nil, schema == nil && (isText || isNumber || isFlag):
		return value, nil
	case label == decimalName && isNumber:
		return fmt.Sprint(value), nil
	case label == decimalName && isText:
		return decimal(text, schema)
	case label == zonedName && isText:
		return zoned(text), nil
	case isClock:
		if number, is := integerOf(value); is {
			return of.read(number, of.digits), nil
		}
	case isWhole(kind) && isInteger(value), (kind == "float" || kind == "double") && isNumber,
		kind == "string" && isText:
		return value, nil
	case kind == "boolean" && isFlag:
		if flag {
			return 1, nil
		}
		return 0, nil
	case label == bitsName && isText: // the lowest byte comes first
		raw, err := unbase64(text)
		slices.Reverse(raw)
		return new(big.Int).SetBytes(raw), err
	case kind == "bytes" && isText:
		raw, err := unbase64(text)
		return hex.EncodeToString(raw), err
	}
	return nil, fmt.Errorf("%.60v is no %s %s", value, kind, label)
}

// kindOf returns what a column holds, so that one of another kind is a new one; integers are one.
func kindOf(schema object) string {
	kind, _ := schema["type"].(string)
	if label, _ := schema["name"].(string); label != "" {
		return label
	}
	if isWhole(kind) {
		return "integer"
	}
	return kind
}

func isWhole(kind string) bool {
	return kind == "int8" || kind == "int16" || kind == "int32" || kind == "int64"
}

// zoned returns a TIMESTAMP at UTC; what is none, the text of a date of zeros, stays as it is.
func zoned(text string) string {
	if bare, is := strings.CutSuffix(text, "Z"); is {
		return strings.Replace(bare, "T", " ", 1)
	}
	return text
}

// decimal returns the digits of a Decimal's unscaled bytes.
func decimal(text string, schema object) (any, error) {
	raw, err := unbase64(text)
	if err != nil {
		return nil, err
	}
	parameters, _ := schema["parameters"].(object)
	told, _ := parameters["scale"].(string)
	scale, _ := strconv.Atoi(told)
	number := new(big.Int).SetBytes(raw)
	if len(raw) > 0 && raw[0]&0x80 != 0 {
		number.Sub(number, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
	}
	whole := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return new(big.Rat).SetFrac(number, whole).FloatString(scale), nil
}

// dayOf returns a day since 1970; Go's calendar has a year 0, as MySQL's.
func dayOf(number int64, _ int) string {
	return time.Unix(number*dayS, 0).UTC().Format("2006-01-02")
}

// timeOf returns a TIME, which may be negative, or longer than a day.
func timeOf(number int64, digits int) string {
	sign := ""
	if number < 0 {
		sign, number = "-", -number
	}
	size := power(digits)
	return sign + clockOf(number/size) + fraction(number%size, digits)
}

// momentOf returns a DATETIME since 1970.
func momentOf(number int64, digits int) string {
	seconds, rest := divided(number, power(digits))
	days, second := divided(seconds, dayS)
	return dayOf(days, 0) + " " + clockOf(second) + fraction(rest, digits)
}

// divided returns the quotient that is rounded down, and what is left.
func divided(number, by int64) (int64, int64) {
	if rest := number % by; rest < 0 {
		return number/by - 1, rest + by
	}
	return number / by, number % by
}

func clockOf(seconds int64) string {
	return fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

// fraction returns the digits behind the point; MySQL has six at most.
func fraction(rest int64, digits int) string {
	return fmt.Sprintf(".%0*d", digits, rest)[:min(digits, 6)+1]
}

func power(digits int) int64 {
	size := int64(1)
	for range digits {
		size *= 10
	}
	return size
}

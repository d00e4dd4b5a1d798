// Columns of the Open Protocol in the contract's JSON: the type's code and the flags tell how.

package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// The flags that matter here.
const (
	binaryFlag = 1
	handleKey  = 2
)

type family int

const (
	integers family = iota + 1 // with years, bits, and ENUM and SET by number
	floats
	texts // temporal types, vectors, JSON, decimals
	chars // CHAR and VARCHAR, BINARY and VARBINARY
	lobs  // the TEXT and the BLOB types
)

var families = map[int64]family{
	1: integers, 2: integers, 3: integers, 8: integers, 9: integers, 13: integers, 16: integers,
	247: integers, 248: integers,
	4: floats, 5: floats,
	7: texts, 10: texts, 11: texts, 12: texts, 14: texts, 225: texts, 245: texts, 246: texts,
	15: chars, 253: chars, 254: chars,
	249: lobs, 250: lobs, 251: lobs, 252: lobs,
}

// imageOf returns a row, and its handle key; both by column.
func imageOf(found any) (row, row, error) {
	columns, err := objectOf(found)
	if err != nil || len(columns) == 0 {
		return nil, nil, errors.New("a row without columns")
	}
	told, key := row{}, row{}
	for label, one := range columns {
		column, _ := objectOf(one)
		flags, is := integerOf(column["f"])
		if !is {
			return nil, nil, fmt.Errorf("column %s has no flags", label)
		}
		if told[label], err = valueOf(column, flags&binaryFlag != 0); err != nil {
			return nil, nil, fmt.Errorf("column %s: %w", label, err)
		}
		if column["h"] == true || flags&handleKey != 0 {
			key[label] = told[label]
		}
	}
	return told, key, nil
}

func valueOf(column object, isBinary bool) (any, error) {
	value, is := column["v"]
	code, _ := integerOf(column["t"])
	text, isText := value.(string)
	_, isNumber := value.(json.Number)
	of := families[code]
	switch {
	case is && value == nil, of == integers && isInteger(value), of == floats && isNumber:
		return value, nil
	case of == texts && isText, of == chars && isText && !isBinary:
		return value, nil
	case of == chars && isText:
		raw, err := unquoted(text)
		return hex.EncodeToString(raw), err
	case of == lobs && isText:
		raw, err := unbase64(text)
		if err == nil && !isBinary && !utf8.Valid(raw) {
			err = errors.New("text that is not UTF-8")
		}
		if isBinary {
			return hex.EncodeToString(raw), err
		}
		return string(raw), err
	}
	return nil, fmt.Errorf("%.60v is not of type code %d", value, code)
}

// unquoted returns the bytes that Go has quoted.
func unquoted(text string) ([]byte, error) {
	var raw []byte
	for text != "" {
		char, isMultibyte, rest, err := strconv.UnquoteChar(text, '"')
		if err != nil {
			return nil, fmt.Errorf("%.60q is no string of bytes", text)
		}
		if text = rest; isMultibyte || char < utf8.RuneSelf {
			raw = utf8.AppendRune(raw, char)
		} else {
			raw = append(raw, byte(char))
		}
	}
	return raw, nil
}

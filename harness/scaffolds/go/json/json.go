// JSON as it stands: numbers keep their text, so that none of them is rounded.

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

type object = map[string]any

// parse returns a JSON object; nil where JSON says null.
func parse(text []byte) (object, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("the JSON is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var found any
	if err := decoder.Decode(&found); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("something stands behind the JSON")
	}
	return objectOf(found)
}

// objectOf returns what has to be an object; nil for null.
func objectOf(found any) (object, error) {
	told, is := found.(object)
	if !is && found != nil {
		return nil, fmt.Errorf("%.60v is no object", found)
	}
	return told, nil
}

// integerOf returns an integer that fits 64 bits.
func integerOf(found any) (int64, bool) {
	number, is := found.(json.Number)
	if !is {
		return 0, false
	}
	whole, err := number.Int64()
	return whole, err == nil
}

// isInteger tells whether a value is an integer of any size.
func isInteger(found any) bool {
	number, is := found.(json.Number)
	return is && !strings.ContainsAny(number.String(), ".eE")
}

func unbase64(text string) ([]byte, error) {
	return base64.StdEncoding.Strict().DecodeString(text)
}

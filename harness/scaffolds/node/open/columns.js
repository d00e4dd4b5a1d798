// Columns of the Open Protocol in the contract's JSON: the type's code and the flags tell how.

import { isObject, textOfBytes, unbase64 } from './json.js'

const [BINARY, HANDLE_KEY] = [1n, 2n] // the flags that matter here
const INTEGERS = new Set([1n, 2n, 3n, 8n, 9n, 13n, 16n, 247n, 248n]) // with years, bits, ENUM, SET
const FLOATS = new Set([4n, 5n])
const TEXTS = new Set([7n, 10n, 11n, 12n, 14n, 225n, 245n, 246n]) // temporal, vector, JSON, decimal
const STRINGS = new Set([15n, 253n, 254n]) // CHAR and VARCHAR, BINARY and VARBINARY
const LOBS = new Set([249n, 250n, 251n, 252n]) // the TEXT and the BLOB types
// Go's quotation of bytes in a string.
const PIECE = /[^\\]+|\\(?:[abfnrtv\\"]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/g
const ONE_BYTE = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92, '"': 34 }

// A row, and its handle key; both by column.
export function imageOf (columns) {
  if (!isObject(columns) || !Object.keys(columns).length) throw new Error('a row without columns')
  const row = Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, valueOf(name, column)]))
  const isKey = ([, { h, f }]) => h === true || (f & HANDLE_KEY) !== 0n
  const key = Object.fromEntries(Object.entries(columns).filter(isKey).map(([name]) => [name, row[name]]))
  return { row, key }
}

// A member of ENUM is told by its number; as text it would be a member's name.
function integer (value) {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

function valueOf (name, { t: code = 0n, f: flags, v: value }) {
  if (typeof flags !== 'bigint') throw new Error(`column ${name} has no flags`)
  const isBinary = (flags & BINARY) !== 0n
  if (value === null) return null
  if (INTEGERS.has(code) && typeof value === 'bigint') return integer(value)
  if (FLOATS.has(code) && typeof value !== 'string') return Number(value)
  if (typeof value === 'string') {
    if (TEXTS.has(code)) return value
    if (LOBS.has(code)) return isBinary ? unbase64(value).toString('hex') : textOfBytes(unbase64(value))
    if (STRINGS.has(code)) return isBinary ? unquoted(value).toString('hex') : value
  }
  throw new Error(`column ${name} of type code ${code} is ${String(value).slice(0, 60)}`)
}

// The bytes that Go has quoted.
function unquoted (text) {
  const pieces = text.match(PIECE) ?? []
  if (pieces.join('') !== text) throw new Error(`${text.slice(0, 60)} is no string of bytes`)
  return Buffer.concat(pieces.map(bytesOf))
}

function bytesOf (piece) {
  if (piece[0] !== '\\') return Buffer.from(piece)
  if (piece[1] === 'x') return Buffer.from(piece.slice(2), 'hex')
  if (piece[1] === 'u' || piece[1] === 'U') return Buffer.from(String.fromCodePoint(parseInt(piece.slice(2), 16)))
  return Buffer.from([ONE_BYTE[piece[1]]])
}

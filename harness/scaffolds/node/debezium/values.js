// Values of Connect's JSON in the contract's JSON: the schema's name, or its type, tells how.
//
// Without a schema a value stays as it is. Dates and times are numbers then whose unit nobody tells:
// let schemas travel, or set `time.precision.mode=isostring`.

import { unbase64 } from './json.js'

const DAY_S = 86_400n
const DAY_MS = 86_400_000
const CALENDAR = [-719_528n, 2_932_896n] // the days from year 0 to year 9999, counted from 1970
const INTEGERS = ['int8', 'int16', 'int32', 'int64']
const DECIMAL = 'org.apache.kafka.connect.data.Decimal'

const two = (number) => String(number).padStart(2, '0')

// Behind the point; MySQL has six digits at most.
const fraction = (rest, digits) => `.${String(rest).padStart(digits, '0')}`.slice(0, 7)

// There may be more than 24 hours.
const clock = (seconds) => `${two(seconds / 3600n)}:${two(seconds / 60n % 60n)}:${two(seconds % 60n)}`

function day (number) {
  if (number < CALENDAR[0] || number > CALENDAR[1]) throw new Error(`day ${number} is beyond the calendar`)
  const date = new Date(Number(number) * DAY_MS)
  return `${String(date.getUTCFullYear()).padStart(4, '0')}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`
}

// A TIME, which may be negative, in seconds of so many digits.
const time = (digits) => (number) => {
  const size = 10n ** BigInt(digits)
  const whole = number < 0n ? -number : number
  return `${number < 0n ? '-' : ''}${clock(whole / size)}${fraction(whole % size, digits)}`
}

// A DATETIME since 1970 in seconds of so many digits.
const moment = (digits) => (number) => {
  const size = 10n ** BigInt(digits)
  const rest = ((number % size) + size) % size
  const seconds = (number - rest) / size
  const second = ((seconds % DAY_S) + DAY_S) % DAY_S
  return `${day((seconds - second) / DAY_S)} ${clock(second)}${fraction(rest, digits)}`
}

// A TIMESTAMP at UTC; what is none, the text of a date of zeros, stays as it is.
const zoned = (text) => (text.endsWith('Z') ? text.slice(0, -1).replace('T', ' ') : text)

// The digits of a Decimal: its unscaled bytes, or a number by `decimal.format`.
function decimal (value, scale) {
  if (typeof value !== 'string') return String(value)
  const bytes = unbase64(value)
  const number = bytes.length ? BigInt.asIntN(8 * bytes.length, BigInt(`0x${bytes.toString('hex')}`)) : 0n
  const digits = String(number < 0n ? -number : number).padStart(scale + 1, '0')
  const point = scale ? `.${digits.slice(-scale)}` : ''
  return `${number < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}${point}`
}

// The number of a BIT column, whose bytes come lowest first.
const bits = (text) => plain(BigInt(`0x0${unbase64(text).reverse().toString('hex')}`))

const plain = (value) => (typeof value === 'bigint' ? String(value) : value)

// A schema's name, else its type -> what JSON has there, and what makes the contract's of it.
const READERS = new Map([
  ['io.debezium.time.Date', [['bigint'], day]],
  ['org.apache.kafka.connect.data.Date', [['bigint'], day]],
  ['io.debezium.time.Time', [['bigint'], time(3)]],
  ['org.apache.kafka.connect.data.Time', [['bigint'], time(3)]],
  ['io.debezium.time.MicroTime', [['bigint'], time(6)]],
  ['io.debezium.time.NanoTime', [['bigint'], time(9)]],
  ['io.debezium.time.Timestamp', [['bigint'], moment(3)]],
  ['org.apache.kafka.connect.data.Timestamp', [['bigint'], moment(3)]],
  ['io.debezium.time.MicroTimestamp', [['bigint'], moment(6)]],
  ['io.debezium.time.NanoTimestamp', [['bigint'], moment(9)]],
  ['io.debezium.time.ZonedTimestamp', [['string'], zoned]],
  ['io.debezium.data.Bits', [['string'], bits]],
  ['boolean', [['boolean'], Number]],
  ...INTEGERS.map((type) => [type, [['bigint'], plain]]),
  ['float', [['number', 'bigint'], Number]],
  ['double', [['number', 'bigint'], Number]],
  ['string', [['string'], plain]],
  ['bytes', [['string'], (text) => unbase64(text).toString('hex')]],
  ['', [['boolean', 'number', 'bigint', 'string'], plain]], // without a schema
])

export function valueOf (schema, value) {
  if (value === null) return null
  if (schema?.name === DECIMAL) return decimal(value, Number(schema.parameters?.scale ?? 0))
  const [kinds, read] = READERS.get(schema?.name) ?? READERS.get(schema?.type ?? '') ?? [[], plain]
  if (!kinds.includes(typeof value)) throw new Error(`${String(value).slice(0, 60)} is no ${schema?.name ?? schema?.type ?? 'value of a column'}`)
  return read(value)
}

// What a column holds, so that one of another kind is a new one; integers are one.
export function kindOf (schema) {
  return !schema ? '' : schema.name ?? (INTEGERS.includes(schema.type) ? 'integer' : schema.type)
}

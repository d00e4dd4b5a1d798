// TiDB's types in avsc: what the registry's client reads is the contract's JSON already.
//
// By default that client refuses every long beyond 2^53, leaves decimals as bytes, and collides when
// key and value have schemas of one name, as TiCDC's have. One hook for each schema mends all three.

import avro from 'avsc'

const TEMPORAL = new Set(['DATE', 'TIME', 'DATETIME', 'TIMESTAMP'])
export const COMMIT_TS = '_tidb_commit_ts'
// Fields that TiCDC adds; a column of such a name has a tidb_type, they have none.
const EXTENSION = /^_tidb_/

// Longs as BigInt, exactly.
const LONG = avro.types.LongType.__with({
  fromBuffer: (buffer) => buffer.readBigInt64LE(),
  toBuffer: (value) => { const buffer = Buffer.alloc(8); buffer.writeBigInt64LE(value); return buffer },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value) => typeof value === 'bigint',
  compare: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
})

function big (bytes) {
  return bytes.length ? BigInt('0x' + bytes.toString('hex')) : 0n
}

// Digits of a two's complement, big-endian number, with a point `scale` digits before the end.
function decimal (bytes, scale) {
  const number = BigInt.asIntN(8 * bytes.length, big(bytes))
  const digits = String(number < 0n ? -number : number).padStart(scale + 1, '0')
  const whole = scale ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits
  return number < 0n ? '-' + whole : whole
}

// tidb_type -> the contract's JSON of a value; all others are right as they are, longs as text.
const READERS = {
  'BIGINT UNSIGNED': (value) => String(BigInt.asUintN(64, BigInt(value))), // wrapped beyond 2^63 - 1
  DECIMAL: (value, scale) => (Buffer.isBuffer(value) ? decimal(value, scale) : value),
  BIT: (value) => String(big(value)),
  BLOB: (value) => value.toString('hex'),
}

const plain = (value) => (typeof value === 'bigint' ? String(value) : value)

// What rows without the column have; null where the schema does not tell it. The default of a binary
// type is base64; a function such as CURRENT_TIMESTAMP is known to the database only.
function defaultOf (kind, told) {
  if (told === null || told === undefined || told === 'uuid()' || kind === 'DECIMAL' && typeof told !== 'string') return null
  if (TEMPORAL.has(kind) && !/^[-\d:. ]+$/.test(told)) return null
  if (kind === 'BIT' || kind === 'BLOB') return READERS[kind](Buffer.from(told, 'base64'))
  return kind === 'BIGINT UNSIGNED' ? READERS[kind](told) : told
}

const forms = new WeakMap()

// What is known of a record beside how it is read: its table, and its columns with their defaults.
export const formOf = (type) => forms.get(type)

// Make a registered schema ready. avsc judges defaults, and TiCDC's are TiDB's: they are left out.
export function typeHook (schema, options) {
  if (schema === 'long' || schema.type === 'long') return LONG
  if (schema.type !== 'record') return undefined
  const columns = new Map()
  const fields = schema.fields.map(({ default: told, ...field }) => {
    const kind = [field.type].flat().find((one) => one !== 'null')
    const tidb = kind['connect.parameters']?.tidb_type
    if (tidb || !EXTENSION.test(field.name)) {
      const read = READERS[tidb] ?? plain
      const scale = Number(kind.scale ?? 0)
      columns.set(field.name, { read: (value) => read(value, scale), kind: '', absent: defaultOf(tidb, told) })
    }
    return { name: field.name, type: field.type }
  })
  const bare = (one) => (one === 'long' || one.type === 'long' ? LONG : undefined)
  const type = avro.Type.forSchema({ ...schema, fields }, { registry: {}, typeHook: bare })
  // A namespace is <the changefeed's>.<database>.
  const database = (schema.namespace ?? '').split('.').slice(1).join('.')
  forms.set(type, { schema: database, name: schema.name, columns })
  return type
}

// Debezium's connectors with their JSON converter: rows by the key of their message.
//
// All events of a key come in one partition, in order, so rows are applied as they arrive. A read that
// ends at given offsets needs no boundaries of transactions: the rows of one that is cut in two there
// are the rows of its first part. Whoever shows tables while they change has to wait for END.

import { isObject, parseExactly } from './json.js'
import { Declined, Tables, inShape, textOf } from './tables.js'
import { kindOf, valueOf } from './values.js'

// Protocol -> its dialects, and what its source block calls a schema.
const DIALECTS = {
  vitess: ['current', '2.7', '3.0', '3.1', '3.2', '3.4', 'documented'],
  'debezium-mysql': ['current', 'mysql'],
}
const SCHEMAS = { vitess: 'keyspace', 'debezium-mysql': 'db' }
const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter'
// What a value without a row has: boundaries of transactions, DDL for information, heartbeats and
// notifications. None of them says what became of rows.
const OTHERS = [['status', 'id'], ['ddl'], ['vgtid'], ['aggregate_type']]
const HEARTBEAT = 'ts_ms'
const PUTS = ['c', 'r', 'u']

// What a changefeed asks for and this program does not do; '' for nothing.
export function lacking (feed) {
  if (!(feed.protocol in DIALECTS)) return `protocol:${feed.protocol}`
  if (!DIALECTS[feed.protocol].includes(feed.dialect)) return `dialect:${feed.dialect}`
  const converters = ['key', 'value'].map((side) => feed.settings[`${side}.converter`] ?? JSON_CONVERTER)
  const other = converters.find((name) => name !== JSON_CONVERTER)
  return other ? `converter:${other.split('.').at(-1)}` : ''
}

// What makes the reader of each changefeed.
export const readers = () => (feed) => new Reader(SCHEMAS[feed.protocol])

class Reader {
  tables = new Tables()
  ddl = null // the stream says nothing that could be executed
  #schema
  #last = new Map() // what the last row of each message key was: its table, and whether it was deleted

  constructor (schema) {
    this.#schema = schema
  }

  // Apply one message; throws for one that cannot be read.
  take (place, key, value) {
    const named = key ? parted(key) : { document: null, fields: new Map() }
    const keyRow = named.document && rowOf(named.document, named.fields)
    const { document, fields } = value ? parted(value) : { document: null }
    const id = JSON.stringify([place.split('/')[0], textOf(keyRow ?? {})])
    if (document && !('before' in document) && !('after' in document)) {
      const isOther = OTHERS.some((members) => members.every((member) => member in document))
      if (!isOther && Object.keys(document).join() !== HEARTBEAT) {
        throw new Error(`a value with ${Object.keys(document).slice(0, 8)} is no change`)
      }
    } else if (document) {
      this.#last.set(id, this.#change(keyRow ?? {}, document, fields))
    } else if (keyRow && this.#last.get(id)?.isGone === false) {
      // Behind a delete comes a tombstone. Compaction may leave it alone: then it deletes.
      this.#last.get(id).table.remove(keyRow, {})
      this.#last.get(id).isGone = true
    }
  }

  // Apply a row's event; return its table, and whether the row is gone.
  #change (key, document, fields) {
    const { [this.#schema]: schema, table: name, ts_ms: ts } = document.source ?? {}
    if (typeof schema !== 'string' || typeof name !== 'string') throw new Error('a change of no table')
    const before = imageOf(document.before, fields.get('before'))
    const after = imageOf(document.after, fields.get('after'))
    const op = document.op || (after ? 'c' : 'd')
    if (op === 't') throw new Declined('operation:t') // partitions do not say which rows it came before
    if (!(PUTS.includes(op) ? after : op === 'd' && before)) throw new Error(`op ${op} without the row that it needs`)
    const table = this.tables.get(schema, name)
    const isKeyless = !Object.keys(key).length
    if (before && (op === 'd' || isKeyless)) {
      // What the row looks like in its table by now.
      table.remove(key, inShape(before.row, before.shape, table.shape ?? before.shape))
    }
    if (op !== 'd') table.put(key, table.fitted(after.row, after.shape, ts ?? 0n))
    return { table, isGone: op === 'd' }
  }
}

// A key or a value, and the schemas of its fields, none where no schema travels.
function parted (data) {
  const document = parseExactly(data)
  if (!isObject(document)) throw new Error('the message is no object')
  if (Object.keys(document).sort().join() !== 'payload,schema') return { document, fields: new Map() }
  const { schema, payload } = document
  if (payload !== null && !isObject(payload)) throw new Error('the payload is no object')
  return { document: payload, fields: fieldsOf(schema) }
}

const fieldsOf = (schema) => new Map((schema?.fields ?? []).map((field) => [field.field, field]))

const rowOf = (told, fields) =>
  Object.fromEntries(Object.entries(told).map(([name, value]) => [name, valueOf(fields.get(name), value)]))

// A row and its shape; null for none. A new column's default is not told.
function imageOf (told, schema) {
  if (told === null || told === undefined) return null
  if (!isObject(told)) throw new Error('a row that is no object')
  const fields = fieldsOf(schema)
  const shape = new Map(Object.keys(told).map((name) => [name, { kind: kindOf(fields.get(name)), absent: null }]))
  return { row: rowOf(told, fields), shape }
}

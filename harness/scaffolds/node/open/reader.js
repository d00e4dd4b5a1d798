// TiCDC's Open Protocol: events wait until the resolved ts of every partition has passed them.
//
// A message is a batch: its key and its value are cut into frames, one pair of frames an event.

import { imageOf } from './columns.js'
import { isObject, parseExactly } from './json.js'
import { execute } from './statements.js'
import { Declined, Tables, textOf } from './tables.js'

const DIALECTS = ['current', 'newarch']
const LARGE = 'sink.kafka-config.large-message-handle.large-message-handle-option'
const VERSION = 1n
const [ROW, DDL, RESOLVED] = [1n, 2n, 3n]
// At one commit ts DDL comes first, then deletes, then what puts rows there.
const [AT_DDL, AT_DELETE, AT_PUT] = [0, 1, 2]

// What a changefeed asks for and this program does not do; '' for nothing.
export function lacking (feed) {
  if (feed.protocol !== 'open') return `protocol:${feed.protocol}`
  if (!DIALECTS.includes(feed.dialect)) return `dialect:${feed.dialect}`
  const zone = feed.settings.tz ?? 'UTC'
  if (zone !== 'UTC') return `tz:${zone}`
  const large = feed.settings[LARGE] ?? 'none'
  return large === 'none' ? '' : `large-message-handle:${large}`
}

// What makes the reader of each changefeed.
export const readers = () => (feed) => new Reader(feed)

class Reader {
  tables = new Tables()
  ddl = []
  #marks = new Map()
  #below
  #applied = 0n
  #executed = new Set() // DDL of the ts that is applied
  #waiting = new Map() // by what two copies of an event have in common, so that one waits once

  constructor (feed) {
    for (const { name, partitions } of feed.topics) {
      for (let number = 0; number < partitions; number++) this.#marks.set(`${name}/${number}`, 0n)
    }
    this.#below = feed.complete === 'below' ? 1n : 0n
  }

  // Take one message; throws for one that cannot be read.
  take (place, key, value) {
    if (!key || key.length < 8 || key.readBigUInt64BE() !== VERSION) throw new Error('not version 1 of the protocol')
    const keys = framesOf(key.subarray(8))
    const values = framesOf(value ?? Buffer.alloc(0))
    if (keys.length !== values.length) throw new Error(`${keys.length} keys and ${values.length} values`)
    keys.forEach((frame, number) => this.#event(place, parseExactly(frame), values[number]))
  }

  #event (place, { ts, t: kind, scm: schema = '', tbl: name = '', rid = null, ohk, ccl }, frame) {
    if (typeof ts !== 'bigint' || ![ROW, DDL, RESOLVED].includes(kind)) throw new Error(`an event of ts ${ts} and type ${kind}`)
    if (kind === RESOLVED) {
      if (ts > this.#marks.get(place)) this.#marks.set(place, ts) // one may come late
      return this.#release()
    }
    if (ohk || ccl) throw new Declined('large-message-handle')
    const value = parseExactly(frame)
    if (!isObject(value)) throw new Error('the value is no object')
    if (kind === ROW) return this.#row({ ts, schema, name }, rid, value)
    if (typeof value.q !== 'string' || typeof value.t !== 'bigint') throw new Error('DDL without its statement')
    this.#wait({ ts, schema, name, rank: AT_DDL, key: {}, row: {}, statement: value.q, action: Number(value.t) })
  }

  #row (who, rid, { u: newest, p: older, d: gone }) {
    if (gone) return this.#wait({ ...who, rank: AT_DELETE, ...imageOf(gone) }, rid)
    const { row, key } = imageOf(newest)
    if (older && Object.keys(older).length) {
      // What did not change may be left out. A row without a key, or whose key changes, goes and
      // comes: so that rows that swap their keys do not meet.
      const before = { ...row, ...imageOf(older).row }
      const old = Object.fromEntries(Object.keys(key).map((column) => [column, before[column]]))
      if (textOf(old) !== textOf(key) || !Object.keys(key).length) {
        this.#wait({ ...who, rank: AT_DELETE, key: old, row: before }, rid)
      }
    }
    this.#wait({ ...who, rank: AT_PUT, key, row }, rid)
  }

  // Let an event wait, unless it has been applied already or waits.
  #wait (event, rid = null) {
    if (event.ts < this.#applied) return
    const row = Object.keys(event.key).length ? textOf(event.key) : [textOf(event.row), String(rid)]
    const id = JSON.stringify([String(event.ts), event.rank, event.schema, event.name, event.statement ?? '', row])
    if (event.ts > this.#applied) {
      if (!this.#waiting.has(id)) this.#waiting.set(id, event)
    } else if (event.rank === AT_DDL && !this.#executed.has(id)) {
      // A DDL may come right behind the resolved event of its own ts.
      this.#executed.add(id)
      this.#apply(event)
    }
  }

  // Apply what is complete: what no partition can tell of any more.
  #release () {
    const least = [...this.#marks.values()].reduce((one, other) => (one < other ? one : other))
    const limit = least - this.#below
    if (limit <= this.#applied) return
    this.#applied = limit
    const due = [...this.#waiting].filter(([, event]) => event.ts <= limit)
    due.forEach(([id]) => this.#waiting.delete(id))
    this.#executed = new Set(due.filter(([, event]) => event.ts === limit).map(([id]) => id))
    due.sort(([, a], [, b]) => (a.ts === b.ts ? a.rank - b.rank : a.ts < b.ts ? -1 : 1))
    due.forEach(([, event]) => this.#apply(event))
  }

  #apply ({ rank, ts, schema, name, key, row, statement, action }) {
    if (rank === AT_DDL) {
      execute(this.tables, { schema, name }, statement, action)
      this.ddl.push({ query: statement, type: action, schema, table: name, commit_ts: String(ts) })
    } else if (rank === AT_DELETE) {
      this.tables.get(schema, name).remove(key, row)
    } else {
      this.tables.get(schema, name).put(key, row)
    }
  }
}

// The parts of a batch: before each stands its length, 8 bytes big-endian.
function framesOf (batch) {
  const frames = []
  for (let at = 0; at < batch.length;) {
    if (batch.length - at < 8) throw new Error('a length is cut short')
    const length = batch.readBigUInt64BE(at)
    if (length > BigInt(batch.length - at - 8)) throw new Error(`a frame of ${length} bytes in a batch of ${batch.length}`)
    frames.push(batch.subarray(at + 8, at + 8 + Number(length)))
    at += 8 + Number(length)
  }
  return frames
}

// TiCDC's Avro messages: rows by key; nothing tells of DDL, so a new shape comes with a row.

import { setTimeout as sleep } from 'node:timers/promises'
import registryClient from '@kafkajs/confluent-schema-registry'
import { Tables, textOf } from './tables.js'
import { COMMIT_TS, formOf, typeHook } from './types.js'

const TRIES = 60
const PAUSE_MS = 500 // a registry that is being restarted is back within half a minute
const DIALECTS = ['current', '6']
const AWAY = /ECONNREFUSED|ECONNRESET|ETIMEDOUT|socket hang up/

// What a changefeed asks for and this program does not do; '' for nothing.
export function lacking (feed) {
  if (feed.protocol !== 'avro') return `protocol:${feed.protocol}`
  if (!DIALECTS.includes(feed.dialect)) return `dialect:${feed.dialect}`
  const zone = feed.settings.tz ?? 'UTC'
  if (zone !== 'UTC') return `tz:${zone}`
  return feed.complete ? 'avro-enable-watermark' : ''
}

// What makes the reader of each changefeed; all of them ask one registry.
export function readers (job) {
  const auth = job.registry?.properties['basic.auth.user.info']?.split(':')
  const registry = new registryClient.SchemaRegistry(
    { host: job.registry?.url ?? '', ...(auth && { auth: { username: auth[0], password: auth[1] } }) },
    { AVRO: { typeHook } },
  )
  return () => new Reader(registry)
}

// The columns of a decoded record in the contract's JSON.
const rowOf = (form, told) =>
  Object.fromEntries([...form.columns].map(([name, { read }]) => [name, told[name] === null ? null : read(told[name])]))

class Reader {
  tables = new Tables()
  ddl = null // the stream tells of none
  #greatest = new Map()
  #registry

  constructor (registry) {
    this.#registry = registry
  }

  // Apply one message; throws for one that cannot be read.
  async take (place, key, value) {
    if (!key) throw new Error('a row without a key')
    const [keyForm, keyTold] = await this.#read(key)
    const keyRow = rowOf(keyForm, keyTold)
    const table = this.tables.get(keyForm.schema, keyForm.name)
    // A tombstone has no commit ts, so what its key has seen stays known.
    if (value === null) return table.remove(keyRow, {})
    const [form, told] = await this.#read(value)
    if (form.schema !== keyForm.schema || form.name !== keyForm.name) throw new Error('key and value are of two tables')
    this.#put(table, keyRow, form, told)
  }

  // A stream that is sent again brings older versions back. Without TiDB's extension there is no
  // commit ts: then the order of arrival within the partition is all there is.
  #put (table, key, form, told) {
    const id = JSON.stringify([form.schema, form.name, textOf(key)])
    const ts = form.columns.has(COMMIT_TS) ? 0n : told[COMMIT_TS] ?? 0n
    const seen = this.#greatest.get(id) ?? 0n
    if (ts && ts < seen) return
    this.#greatest.set(id, ts > seen ? ts : seen)
    table.put(key, table.fitted(rowOf(form, told), form.columns, ts))
  }

  // The schema's form and the record of a key or value; a registry that is away is asked again.
  async #read (message) {
    if (message.length < 5 || message[0] !== 0) throw new Error('no frame of a schema registry')
    const id = message.readInt32BE(1)
    for (let left = TRIES; ; left--) {
      try {
        const form = formOf(await this.#registry.getSchema(id))
        if (!form) throw new Error(`schema ${id} is no record`)
        return [form, await this.#registry.decode(message)]
      } catch (error) {
        const isAway = error.status >= 500 || AWAY.test(String(error.message ?? error.code))
        if (!isAway || !left) throw error
        await sleep(PAUSE_MS)
      }
    }
  }
}

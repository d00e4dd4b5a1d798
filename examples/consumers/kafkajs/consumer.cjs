'use strict'
// TiCDC Avro with kafkajs and its registry client, in four states of repair (KAFKAJS_VARIANT):
//   naive     as tutorials have it: every key and value through registry.decode, rows kept by key
//   longs     the same with the usual cure for 64-bit integers, a type registry shared by all schemas
//   waiting   repaired, but for the time that a fetch may wait
//   repaired  what it takes to be right; each repair is marked with the defect it mends

const fs = require('node:fs')
const path = require('node:path')
const { Kafka, logLevel } = require('kafkajs')
const { SchemaRegistry } = require('@kafkajs/confluent-schema-registry')
const avro = require('avsc')

const VARIANT = process.env.KAFKAJS_VARIANT
const REPAIRED = VARIANT === 'repaired' || VARIANT === 'waiting'
const job = JSON.parse(fs.readFileSync(process.env.HARNESS_JOB, 'utf8'))
const host = job.registry && job.registry.url

const longType = avro.types.LongType.__with({
  fromBuffer: buffer => buffer.readBigInt64LE(),
  toBuffer: value => { // avsc encodes the defaults of a schema
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt.asIntN(64, BigInt(value)))
    return bytes
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: value => typeof value === 'bigint' || Number.isInteger(value),
  compare: (a, b) => (a === b ? 0 : a < b ? -1 : 1),
})

function decimalText(bytes, scale) {
  const hex = bytes.toString('hex')
  const unscaled = hex ? BigInt.asIntN(bytes.length * 8, BigInt('0x' + hex)) : 0n
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const text = scale ? `${whole}.${digits.slice(-scale)}` : whole
  return unscaled < 0n ? '-' + text : text
}

class Decimal extends avro.types.LogicalType {
  constructor(schema, options) {
    super(schema, options)
    this.scale = schema.scale || 0
  }
  _fromValue(bytes) { return decimalText(bytes, this.scale) }
  _toValue(text) { return typeof text === 'string' ? Buffer.from(text, 'latin1') : text }
}

const OPTIONS = {
  naive: undefined,
  longs: { AVRO: { registry: { long: longType } } },
  repaired: {
    AVRO: {
      // N1, N2, N3: a hook has no names that could collide, and every long is exact.
      typeHook: schema => (schema === 'long' || schema.type === 'long' ? longType : undefined),
      logicalTypes: { decimal: Decimal }, // N5
    },
  },
}
OPTIONS.waiting = OPTIONS.repaired
const registry = new SchemaRegistry({ host }, OPTIONS[VARIANT])

const schemas = new Map() // id of a schema -> {table, fields, kinds: column -> type of TiDB}

async function schemaOf(message) {
  const id = message.readUInt32BE(1)
  if (!schemas.has(id)) {
    const answer = await fetch(`${host}/schemas/ids/${id}`)
    const schema = JSON.parse((await answer.json()).schema)
    const database = schema.namespace.split('.').pop()
    const fields = schema.fields.filter(field => !field.name.startsWith('_tidb_'))
    schemas.set(id, { id, fields, table: [database, schema.name], kinds: new Map(fields.map(kindOf)) })
  }
  return schemas.get(id)
}

function kindOf(field) {
  const options = [field.type].flat()
  const told = options.find(option => option['connect.parameters'])
  return [field.name, told ? told['connect.parameters'].tidb_type : '']
}

// What a row that was written before a column was added has there: the default of the new schema.
function absent(field) {
  const type = [field.type].flat().find(option => option !== 'null')
  if (typeof field.default !== 'string' || type.type !== 'bytes') return field.default ?? null
  const bytes = Buffer.from(field.default, 'latin1')
  if (type.logicalType === 'decimal') return decimalText(bytes, type.scale || 0)
  return plain(bytes, kindOf(field)[1])
}

// Rows in the shape that was the last to appear; an older schema that comes again changes nothing.
function shaped(row, fields) {
  const value = field => (field.name in row ? row[field.name] : absent(field))
  return Object.fromEntries(fields.map(field => [field.name, value(field)]))
}

function plain(value, kind) {
  if (Buffer.isBuffer(value)) {
    if (REPAIRED && kind === 'BIT') return value.length ? BigInt('0x' + value.toString('hex')).toString() : '0'
    return value.toString('hex')
  }
  if (typeof value !== 'bigint') return value
  return (REPAIRED && kind === 'BIGINT UNSIGNED' ? BigInt.asUintN(64, value) : value).toString() // N6
}

function rowOf(decoded, kinds) {
  const columns = Object.entries(decoded).filter(([name]) => !name.startsWith('_tidb_'))
  return Object.fromEntries(columns.map(([name, value]) => [name, plain(value, kinds.get(name))]))
}

async function apply(feed, message) {
  if (REPAIRED && message.key === null) return // a watermark: no row
  const { table, kinds } = await schemaOf(message.key)
  const id = JSON.stringify(table)
  if (!feed.tables.has(id)) feed.tables.set(id, { table, rows: new Map(), shapes: new Map() })
  const key = JSON.stringify(rowOf(await registry.decode(message.key), kinds))
  const { rows, shapes } = feed.tables.get(id)
  if (REPAIRED && message.value === null) return rows.delete(key) // N8
  const value = await registry.decode(message.value)
  const schema = await schemaOf(message.value)
  shapes.set(schema.id, schema.fields)
  rows.set(key, rowOf(value, schema.kinds))
}

function encode(name) {
  const percent = byte => '%' + byte.toString(16).toUpperCase().padStart(2, '0')
  const isPlain = byte => /[A-Za-z0-9_-]/.test(String.fromCharCode(byte))
  return [...Buffer.from(name)].map(b => (isPlain(b) ? String.fromCharCode(b) : percent(b))).join('')
}

function answer(feed, status) {
  if (feed.answered) return
  feed.answered = true
  const out = path.join(job.out_dir, feed.dir)
  for (const { table, rows, shapes } of status.status === 'done' ? feed.tables.values() : []) {
    const fields = [...shapes.values()].pop()
    const last = row => (REPAIRED ? shaped(row, fields) : row)
    const lines = [...rows.values()].map(row => JSON.stringify(last(row)) + '\n').join('')
    if (lines) fs.writeFileSync(path.join(out, 'tables', table.map(encode).join('.') + '.jsonl'), lines)
  }
  fs.writeFileSync(path.join(out, 'status.json'), JSON.stringify(status))
}

// A partition stops at its first error, the others are read on: the same is told in whatever order
// the partitions come.
function ended(feed) {
  if (feed.errors.length === 0) return { status: 'done' }
  const errors = feed.errors.sort((one, other) => (one.error < other.error ? -1 : 1))
  return { status: 'error', error: errors.map(one => one.error).join('; '), messages: errors.map(one => one.message) }
}

function lacks(feed) {
  if (feed.protocol !== 'avro') return `protocol:${feed.protocol}`
  if (REPAIRED && (feed.settings.tz ?? 'UTC') !== 'UTC') return `tz:${feed.settings.tz}`
  if (REPAIRED && feed.settings['avro-enable-watermark']) return 'avro-enable-watermark'
  return null
}

// Every partition that is still to be read: "topic/partition" -> {feed, end}
async function planned(feeds, admin) {
  const open = new Map()
  for (const feed of feeds) {
    for (const topic of feed.topics) {
      const there = REPAIRED ? await admin.fetchTopicOffsets(topic.name) : []
      topic.end_offsets.forEach((end, partition) => {
        const start = topic.start_offsets[partition]
        const low = there.find(one => one.partition === partition)
        if (low && start < end && Number(low.low) > start) {
          const messages = [{ topic: topic.name, partition, offset: start }]
          answer(feed, { status: 'error', error: 'deleted before it was read', messages })
        }
        if (start < end) open.set(`${topic.name}/${partition}`, { feed, start, end })
      })
    }
  }
  for (const [place, { feed }] of open) if (feed.answered) open.delete(place)
  return open
}

async function read(kafka, open, admin) {
  const fetching = VARIANT === 'waiting' ? {} : { maxWaitTimeInMs: 200 } // N9
  const consumer = kafka.consumer({ groupId: job.kafka.group_id, ...fetching })
  await consumer.connect()
  const topics = [...new Set([...open.keys()].map(place => place.slice(0, place.lastIndexOf('/'))))]
  await consumer.subscribe({ topics, fromBeginning: true })
  const finished = new Promise((resolve, reject) => {
    const passed = (place, next) => {
      const one = open.get(place)
      if (one && (next >= one.end || one.error)) {
        open.delete(place)
        if (one.error) one.feed.errors.push(one.error)
        const more = [...open.values()].some(other => other.feed === one.feed)
        if (!more) answer(one.feed, ended(one.feed))
      }
      if (open.size === 0) resolve()
    }
    consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload }) =>
      passed(`${payload.topic}/${payload.partition}`, Number(payload.lastOffset) + 1))
    consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || reject(payload.error))
    consumer.run({
      autoCommit: !REPAIRED, // what is only in memory has not been dealt with
      eachMessage: async ({ topic, partition, message }) => {
        const place = `${topic}/${partition}`
        const one = open.get(place)
        if (!one || one.error || Number(message.offset) >= one.end) return
        try {
          await apply(one.feed, message)
        } catch (error) {
          const at = { topic, partition, offset: Number(message.offset) }
          one.error = { error: `${place}@${message.offset}: ${error.message}`, message: at }
        }
      },
    }).catch(reject)
    for (const [place, { start }] of REPAIRED ? open : []) {
      const [topic, partition] = [place.slice(0, place.lastIndexOf('/')), place.slice(place.lastIndexOf('/') + 1)]
      consumer.seek({ topic, partition: Number(partition), offset: String(start) })
    }
  })
  await finished
  // N9: a service is stopped by a signal or a timer, hence while a fetch is under way.
  if (VARIANT === 'waiting') await new Promise(resolve => setTimeout(resolve, 500))
  await consumer.disconnect()
}

async function main() {
  for (const feed of job.changefeeds) {
    feed.tables = new Map()
    feed.errors = []
    const need = lacks(feed)
    if (need) answer(feed, { status: 'not-applicable', needs: need })
  }
  const kafka = new Kafka({
    brokers: job.kafka.java['bootstrap.servers'].split(','),
    logLevel: logLevel.ERROR,
  })
  const admin = kafka.admin()
  await admin.connect()
  const feeds = job.changefeeds.filter(feed => !feed.answered)
  const open = await planned(feeds, admin)
  await admin.disconnect()
  const waiting = new Set([...open.values()].map(one => one.feed))
  for (const feed of feeds) if (!waiting.has(feed)) answer(feed, { status: 'done' })
  if (open.size) await read(kafka, open, admin)
}

main().then(() => process.exit(0), error => {
  console.error(error)
  process.exit(1)
})

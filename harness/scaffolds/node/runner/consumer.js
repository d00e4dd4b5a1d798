// my-consumer: materialises tables from TiCDC's Avro messages, and writes them as JSON lines.
//
// The harness starts it with $HARNESS_JOB, the path of job.json. It keeps nothing between starts: one
// that was killed reads everything again. What one changefeed does wrong ends that changefeed and
// leaves the others untouched.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import registryClient from '@kafkajs/confluent-schema-registry'
import kafkajs from 'kafkajs'
import { Tables, rowOf } from './tables.js'
import { formOf, typeHook } from './types.js'

const TRIES = 60
const PAUSE_MS = 500 // a registry that is being restarted is back within half a minute
const STALLED_MS = 10_000 // no fetch returned for so long
const DIALECTS = ['current', '6']

const job = JSON.parse(readFileSync(process.env.HARNESS_JOB, 'utf8'))
const auth = job.registry?.properties['basic.auth.user.info']?.split(':')
const registry = new registryClient.SchemaRegistry(
  { host: job.registry?.url ?? '', ...(auth && { auth: { username: auth[0], password: auth[1] } }) },
  { AVRO: { typeHook } },
)

// What a changefeed asks for and this program does not do; '' for nothing.
function lacking (feed) {
  if (job.mode !== 'bounded') return `mode:${job.mode}`
  if (feed.protocol !== 'avro') return `protocol:${feed.protocol}`
  if (!DIALECTS.includes(feed.dialect)) return `dialect:${feed.dialect}`
  return feed.complete ? 'avro-enable-watermark' : ''
}

// The schema's form and the record of a key or value; a registry that is away is asked again.
async function read (message) {
  if (message.length < 5 || message[0] !== 0) throw new Error('no frame of a schema registry')
  const id = message.readInt32BE(1)
  for (let left = TRIES; ; left--) {
    try {
      const form = formOf(await registry.getSchema(id))
      if (!form) throw new Error(`schema ${id} is no record`)
      return [form, await registry.decode(message)]
    } catch (error) {
      const away = error.status >= 500 || /ECONNREFUSED|ECONNRESET|ETIMEDOUT|socket hang up/.test(String(error.message ?? error.code))
      if (!away || !left) throw error
      await sleep(PAUSE_MS)
    }
  }
}

// Apply one message; the first that cannot be read ends its changefeed.
async function take (feed, place, { key, value }) {
  if (feed.needs || feed.error || !(key?.length || value?.length)) return
  try {
    if (!key) throw new Error('a row without a key')
    const [keyForm, keyTold] = await read(key)
    const keyRow = rowOf(keyForm, keyTold)
    if (value === null) return feed.tables.delete(keyForm, keyRow)
    const [form, told] = await read(value)
    if (form.schema !== keyForm.schema || form.name !== keyForm.name) throw new Error('key and value are of two tables')
    feed.tables.put(form, keyRow, told)
  } catch (error) {
    feed.error = `${place}: ${error.message}`
  }
}

// What is left to read, by topic and partition: from the next offset up to the end offset.
function spansOf (feeds) {
  const left = new Map()
  for (const { name: topic, start_offsets: starts, end_offsets: ends } of feeds.flatMap((feed) => feed.topics)) {
    ends.forEach((end, partition) => {
      const next = starts[partition]
      if (next < end) left.set(`${topic}/${partition}`, { topic, next: BigInt(next), end: BigInt(end) })
    })
  }
  return left
}

// Read what is left. Ends when there is nothing more, or when kafkajs has given up or hangs, as it
// may when the broker was away.
async function readOn (kafka, left, byTopic) {
  // A group of this start's own: one that was killed would be waited for until its session is over.
  const groupId = `${job.kafka.group_id}-${process.pid}-${Date.now()}`
  // A fetch returns when the broker has waited this long, and disconnect() waits for it.
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100 })
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [...new Set([...left.values()].map(({ topic }) => topic))], fromBeginning: true })
    await new Promise((resolve) => {
      const hung = setTimeout(resolve, STALLED_MS)
      consumer.on(consumer.events.FETCH, () => hung.refresh())
      consumer.on(consumer.events.CRASH, resolve)
      // Offsets have gaps, of which kafkajs tells in the batch's last offset only.
      consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload: { topic, partition, lastOffset } }) => {
        const span = left.get(`${topic}/${partition}`)
        if (span && BigInt(lastOffset) + 1n >= span.end) left.delete(`${topic}/${partition}`)
        if (!left.size) resolve()
      })
      consumer.run({ autoCommit: false, eachBatch: ({ batch }) => takeBatch(batch, left, byTopic) }).catch(resolve)
    })
  } finally {
    await Promise.race([consumer.disconnect().catch(() => {}), sleep(1000)])
  }
}

async function takeBatch ({ topic, partition, messages }, left, byTopic) {
  const span = left.get(`${topic}/${partition}`)
  for (const message of messages) {
    const offset = BigInt(message.offset)
    if (span && offset >= span.next && offset < span.end) {
      await take(byTopic.get(topic), `${topic}/${partition}@${offset}`, message)
      span.next = offset + 1n
    }
  }
}

// Read every partition up to its end offset.
async function consume (feeds) {
  const byTopic = new Map(feeds.flatMap((feed) => feed.topics.map((topic) => [topic.name, feed])))
  const left = spansOf(feeds)
  const brokers = job.kafka.librdkafka['bootstrap.servers'].split(',')
  const kafka = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING, retry: { retries: 5, maxRetryTime: 1000 } })
  for (let tries = TRIES; left.size; tries--) {
    try {
      await readOn(kafka, left, byTopic)
    } catch (error) {
      if (!tries) throw error
      console.error(error.message)
      await sleep(PAUSE_MS)
    }
  }
}

// Write a result directory, status.json last.
function answer (feed) {
  const out = join(job.out_dir, feed.dir)
  const index = {}
  for (const { schema, name, rows } of feed.tables.tables.values()) {
    const file = `${Object.keys(index).length}.jsonl`
    index[file] = { schema, name }
    writeFileSync(join(out, 'tables', file), [...rows.values()].map((row) => JSON.stringify(row) + '\n').join(''))
  }
  writeFileSync(join(out, 'tables.json'), JSON.stringify(index))
  let status = { status: 'done' }
  if (feed.error) status = { status: 'error', error: feed.error }
  if (feed.needs) status = { status: 'not-applicable', needs: feed.needs }
  writeFileSync(join(out, 'status.json'), JSON.stringify(status))
}

const feeds = job.changefeeds.map((feed) => ({ ...feed, needs: lacking(feed), error: '', tables: new Tables() }))
await consume(feeds)
feeds.forEach(answer)
process.exit(0) // whatever a client that was given up still holds open

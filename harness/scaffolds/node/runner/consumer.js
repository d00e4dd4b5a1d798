// my-consumer: materialises tables from Kafka, and writes them as JSON lines.
//
// The harness starts it with $HARNESS_JOB, the path of job.json. It keeps nothing between starts: one
// that was killed reads everything again. What one changefeed does wrong ends that changefeed and
// leaves the others untouched. What its messages mean is in reader.js.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import kafkajs from 'kafkajs'
import { lacking, readers } from './reader.js'
import { Declined } from './tables.js'

const TRIES = 60
const PAUSE_MS = 500 // a broker that is being restarted is back within half a minute
const STALLED_MS = 10_000 // no fetch returned for so long

const job = JSON.parse(readFileSync(process.env.HARNESS_JOB, 'utf8'))

// What a changefeed asks for and this program does not do; '' for nothing.
function needsOf (feed) {
  if (job.mode !== 'bounded') return `mode:${job.mode}`
  if (feed.tables.some((table) => table.rows.length)) return 'rows-at-the-start'
  return lacking(feed)
}

// Apply one message; the first that cannot be read ends its changefeed.
async function take (feed, { topic, partition, offset }, { key, value }) {
  if (feed.needs || feed.error || !(key?.length || value?.length)) return
  try {
    await feed.reader.take(`${topic}/${partition}`, key, value)
  } catch (error) {
    if (error instanceof Declined) feed.needs = error.message
    else feed.error = { error: error.message, messages: [{ topic, partition, offset: Number(offset) }] }
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
      await take(byTopic.get(topic), { topic, partition, offset }, message)
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

function write (file, lines) {
  writeFileSync(file, lines.map((line) => JSON.stringify(line) + '\n').join(''))
}

// Write a result directory, status.json last.
function answer (feed) {
  const out = join(job.out_dir, feed.dir)
  const index = {}
  for (const { schema, name, rows } of feed.reader.tables.all()) {
    const file = `${Object.keys(index).length}.jsonl`
    index[file] = { schema, name }
    write(join(out, 'tables', file), rows)
  }
  if (feed.reader.ddl) write(join(out, 'ddl.jsonl'), feed.reader.ddl)
  writeFileSync(join(out, 'tables.json'), JSON.stringify(index))
  let status = { status: 'done' }
  if (feed.error) status = { status: 'error', ...feed.error }
  if (feed.needs) status = { status: 'not-applicable', needs: feed.needs }
  writeFileSync(join(out, 'status.json'), JSON.stringify(status))
}

const reader = readers(job)
const feeds = job.changefeeds.map((feed) => ({ ...feed, needs: needsOf(feed), error: null, reader: reader(feed) }))
await consume(feeds)
feeds.forEach(answer)
process.exit(0) // whatever a client that was given up still holds open

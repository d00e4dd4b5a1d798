// Tables as rows make them: nothing in the stream tells of DDL, so a new shape comes with a row.

import { COMMIT_TS } from './types.js'

const keyOf = (key) => JSON.stringify(Object.entries(key).sort(([a], [b]) => (a < b ? -1 : 1)))

// The row with the columns of another shape, which is a default by column.
const inShape = (row, shape) =>
  Object.fromEntries([...shape].map(([name, { default: value }]) => [name, name in row ? row[name] : value]))

const sameColumns = (one, other) => one.size === other.size && [...one.keys()].every((name) => other.has(name))

// The rows of one changefeed by table and key, and how far each key has come.
export class Tables {
  tables = new Map()

  table ({ schema, name }) {
    const id = JSON.stringify([schema, name])
    if (!this.tables.has(id)) {
      this.tables.set(id, { schema, name, rows: new Map(), greatest: new Map(), shape: null, shapedAt: 0n })
    }
    return this.tables.get(id)
  }

  // A tombstone has no commit ts, so what its key has seen stays known.
  delete (form, key) {
    this.table(form).rows.delete(keyOf(key))
  }

  // A stream that is sent again brings older versions back. Without TiDB's extension there is no
  // commit ts: then the order of arrival within the partition is all there is.
  put (form, key, told) {
    const table = this.table(form)
    const id = keyOf(key)
    const ts = form.columns.has(COMMIT_TS) ? 0n : told[COMMIT_TS] ?? 0n
    const seen = table.greatest.get(id) ?? 0n
    if (ts && ts < seen) return
    table.greatest.set(id, ts > seen ? ts : seen)
    let row = rowOf(form, told)
    if (ts >= table.shapedAt) {
      if (table.shape && !sameColumns(table.shape, form.columns)) {
        for (const [other, older] of table.rows) table.rows.set(other, inShape(older, form.columns))
      }
      table.shape = form.columns
      table.shapedAt = ts
    } else {
      row = inShape(row, table.shape)
    }
    table.rows.set(id, row)
  }
}

// The columns of a decoded record in the contract's JSON.
export const rowOf = (form, told) =>
  Object.fromEntries([...form.columns].map(([name, { read }]) => [name, told[name] === null ? null : read(told[name])]))

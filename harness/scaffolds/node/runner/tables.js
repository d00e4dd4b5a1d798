// Tables in memory: rows by their key, or a multiset where rows have none.

// Something that this program does not do; its message says what.
export class Declined extends Error {}

// One text for some columns' values, whatever the order of the columns.
export const textOf = (values) => JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)))

// The row with the columns of another shape. A shape is kind and default by column.
export const inShape = (row, own, shape) =>
  Object.fromEntries([...shape].map(([name, { kind, absent }]) =>
    [name, Object.hasOwn(row, name) && own.get(name).kind === kind ? row[name] : absent]))

const sameShape = (one, other) =>
  one.size === other.size && [...one].every(([name, { kind }]) => other.get(name)?.kind === kind)

// The rows of one table. Which columns are its key is what its last row said.
export class Table {
  key = '[]'
  names = []
  shape = null
  shapedAt = 0n
  #rows = new Map() // each with its key beside it

  all () {
    return [...this.#rows.values()].flat().map(([, row]) => row)
  }

  // Take a row, in the place of the one with its key.
  put (key, row) {
    this.#use(key)
    const id = textOf(this.names.length ? key : row)
    if (this.names.length || !this.#rows.has(id)) this.#rows.set(id, [])
    this.#rows.get(id).push([key, row])
  }

  // Remove the row with this key, or one row like this where there are no keys.
  remove (key, row) {
    this.#use(key)
    this.#rows.get(textOf(this.names.length ? key : row))?.pop()
  }

  // Give every row another form.
  change (make) {
    const known = [...this.#rows.values()].flat().map(([old, row]) => [{ ...old, ...row }, make(row)])
    this.#rows = new Map()
    for (const [told, row] of known) {
      const key = Object.fromEntries(this.names.map((name) => [name, told[name] ?? null]))
      const id = textOf(this.names.length ? key : row)
      if (!this.#rows.has(id)) this.#rows.set(id, [])
      this.#rows.get(id).push([key, row])
    }
  }

  // The row in the table's shape, which is that of the newest row. Nothing else tells of DDL, so
  // older rows follow: a column that stayed keeps its value, a new one, or one of another kind, has
  // its default. Partitions overtake each other: a row of a lower commit ts does not change it back.
  fitted (row, shape, ts) {
    if (ts < this.shapedAt) return inShape(row, shape, this.shape)
    const last = this.shape
    this.shape = shape
    this.shapedAt = ts
    if (last && !sameShape(last, shape)) this.change((older) => inShape(older, last, shape))
    return row
  }

  // Find rows by another key from now on.
  #use (key) {
    const names = Object.keys(key).sort()
    if (JSON.stringify(names) === this.key) return
    this.key = JSON.stringify(names)
    this.names = names
    this.change((row) => row)
  }
}

// The tables of a changefeed by database and name.
export class Tables {
  #tables = new Map()

  get (schema, name) {
    const id = JSON.stringify([schema, name])
    if (!this.#tables.has(id)) this.#tables.set(id, new Table())
    return this.#tables.get(id)
  }

  set (schema, name, table) {
    this.#tables.set(JSON.stringify([schema, name]), table)
  }

  delete (schema, name) {
    this.#tables.delete(JSON.stringify([schema, name]))
  }

  deleteAll (database) {
    for (const id of [...this.#tables.keys()]) if (JSON.parse(id)[0] === database) this.#tables.delete(id)
  }

  all () {
    return [...this.#tables].map(([id, table]) => {
      const [schema, name] = JSON.parse(id)
      return { schema, name, rows: table.all() }
    })
  }
}

// DDL: what becomes of the rows. Only what needs no parser of SQL; the rest is declined.

import { Declined, Table } from './tables.js'

const CREATE_TABLE = 3
const DROP_SCHEMA = 2
const [DROP_TABLE, TRUNCATE_TABLE] = [4, 11]
const [ADD_COLUMN, DROP_COLUMN] = [5, 6]
const RENAME_TABLE = 14
// Databases, keys and indexes, comments, defaults, views, partitions without rows: rows stay as they
// are. Where a table gets another key, its rows say so.
const ROWS_STAY = new Set([1, 7, 8, 9, 10, 13, 15, 17, 18, 19, 21, 24, 26, 32, 33, 41, 64, 65, 67, 71, 72])
const NAME = '`((?:[^`]|``)+)`'
const RENAME = new RegExp(`^RENAME TABLE ${NAME}\\.${NAME} TO ${NAME}\\.${NAME};?$`)
const DROP = new RegExp(`^ALTER TABLE ${NAME}\\.${NAME} DROP COLUMN ${NAME}$`)
// A new column whose value in older rows is NULL, or a whole number.
const ADD = new RegExp(
  `^ALTER TABLE ${NAME}\\.${NAME} ADD COLUMN ${NAME} ` +
  '(?:[A-Z]+(?:\\([\\d,]+\\))?(?: UNSIGNED)?(?: NULL)?(?: DEFAULT NULL)?' +
  '|[A-Z]*INT(?:\\(\\d+\\))?(?: UNSIGNED)?(?: NOT NULL)? DEFAULT (?<number>-?\\d+))$')

const unquoted = (name) => name.replaceAll('``', '`')

// Let a table follow a statement; throws Declined for one that this program does not read.
export function execute (tables, { schema, name }, statement, action) {
  const found = { [RENAME_TABLE]: RENAME, [ADD_COLUMN]: ADD, [DROP_COLUMN]: DROP }[action]?.exec(statement)
  if (action === CREATE_TABLE) {
    tables.set(schema, name, new Table())
  } else if (action === DROP_TABLE || action === TRUNCATE_TABLE) {
    tables.delete(schema, name)
  } else if (action === DROP_SCHEMA) {
    tables.deleteAll(schema)
  } else if (action === RENAME_TABLE && found) {
    const [from, old, to, now] = found.slice(1).map(unquoted)
    const table = tables.get(from, old)
    tables.delete(from, old)
    tables.set(to, now, table)
  } else if (action === ADD_COLUMN && found) {
    const added = found.groups.number ?? null
    tables.get(schema, name).change((row) => ({ ...row, [unquoted(found[3])]: added }))
  } else if (action === DROP_COLUMN && found) {
    const gone = unquoted(found[3])
    tables.get(schema, name).change(({ [gone]: _, ...row }) => row)
  } else if (!ROWS_STAY.has(action)) {
    throw new Declined(`ddl:${action}`)
  }
}

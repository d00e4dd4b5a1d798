// JSON whose integers are exact, as BigInt; JSON.parse would round them beyond 2^53.

import { parse } from 'lossless-json'

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const INTEGER = /^-?\d+$/

export const textOfBytes = (bytes) => UTF8.decode(bytes)

export const parseExactly = (bytes) =>
  parse(textOfBytes(bytes), null, (text) => (INTEGER.test(text) ? BigInt(text) : Number(text)))

export const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)

// Bytes from base64; Buffer.from takes anything for it.
export function unbase64 (text) {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw new Error(`${text.slice(0, 60)} is no base64`)
  return bytes
}

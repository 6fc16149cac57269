/**
 * Loaded before the service (`node --import`): shifts its clock by the milliseconds in the file that CHAOS_TIME_FILE
 * names, as an operator or a bad time server would, and says in a file beside it that it has.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = process.env.CHAOS_TIME_FILE
if (file !== undefined) {
  const realNow = Date.now
  let offsetMs = 0
  let seen = Number.NaN
  const read = () => {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0
    if (!isMainThread || seen === offsetMs) return
    seen = offsetMs
    writeFileSync(`${file}.seen`, String(offsetMs))
  }
  read()
  setInterval(read, 100).unref()
  Date.now = () => realNow() + offsetMs
}

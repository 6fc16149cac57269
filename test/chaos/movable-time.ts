/**
 * Loaded before the service (`node --import`): shifts its clock by the milliseconds in the file that CHAOS_TIME_FILE
 * names, as an operator or a bad time server would.
 */
import { readFileSync } from 'node:fs'

const file = process.env.CHAOS_TIME_FILE
if (file !== undefined) {
  const realNow = Date.now
  let offsetMs = 0
  const read = () => {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0
  }
  read()
  setInterval(read, 100).unref()
  Date.now = () => realNow() + offsetMs
}

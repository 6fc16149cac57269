import type { Clock } from '../../../core/ports/clock.ts'
import type { Statement } from './commands.ts'
import type { Writer } from './writer.ts'

/** Runs one statement and says how many rows it changed. */
export async function writeOne(writer: Writer, statement: Statement, clock: Clock): Promise<number> {
  const [changes] = await writer.run('execute', [statement], clock.now())
  return changes ?? 0
}

import { ServiceError } from '../../../core/error.ts'
import { diskFull, unwritable } from '../../write-fault.ts'
import type { CommandReply } from './command-group.ts'
import type { CommandInput, CommandName, CommandResult } from './commands.ts'

/** Runs commands on the writing connection; what it resolved for is on stable storage. */
export interface Writer extends AsyncDisposable {
  /** @param options.mayWait Whether it may wait a moment for others to share their commit: for what no answer waits for. */
  run<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
    now: number,
    options?: { readonly mayWait?: boolean },
  ): Promise<CommandResult<Name>>
}

/** SQLite's primary result codes. See https://sqlite.org/rescode.html. */
const full = 13
/** A database that became read-only, a disk that fails, a file that cannot be opened. */
const unwritableCodes: ReadonlySet<number> = new Set([8, 10, 14])

/** The error a reply stands for, or null when it carries a result. */
export function readFailure(reply: CommandReply): Error | null {
  if ('result' in reply) return null
  if ('refusal' in reply) return new ServiceError(reply.refusal.error.code, reply.refusal.error.message, reply.refusal.options)
  const cause = new Error(reply.sqliteCode === null ? reply.failure : `${reply.failure} (SQLite ${reply.sqliteCode})`)
  const code = (reply.sqliteCode ?? 0) & 0xff
  if (code === full) return diskFull(cause)
  return unwritableCodes.has(code) ? unwritable(cause) : cause
}
